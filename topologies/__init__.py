"""Networks: routers, the links between them, and distances.

Make a network with a constructor, as in ``torus((8, 8))``, or from its text form, as in
``parse("torus:8x8")``. Both raise ValueError if a number is out of range or the network is too large for
memory. To add a kind of network, write its constructor in a new file and add a line to `TOPOLOGIES`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from netplace.inputs import abbreviate
from netplace.registry import Registry
from netplace.topologies.butterfly import butterfly
from netplace.topologies.cables import Cables, graph
from netplace.topologies.compute_nodes import compute_nodes, with_service
from netplace.topologies.dragonfly import dragonfly, megafly
from netplace.topologies.fat_trees import kary_ntree, thin_tree, xgft
from netplace.topologies.faults import faulty, with_faults
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.graph import Graph
from netplace.topologies.graph_file import graph_file
from netplace.topologies.grid import Grid
from netplace.topologies.grid_kinds import concentrated, hypercube, hyperx, mesh, torus, twisted_torus
from netplace.topologies.hierarchy import Hierarchy, hierarchy
from netplace.topologies.infiniband import ibnetdiscover
from netplace.topologies.rails import rail_optimized
from netplace.topologies.slim_fly import slim_fly
from netplace.topologies.slurm import slurm
from netplace.topologies.switch_grid import switch_grid
from netplace.topologies.text_files import tree_file
from netplace.topologies.text_form import (
    MODIFIERS,
    Kind,
    innermost,
    read_compute_nodes,
    read_first_number,
    read_named,
    read_numbers,
    read_path,
    read_path_and,
    read_service,
    read_shares,
    read_sides_and_nodes,
    read_sides_and_twist,
    read_tree,
)
from netplace.topologies.topology import Topology, named
from netplace.topologies.tree import Tree

__all__ = [
    "TOPOLOGIES", "Cables", "Graph", "Grid", "Hierarchy", "Kind", "Topology", "Tree", "butterfly",
    "compute_nodes", "concentrated", "dragonfly", "faulty", "from_networkx", "graph", "graph_file",
    "hierarchy", "hypercube", "hyperx", "ibnetdiscover", "kary_ntree", "megafly", "mesh", "names_file",
    "parse", "rail_optimized", "slim_fly", "slurm", "switch_grid", "thin_tree", "torus", "tree_file",
    "twisted_torus", "with_faults", "with_service", "xgft",
]  # fmt: skip


def _grid(build: Callable[[Sequence[int]], Topology]) -> Callable[..., Topology]:
    """Return the constructor of a mesh or torus with one node per switch, or with several."""
    return lambda sizes, c: build(sizes) if c is None else concentrated(build.__name__, sizes, c)


def _changed(change: Callable[..., Topology]) -> Callable[..., Topology]:
    """Return the constructor of networks that `change` makes of another one, which a text form names."""
    return lambda network, given: change(parse(network), **given)


_DRAGONFLY = {"g": 1, "links": None}

_TOPOLOGIES = {
    "mesh": Kind(
        _grid(mesh), read_sides_and_nodes, "mesh:32x32",
        "grid without wraparound links, any number of sides; c=nodes per switch",
    ),
    "torus": Kind(
        _grid(torus), read_sides_and_nodes, "torus:8x8x8",
        "grid with wraparound links, any number of sides; c=nodes per switch",
    ),
    "twisted": Kind(
        twisted_torus, read_sides_and_twist, "twisted:8x4+3",
        "torus whose rings along Y, Z, .. are shifted by T along X (default: Y, the shorter side)",
    ),
    "tree": Kind(kary_ntree, read_numbers("k", "n"), "tree:4,3", "k-ary n-tree with k^n nodes"),
    "fly": Kind(
        butterfly, read_numbers("k", "n"), "fly:4,3",
        "k-ary n-fly: butterfly of n stages, k^n nodes, one-way links",
    ),
    "thintree": Kind(
        thin_tree, read_numbers("ports down", "ports up", "stages"), "thintree:4,2,3",
        "tree with fewer ports up than down",
    ),
    "hypercube": Kind(hypercube, read_numbers("n"), "hypercube:10", "mesh with n sides of 2"),
    "hyperx": Kind(
        lambda sizes, c: hyperx(sizes, c or 1), read_sides_and_nodes, "hyperx:8x8,c=8",
        "grid of switches in which all switches of a line are connected (HyperX); c=nodes per switch",
    ),
    "dragonfly": Kind(
        dragonfly, read_named("a", "p", "h", **_DRAGONFLY), "dragonfly:a=4,p=2,h=2",
        "g groups of a switches with p nodes and h global links each; links=absolute, relative, circulant",
    ),
    "dragonfly+": Kind(
        megafly, read_named("leaves", "spines", "p", "h", **_DRAGONFLY),
        "dragonfly+:leaves=4,spines=4,p=4,h=4",
        "megafly: g groups of leaf switches with p nodes and spine switches with h global links; links=..",
    ),
    "slimfly": Kind(
        slim_fly, read_first_number(p=1), "slimfly:5",
        "Slim Fly: 2 q^2 switches with p nodes each, q a prime power",
    ),
    "xgft": Kind(
        xgft, read_tree, "xgft:3;4,4,4;1,2,2",
        "extended generalized fat tree: height; arities down; arities up; cables per pair, if several",
    ),
    "rail-optimized": Kind(
        rail_optimized, read_named("hosts", "gpus", rails=1, leaves=1, spines=0, width=1, nic=1),
        "rail-optimized:hosts=32,gpus=8,leaves=2,spines=16",
        "hosts with several GPUs, each adapter on a rail of leaf switches below common spines; nic=cycles",
    ),
    "tree-file": Kind(
        tree_file, read_path, "tree-file:machine.tree",
        "tree of any shape, with a line 'child parent [width]' for each cable",
    ),
    "slurm": Kind(
        slurm, read_path_and("taper", "links", "topology", "part", "top"), "slurm:topology.conf,taper=2",
        "Slurm's topology.conf or .yaml; taper=downlinks per uplink, links=FILE of cables; part=, top=",
    ),
    "ibnetdiscover": Kind(
        ibnetdiscover, read_path_and("slots"), "ibnetdiscover:fabric.txt",
        "InfiniBand fabric from the output of ibnetdiscover; slots=places for tasks on each host",
    ),
    "graph": Kind(
        graph_file, read_path_and("phit", "part"), "graph:machine.graphml",
        "any network from a file, whose format netplace detects; or FILE alone",
    ),
    "faulty": Kind(
        _changed(faulty), read_shares, "faulty:links=0.1,seed=2/torus:8x8",
        "any network with random failures: shares of links= or routers= that are down, or of slow= links "
        "(cycles=), by seed=",
    ),
    "service": Kind(
        _changed(with_service), read_service, "service:nodes=0+5-7/torus:8x8",
        "any network with nodes that do not compute: nodes=, or one in every= from first=",
    ),
    "nodes": Kind(
        _changed(compute_nodes), read_compute_nodes, "nodes:tasks=16,rails=2/torus:8x8",
        "nodes with several tasks; also planes=, sockets=, and cycles nic=, memory=, latency=, bus=, "
        "crossing=",
    ),
}  # fmt: skip


def _own(build: Callable[[str], Topology], name: str, description: str) -> Kind:
    """Return the kind of network of a user's function, which takes the text after the name and a colon."""
    return Kind(build, lambda text: (text.partition(":")[2],), f"{name}:..", description)


TOPOLOGIES: Registry[Kind] = Registry("network", "netplace.topologies", Kind, _TOPOLOGIES, _own)
_OF_FILES = (tree_file, slurm, ibnetdiscover, graph_file)
_MOST_LEVELS = 16
ALIASES = {"megafly": "dragonfly+"}  # other names of kinds


def parse(text: str) -> Topology:
    """Return the network that a text form describes.

    A text form consists of a key of `TOPOLOGIES`, a colon and numbers, as in ``"torus:8x8x8"``. It can also
    name a file (such as ``"graph:FILE"``).

    Raises
    ------
    ValueError
        If the kind is unknown, the numbers do not fit the kind, or the network is too large for memory.

    Examples
    --------
    >>> parse("tree:4,3").nodes
    64
    """
    _check_levels(str(text))
    name, colon, rest = str(text).partition(":")
    if ALIASES.get(name, name) not in TOPOLOGIES and os.path.isfile(text):
        return graph_file(*read_path_and("phit", "part")(f"graph:{text}"))
    text = ALIASES.get(name, name) + colon + rest
    kind, _ = TOPOLOGIES.find(text, f"network {abbreviate(text)}")
    if not TOPOLOGIES.is_built_in(text):
        return named(kind.build(*kind.read(text)), text)
    if ":" not in text:
        raise ValueError(
            f"network {abbreviate(text)}: no numbers given, expected a form such as {kind.example}"
        )
    return kind.build(*kind.read(text))


def _check_levels(text: str) -> None:
    """Raise ValueError if networks are nested more deeply than Python can follow."""
    levels, rest = 0, text
    while rest.startswith(MODIFIERS):
        levels, rest = levels + 1, rest.partition("/")[2]
    if levels > _MOST_LEVELS:
        raise ValueError(
            f"network {abbreviate(text)}: has {levels} modifiers, expected at most {_MOST_LEVELS}"
        )


def names_file(text: str) -> bool:
    """Return whether a text form refers to a file that contains a network, or to a network that is unknown.

    Examples
    --------
    >>> [names_file(text) for text in ("torus:8x8", "slurm:topology.conf", "faulty:links=0.1/cables.txt")]
    [False, True, True]
    """
    name = innermost(text).partition(":")[0]
    kind = TOPOLOGIES.get(ALIASES.get(name, name))
    return kind is None or kind.build in _OF_FILES
