"""Expected bytes on each link if every minimal route is equally likely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.placement.rule import Nodes
from netplace.topologies import Grid, Topology

Floats = NDArray[np.float64]
_AT_ONCE = 192  # sources on a grid whose loads are computed together


def link_loads(topology: Topology, nodes: ArrayLike, W: Any) -> Floats:
    """Return the expected bytes on each of `Topology.links` if all minimal routes are equally likely.

    The load of source s on the link from u to w is the sum over t of ``W[s, t] * m(s, u) * m(w, t) / m(s,
    t)``, where m counts minimal routes and t runs over the destinations with a minimal route over the link.
    The sums are computed backward along the minimal routes from s, as in U. Brandes, "A faster algorithm for
    betweenness centrality", J. Mathematical Sociology 25 (2001).

    If routes are used evenly, the largest load, divided by the bytes that a link carries per cycle, is a
    lower bound on the run time.

    `nodes`, shape (n,), contains the node of each task, and `W`, shape (n, n), the traffic in bytes; the
    diagonal does not count.
    """
    chosen = distinct(topology, nodes)
    source, target, size = flows(W, len(chosen))
    if isinstance(topology, Grid) and not topology.twist and len(source):
        return _grid_loads(topology, chosen[source], chosen[target], size)
    total = np.zeros(len(topology.links()))
    for task in np.unique(source):
        own = source == task
        demand = np.bincount(chosen[target[own]], size[own], topology.routers).astype(float)
        for router, port, load in _loads_from(topology, int(chosen[task]), demand):
            total[topology.link_number[router, port]] += load
    return total


def _grid_loads(grid: Grid, source: Nodes, target: Nodes, size: Floats) -> Floats:
    """Return the load of each link of a mesh or torus, whose minimal routes are lattice paths."""
    places, offsets = grid.coordinates(np.arange(grid.nodes)).T, list[Nodes]()
    ways = np.zeros(len(source), np.int64)
    for d, side in enumerate(grid.sizes):
        offset = places[d][target] - places[d][source]
        if grid.wraps:
            offset = (offset + (side - 1) // 2) % side - (side - 1) // 2
            half = np.flatnonzero(2 * offset == side)  # round the ring both ways, half of the bytes each
            size[half] /= 2
            offset = np.concatenate([offset, -offset[half]])
            source, target, size, ways, *offsets = (
                np.concatenate([row, row[half]]) for row in (source, target, size, ways, *offsets)
            )
        ways += (offset < 0) << d
        offsets.append(np.abs(offset))
    routes = np.zeros([side.max() + 1 for side in offsets] + [1])
    routes.flat[0] = 1
    _add_along_paths(routes)
    total, strides = np.zeros(grid.neighbor.size), np.cumprod([grid.ports, *grid.sizes])
    senders, number = np.unique(source, return_inverse=True)
    batch = ways * len(senders) + number // _AT_ONCE
    order = np.argsort(batch, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(batch[order])) + 1):
        first = number[own[0]] // _AT_ONCE * _AT_ONCE
        some = senders[first : first + _AT_ONCE]
        reach = [offset[own].max() + 1 for offset in offsets]
        share, ways_to = np.zeros((*reach, len(some))), routes[tuple(map(slice, reach))]
        np.add.at(share, (*(offset[own] for offset in offsets), number[own] - first), size[own])
        share /= ways_to
        _add_along_paths(np.flip(share, tuple(range(grid.dims))))
        backward, port = ways[own[0]] >> np.arange(grid.dims) & 1, np.zeros(len(some), np.int64)
        for d, length in enumerate(reach):
            along = places[d][some] + (1 - 2 * backward[d]) * np.arange(length)[:, None]
            port = port[..., None, :] + along % grid.sizes[d] * strides[d]
        for d in range(grid.dims):
            here, there = ((*[np.s_[:]] * d, part) for part in (np.s_[:-1], np.s_[1:]))
            link, load = port[here] + 2 * d + backward[d], share[there] * ways_to[here]
            total += np.bincount(link.ravel(), load.ravel(), total.size)
    return total[grid.neighbor.ravel() >= 0]


def _add_along_paths(values: Floats) -> None:
    """Add to each value, in place, those before it, once for each lattice path in all axes but the last."""
    for place in np.ndindex(values.shape[:-2]):
        line = values[place]
        for d, at in enumerate(place):
            if at:
                line += values[(*place[:d], at - 1, *place[d + 1 :])]
        np.add.accumulate(line, out=line)


def _loads_from(topology: Topology, start: int, demand: Floats) -> Iterator[tuple[Nodes, Nodes, Floats]]:
    """Yield routers, ports and the bytes on their links when router `start` sends `demand` to each router."""
    routes = np.zeros(topology.routers)
    routes[start] = 1
    steps, front, wanted = [], np.array([start]), np.nonzero(demand)[0]
    unreached = np.ones(topology.routers, bool)
    unreached[start] = False
    while len(front) and unreached[wanted].any():
        router, port = np.nonzero(topology.neighbor[front] >= 0)
        router = front[router]
        end = topology.neighbor[router, port]
        onward = unreached[end]
        router, port, end = router[onward], port[onward], end[onward]
        np.add.at(routes, end, routes[router])
        unreached[end] = False
        steps.append((router, port, end))
        front = np.flatnonzero(np.bincount(end))
    share = demand / np.maximum(routes, 1)
    for router, port, end in reversed(steps):
        load = share[end]
        np.add.at(share, router, load)
        yield router, port, load * routes[router]


def distinct(topology: Topology, nodes: ArrayLike) -> Nodes:
    """Return `nodes` if they are different nodes of the network."""
    chosen = topology.check_nodes(nodes)
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(f"nodes: {chosen.tolist()} is not a list of nodes, expected at least one")
    values, counts = np.unique(chosen, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"nodes: node {values[counts > 1][0]} appears twice")
    return chosen


def flows(W: Any, tasks: int) -> tuple[Nodes, Nodes, Floats]:
    from scipy import sparse

    entries = sparse.coo_array(W) if sparse.issparse(W) else sparse.coo_array(np.asarray(W))
    if entries.shape != (tasks, tasks):
        raise ValueError(f"traffic W: shape {entries.shape} does not fit the {tasks} nodes of the tasks")
    if len(entries.data) and not entries.data.min() >= 0:
        raise ValueError(f"traffic W: {entries.data.min()} is invalid, expected bytes of at least 0")
    source, target = entries.coords
    counts = (source != target) & (entries.data > 0)
    return (
        source[counts].astype(np.int64),
        target[counts].astype(np.int64),
        entries.data[counts].astype(float),
    )
