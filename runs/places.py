"""The places in which a job takes the same time: boxes, subtrees and lists of nodes in one form."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from netplace.netsim import Config
from netplace.placement.rule import Nodes
from netplace.runs.chance import network_is_random, rule_is_random
from netplace.runs.networks import network_of
from netplace.runs.partitions import nodes_of_jobs, partitions_with
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.topologies import Grid, Topology, Tree
from netplace.topologies.compute_nodes import slots_a_host, slots_of
from netplace.topologies.host_lists import spelled

Place = tuple[str, str]  # the network, or ``"mesh"`` where no other part of it is used; and the nodes on it

# Settings under which it matters where on the machine a box is, or of which network it is a part.
_LOCAL = ("routing", "faults", "cable_latency", "fabric")


@lru_cache(maxsize=4096)
def place_of(network: str, rule: str, tasks: int, config: Config) -> Place | None:
    """Return the place of the only job of a run; None if each seed draws another."""
    if rule_is_random(rule, partitions_with(rule)):
        return None
    topology = network_of(network)
    return canonical(topology, nodes_of_jobs(rule, topology, [tasks])[0], config)


def on_slots(machine: Topology, allocation: Allocation) -> Allocation:
    """Return an allocation of hosts as one of their slots, which form no box."""
    if slots_a_host(machine) == 1:
        return allocation
    return Allocation(slots_of(machine, allocation.nodes), mapping=allocation.mapping)


def canonical(topology: Topology, nodes: Nodes, config: Config) -> Place:
    """Return the place of a job on given nodes, the same for all places in which it takes the same time.

    A box whose minimal routes do not leave it is a mesh, wherever it lies and whatever the machine is. On
    tori without randomness, nodes may be shifted; on trees, a subtree is like the first one of its level.
    """
    if any(getattr(config, name) != getattr(Config(), name) for name in _LOCAL) or len(topology.service):
        return topology.text, f"nodes:{spelled(nodes)}"
    if isinstance(topology, Grid) and not topology.twist:
        origin = topology.coordinates(nodes[:1])
        shifted = topology.coordinates(nodes) - origin
        if topology.wraps:
            shifted %= topology.sizes
        shape = tuple((shifted.max(axis=0) + 1).tolist())
        if _is_box(topology, nodes, origin, shape):
            name = "box:" + "x".join(map(str, shape))
            return ("mesh" if stays_inside(topology, shape) else topology.text), name
        if topology.wraps and not network_is_random(topology, config):
            nodes = np.asarray(topology.node(shifted), np.int64)
    elif isinstance(topology, Tree):
        nodes = _in_first_subtree(topology, nodes)
    return topology.text, f"nodes:{spelled(nodes)}"


def stays_inside(grid: Grid, shape: tuple[int, ...]) -> bool:
    """Return whether all minimal routes between nodes of a box stay in it."""
    rings = grid.sizes if grid.wraps else (math.inf,) * len(shape)
    return all(2 * (side - 1) < ring for side, ring in zip(shape, rings, strict=True))


def is_random(place: Place, config: Config) -> bool:
    """Return whether the network makes random choices for a job in its place."""
    network, name = place
    if network == "mesh":
        network = f"mesh:{name.removeprefix('box:')}"
    return network_is_random(network_of(network), config)


def _is_box(grid: Grid, nodes: Nodes, origin: Nodes, shape: tuple[int, ...]) -> bool:
    """Return whether nodes are a box from its lowest corner, in node order."""
    if math.prod(shape) != len(nodes):
        return False
    inside = np.indices(shape[::-1]).reshape(len(shape), -1)[::-1].T  # the first dimension varies fastest
    expected = origin + inside
    if grid.wraps:
        expected = expected % grid.sizes
    return bool((expected == grid.coordinates(nodes)).all())


def _in_first_subtree(tree: Tree, nodes: Nodes) -> Nodes:
    """Return the nodes as they lie in the first subtree of their level, which is like all others."""
    first, last, size = int(nodes.min()), int(nodes.max()), 1
    while first // size != last // size:
        size *= tree.down
    return nodes - first // size * size
