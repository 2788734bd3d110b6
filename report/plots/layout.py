"""The places of routers and links of a network in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.topologies import Graph, Grid, Topology, Tree

# Where the links of each port of a grid go in its picture, and how far aside, so that each direction of a
# link is drawn on its right; those along Z, between two slices, are diagonal stubs,
# those of further dimensions at other angles.
_FORWARD = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])
_ASIDE = np.array([(0, -1), (0, 1), (1, 0), (-1, 0)]) * 0.07
_AXES = "ZUVWABCDEFGHIJKLMNOPQRST"
_MOST_SLICES = 64


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A part of a network, laid out."""

    # Of its axes.
    title: str = ""
    xlabel: str
    rows: tuple[str, ...] = ()  # names of its rows at heights 0, 1, ..; empty: numbers
    # shape (routers,): its routers and where they stand.
    drawn: NDArray[np.int64]
    place: NDArray[np.float64]
    # shape (links,): its links, and the ends of the line that stands for each.
    router: NDArray[np.int64]
    port: NDArray[np.int64]
    lines: NDArray[np.float64]
    # Width of lines and size of routers, in points.
    width: float
    marker: float
    equal: bool = True  # whether both directions have one scale


def panels(topology: Topology) -> list[Panel]:
    if isinstance(topology, Tree):
        return [_rows(topology, topology.stage_of(np.arange(topology.routers)) + 1)]
    if isinstance(topology, Graph):
        return [_levels(topology) or _circle(topology)]
    if isinstance(topology, Grid):
        slices = math.prod(topology.sizes[2:])
        if slices <= _MOST_SLICES:
            return [_slice(topology, number, slices) for number in range(slices)]
    return []


def _directions(dims: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the link of each port goes, and how far aside it is drawn, shape (ports, 2)."""
    forward, aside = list(_FORWARD), list(_ASIDE)
    for turn in np.pi * (np.arange(dims - 2) + 0.5) / (2 * max(1, dims - 2)):
        way = np.array([np.cos(turn), np.sin(turn)])
        forward += [0.85 * way, -0.85 * way]
        aside += [0.07 * way[::-1] * (1, -1), -0.07 * way[::-1] * (1, -1)]
    return np.array(forward), np.array(aside)


def _slice(grid: Grid, number: int, slices: int) -> Panel:
    where = np.zeros((grid.nodes, max(2, grid.dims)))
    where[:, : grid.dims] = grid.coordinates(np.arange(grid.nodes))
    here = [int(place) for place in np.unravel_index(number, grid.sizes[2:])] if grid.dims > 2 else []
    among = (where[:, 2:] == here).all(axis=1)
    drawn = np.flatnonzero(among)
    router, port = np.nonzero(grid.neighbor >= 0)
    inside = among[router]
    router, port = router[inside], port[inside]
    directions, aside = _directions(grid.dims)
    forward, start = directions[port], where[router, :2] + aside[port]
    reached = where[router, :2] + np.round(forward) == where[grid.neighbor[router, port], :2]
    stub = ~reached.all(axis=1) | (port >= 4)  # what wraps around, or leads to another slice
    start = start + forward * 0.1
    lines = np.stack([start, start + forward * np.where(stub, 0.4, 0.8)[:, None]], axis=1)
    tall = grid.sizes[1] if grid.dims > 1 else 1
    aspect = min(4.0, max(0.5, grid.sizes[0] / tall))
    inches = (5.0 if slices == 1 else 3.2) / max(1.0, aspect / 2) * aspect
    width = min(8.0, max(0.5, 5.6 * inches / grid.sizes[0]))
    return Panel(
        title=", ".join(f"{_AXES[dim]} = {place}" for dim, place in enumerate(here)),
        xlabel="X (each direction of a link is on its right)"
        if slices == 1
        else f"X (diagonal: along {', '.join(_AXES[: grid.dims - 2])})",
        drawn=drawn,
        place=where[drawn, :2],
        router=router,
        port=port,
        lines=lines,
        width=width,
        marker=1.8 * width,
    )


def _rows(
    topology: Topology, row: NDArray[np.int64], across: NDArray[np.float64] | None = None, name: str = "stage"
) -> Panel:
    """Return routers in rows, nodes at the bottom; each row is spread evenly unless `across` says where."""
    nodes = topology.nodes
    place = np.zeros((topology.routers, 2))
    place[:, 1] = row
    for level in range(int(row.max()) + 1):
        members = np.flatnonzero(row == level)
        place[members, 0] = (np.arange(len(members)) + 0.5) * nodes / max(1, len(members))
    if across is not None:
        place[:, 0] = across
    router, port = np.nonzero(topology.neighbor >= 0)
    end = topology.neighbor[router, port]
    up = np.where(row[end] > row[router], 1, -1)
    aside = np.stack([0.003 * nodes * up, np.zeros(len(up))], axis=1)
    lines = np.stack([place[router] + aside, place[end] + aside], axis=1)
    wide = min(14.0, max(6.0, nodes * 0.1))
    return Panel(
        xlabel="each upward link is on the right of its downward link",
        rows=("nodes", *(f"{name} {number}" for number in range(int(row.max())))),
        drawn=np.arange(topology.routers),
        place=place,
        router=router,
        port=port,
        lines=lines,
        width=max(0.4, min(2.0, 120 / nodes)),
        marker=max(1.5, min(7.0, 45 * wide / nodes)),
        equal=False,
    )


def _levels(network: Graph) -> Panel | None:
    """Return a fat tree, or a tree of any shape, by level; None: the network is neither."""
    import networkx as nx

    if not network.first_switch or network.group is not None or network.axis is not None:
        return None
    if network.default_routing == "d-mod-k" and network.places is not None:
        level = network.places[:, 0] - network.places[:, 0].min() + 1
        return _rows(network, np.concatenate((np.zeros(network.nodes, np.int64), level)))
    first = network.first_switch
    neighbor = np.where(network.neighbor[first:] >= first, network.neighbor[first:] - first, -1)
    here, port = np.nonzero(neighbor >= 0)
    tree = nx.empty_graph(network.switches)
    tree.add_edges_from(zip(here.tolist(), neighbor[here, port].tolist(), strict=True))
    if tree.number_of_edges() != network.switches - 1:
        return None
    far = network.switch_hops.max(axis=1)
    bare = np.bincount(network.home - first, minlength=network.switches) == 0
    root = int(np.lexsort((-(neighbor >= 0).sum(axis=1), ~bare, far))[0])
    depth = network.switch_hops[root].astype(np.int64)
    order = np.full(network.switches, -1)
    place = list(nx.dfs_preorder_nodes(tree, root, sort_neighbors=sorted))
    order[place] = np.arange(len(place))
    across = np.zeros(network.routers)
    seat = np.argsort(order[network.home - first], kind="stable")
    across[seat] = np.arange(network.nodes) + 0.5
    for switch in np.argsort(-depth, kind="stable").tolist():  # in the middle of what hangs below
        below = network.neighbor[first + switch]
        below = below[below >= 0]
        below = below[(below < first) | (depth[np.maximum(below - first, 0)] > depth[switch])]
        across[first + switch] = across[below].mean() if below.size else 0.0
    level = np.concatenate((np.zeros(network.nodes, np.int64), depth.max() - depth + 1))
    return _rows(network, level, across, "level")


def _circle(network: Graph) -> Panel:
    """Return the switches on a circle, group by group, and the nodes outside of their switches."""
    switches, first = network.switches, network.first_switch
    group = np.zeros(switches, np.int64) if network.group is None else network.group
    order = np.argsort(group, kind="stable")
    step = np.ones(switches)
    step[1:] += np.diff(group[order]) > 0  # a gap between groups
    angle = np.empty(switches)
    angle[order] = 2 * np.pi * (np.cumsum(step) - 1) / (step.sum() + 1)
    place = np.zeros((network.routers, 2))
    place[first:] = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    if first:
        at = network.home - first
        size = np.bincount(at, minlength=switches)
        rank = np.arange(network.nodes) - (np.cumsum(size) - size)[at]
        fan = 2 * np.pi / (step.sum() + 1) * ((rank + 0.5) / size[at] - 0.5)
        place[:first] = 1.12 * np.stack((np.cos(angle[at] + fan), np.sin(angle[at] + fan)), axis=1)
    router, port = np.nonzero(network.neighbor >= 0)
    start, end = place[router], place[network.neighbor[router, port]]
    along = end - start
    length = np.maximum(1e-9, np.linalg.norm(along, axis=1, keepdims=True))
    aside = 0.006 * np.stack((along[:, 1], -along[:, 0]), axis=1) / length
    return Panel(
        xlabel="each direction of a link is on its right"
        + ("" if network.group is None else "; nodes of a group are adjacent"),
        rows=("",),
        drawn=np.arange(network.routers),
        place=place,
        router=router,
        port=port,
        lines=np.stack([start + aside, end + aside], axis=1),
        width=max(0.3, min(2.0, 150 / switches)),
        marker=max(1.5, min(7.0, 400 / network.routers)),
    )
