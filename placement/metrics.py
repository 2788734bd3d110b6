"""How far a partition is spread, and what a mapping makes of it: numbers that foretell run time, or do not.

Sources: J. A. Pascual, J. A. Lozano and J. Miguel-Alonso, "Application-aware metrics for partition selection
in cube-shaped topologies", tech. report EHU-KAT-IK-05-12, University of the Basque Country (2012), for the
names and the set; J. Mache and V. Lo, "Dispersal metrics for non-contiguous processor allocation", tech.
report CIS-TR-96-13, University of Oregon (1996), for NA, LA, AD, DFC and Diam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.placement.mapping.cost import asymmetry
from netplace.placement.rule import Nodes, grid_of
from netplace.topologies import Grid, Topology

__all__ = ["Metrics", "average_pairwise_distance", "link_loads", "metrics"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Metrics:
    """Metrics of a partition, and of an application mapped onto it.

    With P the n nodes, d(a, b) their distance in hops, AL(a, b) the asymmetry level, which is the sum over
    pairs of dimensions of ``|d_x - d_y|``, and W[i, j] the bytes from task i on node p(i) to task j on p(j):

    Attributes
    ----------
    NA : int
        Nodes affected: nodes of the network on a minimal route between two nodes of P, these included.
    LA : int
        Links affected: directed links on a minimal route between two nodes of P.
    AD : float
        Average distance: mean of d(a, b) over the n (n - 1) ordered pairs of P; 0 for a single node.
    DFC : float
        Distance from the centre: mean over P of ``sum over dimensions of |x - c|``. The centre c is, in each
        dimension, the place that minimises the sum of squared distances; on a mesh, the mean. It need
        not be a node.
    Diam : int
        Diameter: largest d(a, b).
    TAD : float or None
        Mean of d(p(i), p(j)) over the ordered pairs of tasks with W[i, j] > 0. None without traffic.
    WTAD : float or None
        The same mean, weighted by bytes: ``sum W[i, j] d(p(i), p(j)) / sum W[i, j]``.
    TAD_AL, WTAD_AL : float or None
        The same two with ``d + AL`` in place of d, which is the cost of the TD criterion.
    """

    NA: int
    LA: int
    AD: float
    DFC: float
    Diam: int
    TAD: float | None = None
    WTAD: float | None = None
    TAD_AL: float | None = None
    WTAD_AL: float | None = None


def metrics(
    topology: Topology, nodes: ArrayLike, W: Any = None, *, mapping: ArrayLike | None = None
) -> Metrics:
    """Return the metrics of a partition, and of an application on it.

    Parameters
    ----------
    topology : Topology
        A mesh or torus; on tori distances go round the ring where that is shorter.
    nodes : array_like of int
        Nodes of the partition.
    W : array_like or sparse array, shape (tasks, tasks), optional
        Traffic in bytes; its diagonal does not count. Without it the last four metrics are None, with it and
        no traffic they are 0.
    mapping : array_like of int, shape (tasks,), optional
        Node of each task; by default the nodes in their order.

    Raises
    ------
    ValueError
        If the network is no grid, nodes are none, repeated or not in it, or the traffic is of another size.
    """
    grid = grid_of(topology, "partition metrics")
    chosen = _distinct(grid, nodes)
    distance = grid.distances(chosen).astype(np.int64)
    affected, links = _affected(grid, chosen)
    found: dict[str, Any] = {
        "NA": affected,
        "LA": links,
        "AD": _average(distance),
        "DFC": _from_centre(grid, chosen),
        "Diam": int(distance.max()),
    }
    if W is not None:
        placed = chosen if mapping is None else _distinct(grid, mapping)
        source, target, size = _entries(W, len(placed))
        hops = grid.distance(placed[source], placed[target])
        level = hops + asymmetry(grid, placed)[source, target]
        for name, values in (("TAD", hops), ("TAD_AL", level)):
            found[name] = float(values.mean()) if len(values) else 0.0
            found[f"W{name}"] = float(values @ size / size.sum()) if len(values) else 0.0
    return Metrics(**found)


def average_pairwise_distance(topology: Topology, nodes: ArrayLike) -> float:
    """Return the mean distance over ordered pairs of different `nodes`, in hops; 0 for one node.

    Raises
    ------
    ValueError
        If nodes are none, repeated or not in the network.
    """
    return _average(topology.distances(_distinct(topology, nodes)).astype(np.int64))


def link_loads(topology: Topology, nodes: ArrayLike, W: Any) -> Floats:
    """Return the bytes expected on each directed link if every minimal route is equally likely.

    The load that source s puts on the link from u to w is the sum over t of
    ``W[s, t] * m(s, u) * m(w, t) / m(s, t)``, where m counts minimal routes and t runs over the destinations
    for which the link is on one. The sums are taken backwards over the minimal routes from s, as in
    U. Brandes, "A faster algorithm for betweenness centrality", J. Mathematical Sociology 25 (2001).

    The largest load, divided by the bytes that a link carries in a cycle, is the bound that contention sets
    on run time as long as routes are used evenly.

    Parameters
    ----------
    topology : Topology
        Any network.
    nodes : array_like of int, shape (n,)
        Node of each task.
    W : array_like or sparse array, shape (n, n)
        Traffic in bytes; its diagonal does not count.

    Returns
    -------
    ndarray of float64, shape (links,)
        In the order of `Topology.links`.

    Raises
    ------
    ValueError
        If nodes are none, repeated or not in the network, or the traffic is of another size.
    """
    chosen = _distinct(topology, nodes)
    source, target, size = _entries(W, len(chosen))
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(len(chosen) + 1))
    total = np.zeros(len(topology.links()))
    for task in range(len(chosen)):
        own = order[starts[task] : starts[task + 1]]
        if len(own):
            demand = np.zeros(topology.routers)
            demand[chosen[target[own]]] = size[own]
            for links, load in _loads_from(topology, int(chosen[task]), demand):
                total[links] += load
    return total


def _loads_from(topology: Topology, start: int, demand: Floats) -> Iterator[tuple[NDArray[np.int32], Floats]]:
    """Yield links and the loads on them when router `start` sends `demand` bytes to each router."""
    routes = np.zeros(topology.routers)
    routes[start] = 1
    steps, front = [], np.array([start])
    unreached = np.ones(topology.routers, bool)
    unreached[start] = False
    while len(front):
        router, port = np.nonzero(topology.neighbor[front] >= 0)
        router = front[router]
        end = topology.neighbor[router, port]
        onward = unreached[end]
        router, port, end = router[onward], port[onward], end[onward]
        np.add.at(routes, end, routes[router])
        unreached[end] = False
        steps.append((router, end, topology.link_number[router, port]))
        front = np.unique(end)
    share = demand / np.maximum(routes, 1)
    for router, end, links in reversed(steps):
        np.add.at(share, router, share[end])
        yield links, share[end] * routes[router]


def _affected(grid: Grid, nodes: Nodes) -> tuple[int, int]:
    """Return how many nodes and directed links lie on minimal routes between `nodes`: those under load."""
    loads = link_loads(grid, nodes, np.ones((len(nodes), len(nodes))))
    links = grid.links()[loads > 0]
    return len(np.union1d(nodes, links[:, [0, 2]])), len(links)


def _from_centre(grid: Grid, nodes: Nodes) -> float:
    """Return the mean distance of `nodes` from their centre."""
    places = grid.coordinates(nodes)
    return sum(_spread(places[:, d], size if grid.wraps else 0) for d, size in enumerate(grid.sizes))


def _spread(places: NDArray[np.int64], ring: int) -> float:
    """Return the mean distance of places on a line, or on a ring of so many, from their centre.

    A ring is cut open before each of the places in turn; the centre belongs to the cut that gives the
    least sum of squares.
    """
    if not ring:
        return float(np.abs(places - places.mean()).mean())
    opened = (places[None, :] - np.unique(places)[:, None]) % ring
    gaps = np.abs(opened - opened.mean(axis=1, keepdims=True))
    gaps = np.minimum(gaps, ring - gaps)
    return float(gaps[(gaps**2).sum(axis=1).argmin()].mean())


def _average(distance: NDArray[np.int64]) -> float:
    pairs = len(distance) * (len(distance) - 1)
    return float(distance.sum() / pairs) if pairs else 0.0


def _distinct(topology: Topology, nodes: ArrayLike) -> Nodes:
    """Return `nodes` if they are different nodes of the network."""
    chosen = topology.check_nodes(nodes)
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(f"nodes: {chosen.tolist()} is not a list of nodes, expected at least one")
    values, counts = np.unique(chosen, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"nodes: node {values[counts > 1][0]} is given twice")
    return chosen


def _entries(W: Any, tasks: int) -> tuple[Nodes, Nodes, Floats]:
    """Return source, target and bytes of all traffic between different tasks."""
    from scipy import sparse

    flows = sparse.coo_array(W) if sparse.issparse(W) else sparse.coo_array(np.asarray(W))
    if flows.shape != (tasks, tasks):
        raise ValueError(f"traffic W: shape {flows.shape} does not fit the {tasks} nodes of the tasks")
    if len(flows.data) and not flows.data.min() >= 0:
        raise ValueError(f"traffic W: {flows.data.min()} is not a number of bytes of at least 0")
    source, target = flows.coords
    counts = (source != target) & (flows.data > 0)
    return source[counts].astype(np.int64), target[counts].astype(np.int64), flows.data[counts].astype(float)
