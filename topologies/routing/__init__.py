"""Routing in the form of tables, made before a run, and the check for deadlock.

To add a routing, write a function that takes the `Switches` of a network and returns `Routes`, and add a line
to `ROUTINGS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.registry import Registry
from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid
from netplace.topologies.routing.algorithms import (
    all_minimal,
    all_up_down,
    costs,
    d_mod_k,
    dimension_order,
    first_minimal,
    strides,
    up_down,
)
from netplace.topologies.routing.compute_nodes import with_compute_nodes
from netplace.topologies.routing.dependencies import Reach, Verdict, barred, check, reach
from netplace.topologies.routing.regular_trees import regular_tree
from netplace.topologies.routing.routes import CHOICES, DISCIPLINES, SPREADS, Routes, rises, steps, table
from netplace.topologies.routing.switches import Switches
from netplace.topologies.topology import Topology

__all__ = [
    "CHOICES", "DISCIPLINES", "ROUTINGS", "SPREADS", "Reach", "Routes", "Routing", "Switches", "Verdict",
    "all_minimal", "all_up_down", "barred", "check", "d_mod_k", "default_on", "dimension_order",
    "first_minimal", "make_routes", "reach", "rises", "steps", "table", "up_down",
]  # fmt: skip


@dataclass(frozen=True)
class Routing:
    """One routing: the function that makes its tables, and a one-line description."""

    make: Callable[[Switches], Routes]
    description: str


def _minimal(switches: Switches) -> Routes:
    discipline = _by_group(switches)
    return Routes("minimal", first_minimal(switches, _weight(switches, discipline)), discipline)


def _given(switches: Switches) -> Routes:
    if switches.ways is None:
        raise ValueError(f"{switches.text}: no routes are given, which routing given needs; use minimal")
    routes = Routes("given", table(switches.ways), "none")
    return routes if check(switches, routes).free else replace(routes, discipline="hop")


def _adaptive(switches: Switches) -> Routes:
    if switches.is_tree:
        return Routes("adaptive", all_up_down(switches), "none")
    return Routes("adaptive", all_minimal(switches), "none", escape=up_down(switches)[:, :, 0])


def _ecmp(switches: Switches) -> Routes:
    if switches.is_tree:
        return Routes("ecmp", all_up_down(switches), "none", spread="flow")
    discipline = _by_group(switches)
    return Routes("ecmp", all_minimal(switches, _weight(switches, discipline)), discipline, spread="flow")


def _with_detours(choice: str) -> Callable[[Switches], Routes]:
    """Return the function that makes tables for a choice between the direct way and a detour."""

    def make(switches: Switches) -> Routes:
        if switches.axis is not None:
            kind = _on_grid(switches)
            base = Routes(choice, dimension_order(switches), "phase" if kind == "none" else kind)
        else:
            discipline = _by_group(switches)
            base = Routes(choice, first_minimal(switches, _weight(switches, discipline)), discipline)
        if choice == "par" and switches.parts is None:
            raise ValueError(f"{switches.text}: no groups, which routing par needs; use ugal-l")
        return replace(base, choice=choice, via=_via(switches))

    return make


def _on_grid(switches: Switches) -> str:
    """Return the VC discipline of dimension order: datelines if there are rings."""
    return "dateline" if switches.closes is not None and switches.closes.any() else "none"


def _by_group(switches: Switches) -> str:
    """Return the VC discipline of minimal routing: by group if groups are cliques or have two sides."""
    group = switches.parts
    if group is None:
        return "hop"
    end = switches.neighbor
    inside = (end >= 0) & (group[end] == group[:, None])
    crossing = (end >= 0) & ~inside
    members = np.bincount(group)[group]
    clique = bool((inside.sum(axis=1) == members - 1).all())
    # A way within a group is a hop, or goes to a switch with links to other groups, or comes from one.
    pairs = switches.hops[group[:, None] == group[None, :]]
    two_sides = bool(pairs.max() <= 2) and bool((crossing.any(axis=1) | (inside.sum(axis=1) < members)).all())
    joined = np.zeros((group.max() + 1, group.max() + 1), bool)
    here, port = np.nonzero(crossing)
    joined[group[here], group[end[here, port]]] = True
    np.fill_diagonal(joined, True)
    return "group" if joined.all() and (clique or two_sides) else "hop"


def _weight(switches: Switches, discipline: str) -> NDArray[np.int64] | None:
    """Return link weights for which a way of least weight has the fewest links between groups."""
    if discipline != "group":
        return None
    return 1 + 100 * steps(switches, "group")[0].astype(np.int64)


def _via(switches: Switches) -> NDArray[np.int32]:
    """Return the intermediate switches: the closest one of each group, or all with nodes."""
    if switches.parts is None:
        return switches.with_nodes[None, :].astype(np.int32)
    groups = int(switches.parts.max()) + 1
    far = costs(switches, _weight(switches, _by_group(switches)))
    vias = np.empty((switches.count, groups), np.int32)
    for group in range(groups):
        members = np.flatnonzero(switches.parts == group)
        vias[:, group] = members[far[:, members].argmin(axis=1)]
    return vias


_ROUTINGS = {
    "minimal": Routing(
        _minimal, "one shortest route for each pair of switches; with the fewest links between groups"
    ),
    "given": Routing(_given, "the routes that a network gives: a butterfly, or a platform of SimGrid"),
    "dor": Routing(
        lambda switches: Routes("dor", dimension_order(switches), _on_grid(switches)),
        "dimension order on grids of switches and HyperX, with datelines on rings",
    ),
    "up-down": Routing(
        lambda switches: Routes("up-down", up_down(switches), "none"),
        "up*/down* on any network; one VC is enough",
    ),
    "d-mod-k": Routing(
        d_mod_k, "on trees with levels, upward by the number of the destination; one VC is enough"
    ),
    "ecmp": Routing(_ecmp, "a shortest route by a hash of source, destination and switch"),
    "adaptive": Routing(
        _adaptive, "the least occupied port on a shortest route; on trees with up*/down* on VC 0 as escape"
    ),
    "valiant": Routing(
        _with_detours("valiant"), "through a random intermediate switch or group for each packet"
    ),
    "ugal-l": Routing(
        _with_detours("ugal-l"), "minimal or through an intermediate, by the occupancy of the first links"
    ),
    "ugal-g": Routing(
        _with_detours("ugal-g"),
        "minimal or through an intermediate, by the occupancy of all links of the route",
    ),
    "par": Routing(_with_detours("par"), "ugal-l that repeats its choice in the source group"),
}

ROUTINGS: Registry[Routing] = Registry(
    "routing", "netplace.routings", Routing, _ROUTINGS, lambda make, name, text: Routing(make, text)
)


# Switches of a grid, or root of the ports in a tree's table; beyond, routes are computed.
MOST_IN_TABLES = 1 << 12
_NO_TABLE = np.zeros((0, 0, 1), np.int16)
_UP_ANY_PORT = {"d-mod-k": "destination", "adaptive": "least", "ecmp": "flow"}


def make_routes(
    topology: Topology, name: str = "", discipline: str = "", in_tables: bool = False
) -> tuple[Switches, Routes]:
    """Return the switches of a network, and the routing of the given name on them.

    Parameters
    ----------
    name : str
        A key of `ROUTINGS`, optionally with a threshold, as in ``"ugal-l:4"``. Empty means the default
        routing of the network.
    discipline : str
        A key of `netplace.topologies.routing.routes.DISCIPLINES`; empty means the routing's own discipline.
    in_tables : bool
        Whether to make tables of any size, even if routes could be computed for each packet.
    """
    switches = Switches.of(topology)
    if switches.compute_nodes:
        planes = range(1 if switches.planes_alike else switches.planes)
        routes = [_made(topology, switches.plane(plane), name, discipline) for plane in planes]
        return switches, with_compute_nodes(switches, routes)
    computed = None if in_tables else _computed(topology, switches, name or default_on(topology), discipline)
    return switches, computed or _made(topology, switches, name, discipline)


def _computed(topology: Topology, switches: Switches, name: str, discipline: str) -> Routes | None:
    """Return a routing that is computed for each packet, if its table would be large; otherwise None."""
    if name == "dor" and isinstance(topology, Grid) and not topology.twist:
        usual = _on_grid(switches)
        if switches.count > MOST_IN_TABLES and discipline in ("", usual):
            return Routes("dor", _NO_TABLE, usual, grid=topology)
    after_faults = isinstance(topology, Graph) and topology.cut is not None  # packets start at any switch
    if not switches.is_tree or name not in _UP_ANY_PORT or discipline not in ("", "none") or after_faults:
        return None
    tree = regular_tree(switches, parent_by_parent=name == "d-mod-k")
    if tree is None or switches.count**2 * tree.ports.shape[1] <= MOST_IN_TABLES**2:
        return None
    stride = strides(switches, _NO_TABLE) if name == "d-mod-k" else None
    return Routes(name, _NO_TABLE, "none", spread=_UP_ANY_PORT[name], stride=stride, tree=tree)


def _made(topology: Topology, switches: Switches, name: str, discipline: str) -> Routes:
    name = name or default_on(topology)
    word, colon, option = name.partition(":")
    routes = ROUTINGS.find(name)[0].make(switches)
    if not isinstance(routes, Routes):
        raise ValueError(f"routing {name}: the function gives a {type(routes).__name__}, expected Routes")
    if colon:
        if routes.choice not in ("ugal-l", "ugal-g", "par"):
            raise ValueError(f"routing {name}: {word} does not take a threshold")
        routes = replace(routes, name=name, threshold=check_int(option, f"routing {name}: threshold", 0))
    if discipline:
        check_choice(discipline, DISCIPLINES, "VC discipline")
        routes = replace(routes, discipline=discipline, escape=None)
    return routes


def default_on(topology: Topology) -> str:
    """Return the name of the default table routing of a network."""
    if isinstance(topology, Graph):
        return topology.default_routing
    return "dor" if isinstance(topology, Grid) else "d-mod-k"
