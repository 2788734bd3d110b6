"""Links that packets of a job may ever use: jobs that have none in common do not disturb each other.

Every rule of routing keeps to minimal routes, so a packet between two nodes of a grid stays in a box that
they span, and moves towards its destination; where two directions round a ring are minimal, both count. In
a tree it goes up to the level of the nodes' common ancestor by any switch of its subtrees, and down by any
of the other's. A *link* is here what jobs may share: a directed link of a grid; in a tree all links between
a stage and the next in a subtree, one way. Under a routing in tables it is a directed link between switches
to which the table may lead. On a twisted torus, and where packets may go by a switch drawn at random, any
pair may use any link.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import Config
from netplace.netsim.general import is_general, verdict_on
from netplace.topologies import Grid, Topology, Tree

__all__ = ["possible_links"]

Marks = NDArray[np.bool_]


def possible_links(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    config: Config | None = None,
) -> Marks:
    """Return which links packets from `sources` to `targets`, pair by pair, may use.

    Parameters
    ----------
    machine : Topology
        The network.
    sources, targets : ndarray of int64, shape (pairs,)
        Nodes of each pair that speaks.
    config : Config, optional
        Settings of the network, which may name a routing in tables.

    Returns
    -------
    ndarray of bool, shape (links,)
        Links in an order that depends on `machine` alone.
    """
    settings = config or Config()
    if is_general(machine, settings):
        return _in_tables(machine, settings, sources, targets)
    if isinstance(machine, Tree):
        return _in_tree(machine, sources, targets)
    if isinstance(machine, Grid) and not machine.twist:
        return _in_grid(machine, sources, targets)
    return np.full(1, bool(len(sources)))


def _in_tables(
    machine: Topology, config: Config, sources: NDArray[np.int64], targets: NDArray[np.int64]
) -> Marks:
    """Mark the links between switches to which the tables may lead, destination by destination."""
    switches, routes, _ = verdict_on(machine, config.routing, config.vc_discipline)
    if routes.detours:
        return np.full(1, bool(len(sources)))
    marks = np.zeros(switches.neighbor.shape, bool)
    begin, end = switches.home[sources], switches.home[targets]
    for target in np.unique(end):
        seen = np.zeros(switches.count, bool)
        fresh = np.unique(begin[end == target])
        while len(fresh):
            seen[fresh] = True
            ports = routes.ports[fresh, target]
            if routes.escape is not None:
                ports = np.column_stack([ports, routes.escape[fresh, target]])
            place, column = np.nonzero((ports >= 0) & (fresh != target)[:, None])
            out = ports[place, column]
            marks[fresh[place], out] = True
            beyond = np.unique(switches.neighbor[fresh[place], out])
            fresh = beyond[~seen[beyond]]
    return marks.ravel()


def _in_tree(tree: Tree, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Marks:
    """Mark the bundles (way, stage, subtree) that lie between each node and the common ancestor."""
    level = np.asarray(tree.level(sources, targets))
    marks = []
    for ends in (sources, targets):
        for stage in range(tree.stages - 1):
            crossed = ends[level > stage + 1] // tree.down ** (stage + 1)
            mark = np.zeros(tree.nodes // tree.down ** (stage + 1), bool)
            mark[crossed] = True
            marks.append(mark)
    return np.concatenate([np.zeros(0, bool), *marks])


def _in_grid(grid: Grid, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Marks:
    """Mark the links of each pair's boxes, all pairs at once, by sums over their corners."""
    sizes = np.array(grid.sizes)
    dims = len(sizes)
    begin, end = grid.coordinates(sources), grid.coordinates(targets)
    marks = np.zeros((2 * dims, *(size + 1 for size in grid.sizes)), np.int64)
    # Which way round each ring: forwards, backwards, or both.
    gap = (end - begin) % sizes if grid.wraps else end - begin
    ways = [(gap[:, d] >= 0) & ((2 * gap[:, d] <= sizes[d]) | (not grid.wraps)) for d in range(dims)]
    back = [
        (2 * gap[:, d] >= sizes[d]) & (gap[:, d] != 0) if grid.wraps else gap[:, d] < 0 for d in range(dims)
    ]
    for forward in itertools.product((True, False), repeat=dims):
        chosen = np.ones(len(sources), bool)
        for d in range(dims):
            chosen &= ways[d] if forward[d] else back[d]
        if not chosen.any():
            continue
        hops = np.abs(np.where(forward, gap, (gap - sizes) if grid.wraps else gap))[chosen]
        low = np.where(forward, begin[chosen], end[chosen])
        for d in range(dims):
            # A link is named by the node it leaves: all of the box but the last in its own direction.
            length = hops + 1
            length[:, d] -= 1
            first = low.copy()
            if not forward[d]:
                first[:, d] = (first[:, d] + 1) % sizes[d]
            some = length[:, d] > 0
            _add_boxes(marks[2 * d + (not forward[d])], first[some], length[some], sizes)
    for d in range(dims):
        marks = np.cumsum(marks, axis=d + 1)
    inner = tuple(slice(0, size) for size in grid.sizes)
    return np.asarray(marks[(slice(None), *inner)] > 0).ravel()


def _add_boxes(
    corners: NDArray[np.int64], first: NDArray[np.int64], length: NDArray[np.int64], sizes: NDArray[np.int64]
) -> None:
    """Add boxes, each cut where it goes round a ring, to an array whose sums along all axes count them."""
    last = first + length
    parts = [
        ((first[:, d], np.minimum(last[:, d], sizes[d])), (np.zeros_like(last[:, d]), last[:, d] - sizes[d]))
        for d in range(len(sizes))
    ]
    for part in itertools.product((0, 1), repeat=len(sizes)):
        pieces = [parts[d][which] for d, which in enumerate(part)]
        there = np.logical_and.reduce([high > low for low, high in pieces])
        for corner in itertools.product((0, 1), repeat=len(sizes)):
            place = tuple(pieces[d][which][there] for d, which in enumerate(corner))
            np.add.at(corners, place, (-1) ** sum(corner))
