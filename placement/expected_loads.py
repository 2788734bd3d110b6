"""Expected bytes on each link if every minimal route is equally likely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.placement.rule import Nodes
from netplace.topologies import Grid, Topology

Floats = NDArray[np.float64]
_AT_ONCE = 64  # sources whose loads are computed together


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
    if isinstance(topology, Grid) and topology.wraps and not topology.twist:
        return _torus_loads(topology, chosen[source], chosen[target], size)
    total = np.zeros(len(topology.links()))
    for task in np.unique(source):
        own = source == task
        demand = np.zeros(topology.routers)
        np.add.at(demand, chosen[target[own]], size[own])
        for router, port, load in _loads_from(topology, int(chosen[task]), demand):
            total[topology.link_number[router, port]] += load
    return total


def _torus_loads(torus: Grid, source: Nodes, target: Nodes, size: Floats) -> Floats:
    """Return the load of each link, with all sources moved to node 0: a torus looks alike from each node."""
    places, sides, ports = torus.coordinates(np.arange(torus.nodes)), torus.sizes, 2 * torus.dims
    away = torus.node((places[target] - places[source]) % sides)
    total = np.zeros(torus.neighbor.size)
    senders, number = np.unique(source, return_inverse=True)
    for first in range(0, len(senders), _AT_ONCE):
        some = senders[first : first + _AT_ONCE]
        own = (number >= first) & (number < first + _AT_ONCE)
        demand = np.zeros((torus.nodes, len(some)))
        np.add.at(demand, (away[own], number[own] - first), size[own])
        back = torus.node((places[:, None] + places[some]) % sides) * ports
        for router, port, load in _loads_from(torus, 0, demand):
            total += np.bincount((back[router] + port[:, None]).ravel(), load.ravel(), total.size)
    return total[torus.neighbor.ravel() >= 0]


def _loads_from(topology: Topology, start: int, demand: Floats) -> Iterator[tuple[Nodes, Nodes, Floats]]:
    """Yield routers, ports and the loads of their links when router `start` sends `demand` to each router.

    `demand`, shape (routers, ...), and the loads, shape (links, ...), are in bytes.
    """
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
    share = (demand.T / np.maximum(routes, 1)).T
    for router, port, end in reversed(steps):
        load = share[end]
        np.add.at(share, router, load)
        yield router, port, (load.T * routes[router]).T


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
