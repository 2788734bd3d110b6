"""Links that packets of a job can use, and the expected packets on them.

Jobs without a common possible link do not disturb each other.

Every rule of routing keeps to minimal routes, so a packet between two nodes of a grid stays in a box that
they span, and moves towards its destination; if both directions around a ring are minimal, both count. In a
tree it goes up to the level of the nodes' common ancestor by any switch of its subtrees, and down by any of
the other's. A *link* is here what jobs may share: a directed link of a grid; in a tree all links between a
stage and the next in a subtree, one way. With routing in tables, it is a directed link between switches to
which the table can lead. On a twisted torus, and if packets can go through a random switch, any pair can use
any link.

The expected packets of a pair are spread evenly over the links that it can use at each step: over the width
of its box, over all links of a stage in a subtree, or over the ports of a table.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import Config
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.topologies import Grid, Topology, Tree
from netplace.topologies.routing import Routes, Switches

_ONE = 1 << 20  # a packet, in whole numbers whose sums are exact


def in_grid(
    grid: Grid, sources: NDArray[np.int64], targets: NDArray[np.int64], packets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Spread packets over the links of each pair's boxes, all pairs at once, by sums over their corners."""
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
    boxes = np.prod([np.add(*pair, dtype=float) for pair in zip(ways, back, strict=True)], axis=0)
    for forward in itertools.product((True, False), repeat=dims):
        chosen = np.ones(len(sources), bool)
        for d in range(dims):
            chosen &= ways[d] if forward[d] else back[d]
        if not chosen.any():
            continue
        hops = np.abs(np.where(forward, gap, (gap - sizes) if grid.wraps else gap))[chosen]
        low = np.where(forward, begin[chosen], end[chosen])
        share = (packets / boxes)[chosen]
        for d in range(dims):
            # A link is named by the node it leaves: all of the box but the last in its own direction.
            length = hops + 1
            length[:, d] -= 1
            first = low.copy()
            if not forward[d]:
                first[:, d] = (first[:, d] + 1) % sizes[d]
            some = length[:, d] > 0
            width = np.prod(np.delete(length[some], d, axis=1), axis=1)
            amount = np.maximum(1, np.rint(_ONE * share[some] / width)).astype(np.int64)
            _add_boxes(marks[2 * d + (not forward[d])], first[some], length[some], sizes, amount)
    for d in range(dims):
        marks = np.cumsum(marks, axis=d + 1)
    inner = tuple(slice(0, size) for size in grid.sizes)
    return np.asarray(marks[(slice(None), *inner)] / _ONE).ravel()


def _add_boxes(
    corners: NDArray[np.int64],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    sizes: NDArray[np.int64],
    amount: NDArray[np.int64],
) -> None:
    """Add amounts in boxes, each cut where it goes round a ring, to an array to be summed along all axes."""
    last = first + length
    parts = [
        ((first[:, d], np.minimum(last[:, d], sizes[d])), (np.zeros_like(last[:, d]), last[:, d] - sizes[d]))
        for d in range(len(sizes))
    ]
    for part in itertools.product((0, 1), repeat=len(sizes)):
        pieces = [parts[d][which] for d, which in enumerate(part)]
        there = np.logical_and.reduce([high > low for low, high in pieces])
        if not there.any():
            continue
        for corner in itertools.product((0, 1), repeat=len(sizes)):
            place = tuple(pieces[d][which][there] for d, which in enumerate(corner))
            np.add.at(corners, place, (-1) ** sum(corner) * amount[there])


_LEAST = 1 / (1 << 20)  # of a packet: on a port that is possible, whatever is expected there


def in_tables(
    switches: Switches,
    routes: Routes,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the expected packets on each port of each switch, in equal parts on all allowed ports.

    It is over 0 exactly on possible ports, including those of escape channels.
    """
    amounts = np.zeros(switches.neighbor.shape)
    begin, end = switches.home[sources], switches.home[targets]
    for target in np.unique(end):
        there = end == target
        _mark(amounts, switches, routes, np.unique(begin[there]), target)
        flow = np.bincount(begin[there], packets[there], switches.count).astype(float)
        _spread(amounts, switches, routes, flow, target)
    return amounts.ravel()


def _mark(
    amounts: NDArray[np.float64], switches: Switches, routes: Routes, fresh: NDArray[np.int64], target: int
) -> None:
    """Give the least amount to every port that a packet from one of the switches `fresh` may ever take."""
    seen = np.zeros(switches.count, bool)
    while len(fresh):
        seen[fresh] = True
        ports = routes.ports[fresh, target]
        if routes.escape is not None:
            ports = np.column_stack([ports, routes.escape[fresh, target]])
        place, column = np.nonzero((ports >= 0) & (fresh != target)[:, None])
        at, out = fresh[place], ports[place, column]
        amounts[at, out] = np.maximum(amounts[at, out], _LEAST)
        beyond = np.unique(switches.neighbor[at, out])
        fresh = beyond[~seen[beyond]]


def _spread(
    amounts: NDArray[np.float64], switches: Switches, routes: Routes, flow: NDArray[np.float64], target: int
) -> None:
    """Add what flows to `target` from each switch, step by step, to the ports that it takes."""
    for _ in range(switches.count):
        flow[target] = 0
        at = np.flatnonzero(flow)
        usable = routes.ports[at, target] >= 0
        place, column = np.nonzero(usable)
        if not len(place):
            return
        at, part = at[place], (flow[at] / np.maximum(1, usable.sum(axis=1)))[place]
        out = routes.ports[at, target, column]
        np.add.at(amounts, (at, out), part)
        flow = np.bincount(switches.neighbor[at, out], part, switches.count).astype(float)


Amounts = NDArray[np.float64]


def possible_links(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    config: Config | None = None,
) -> NDArray[np.bool_]:
    """Return the links that packets from `sources` to `targets`, pair by pair, can use, shape (links,).

    Their order depends only on the machine and its routing.
    """
    return expected_packets(machine, sources, targets, np.ones(len(sources)), config) > 0


def expected_packets(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
    config: Config | None = None,
) -> Amounts:
    """Return the expected number of the `packets` of each pair on each possible link, shape (links,).

    Parallel links (`link_widths`) count as one; the number is over 0 exactly on possible links.
    """
    settings = config or Config()
    if uses_table_router(machine, settings):
        switches, routes, _ = verdict_on(machine, settings.routing, settings.vc_discipline)
        if routes.detours:
            return _anywhere(machine, sources, targets, packets)
        return in_tables(switches, routes, sources, targets, packets)
    if isinstance(machine, Tree):
        return _in_tree(machine, sources, targets, packets)
    if isinstance(machine, Grid) and not machine.twist:
        return in_grid(machine, sources, targets, packets)
    return _anywhere(machine, sources, targets, packets)


def link_widths(machine: Topology, config: Config | None = None) -> NDArray[np.float64]:
    """Return the number of links of each entry of `expected_packets`, of shape (links,) or (1,)."""
    settings = config or Config()
    if uses_table_router(machine, settings):
        switches, routes, _ = verdict_on(machine, settings.routing, settings.vc_discipline)
        return np.ones(1) if not routes.detours else np.array([float((switches.neighbor >= 0).sum())])
    if isinstance(machine, Tree):
        counts = [
            np.full(machine.nodes // machine.down ** (stage + 1), float(machine.up ** (stage + 1)))
            for stage in range(machine.stages - 1)
        ]
        return np.concatenate([np.ones(0), *counts, *counts])
    if isinstance(machine, Grid) and not machine.twist:
        return np.ones(1)
    return np.array([float((machine.neighbor >= 0).sum())])


def _anywhere(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
) -> Amounts:
    """Spread packets over all links alike."""
    return np.array([float((packets * np.maximum(1, machine.distance(sources, targets))).sum())])


def _in_tree(
    tree: Tree, sources: NDArray[np.int64], targets: NDArray[np.int64], packets: NDArray[np.float64]
) -> Amounts:
    """Count packets by bundles (way, stage, subtree) between each node and the common ancestor."""
    level = np.asarray(tree.level(sources, targets))
    amounts = []
    for ends in (sources, targets):
        for stage in range(tree.stages - 1):
            crossed = level > stage + 1
            below = tree.down ** (stage + 1)
            amounts.append(np.bincount(ends[crossed] // below, packets[crossed], tree.nodes // below))
    return np.concatenate([np.zeros(0), *amounts])
