"""Bounds of the bisection of networks that have no formula for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.shortest import adjacency

__all__ = ["best_cut", "least_cut"]

_ROUNDS = 50
_DENSE = 1500  # switches up to which the eigenvector is computed

Links = Any  # scipy.sparse.csr_array


def best_cut(
    neighbor: NDArray[np.integer[Any]],
    home: NDArray[np.int64],
    first_switch: int,
    places: NDArray[np.int64] | None = None,
) -> int:
    """Return the fewest links, in one direction, found between two halves of the nodes.

    Halves are tried by node number, by each coordinate of the switches, and by the second eigenvector of the
    Laplacian (M. Fiedler, "Algebraic connectivity of graphs", Czechoslovak Math. J. 23 (1973) 298-305). Each
    is improved by exchanging the pair of nodes that gains most, and moving switches to the side where they
    cost less, until nothing gains (after B. W. Kernighan and S. Lin, Bell System Tech. J. 49 (1970) 291-307).

    Parameters
    ----------
    neighbor : ndarray of int, shape (routers, ports)
        Router behind each port; negative: none.
    home : ndarray of int64, shape (nodes,)
        Router at which each node, which is router 0, 1, .., hangs.
    first_switch : int
        First of the routers that are switches.
    places : ndarray of int64, shape (switches, n), optional
        Coordinates of the switches.
    """
    links = adjacency(neighbor)
    orders = _orders(links, first_switch)
    if places is not None:
        orders += list(places.T.astype(np.float64))
    return min(_improved(links, _halves(links, order, home, first_switch), len(home)) for order in orders)


def least_cut(neighbor: NDArray[np.integer[Any]], nodes: int) -> int:
    """Return how many links, in one direction, every cut between two halves of the nodes has at least.

    With x = 1 on one side and -1 on the other, a cut has a quarter of x' L x links, L being the Laplacian.
    Where routers without a node are let take any value, that is at least the second least eigenvalue of the
    Schur complement of L on the nodes, times a quarter of the number of nodes (after M. Fiedler, Czechoslovak
    Math. J. 23 (1973) 298-305); with an odd number of nodes halves differ by one.

    Parameters
    ----------
    neighbor : ndarray of int, shape (routers, ports)
        Router behind each port; negative: none.
    nodes : int
        How many of the routers, the first ones, are nodes.
    """
    import scipy.sparse.csgraph

    if nodes < 2:
        return 0
    check_memory("bisection", 3 * 8 * neighbor.shape[0] ** 2, "its lower bound")
    links = adjacency(neighbor).astype(np.float64)
    _, part = scipy.sparse.csgraph.connected_components(links, directed=False)
    reached = np.isin(part, part[:nodes])  # switches that no cable joins to a node hold nothing together
    laplacian = scipy.sparse.csgraph.laplacian(links).toarray()[np.ix_(reached, reached)]
    among, rest = laplacian[:nodes, :nodes], laplacian[nodes:, nodes:]
    if len(rest):
        between = laplacian[:nodes, nodes:]
        among = among - between @ np.linalg.solve(rest, between.T)
    spread = nodes - (nodes % 2) / nodes
    return max(0, int(np.ceil(np.linalg.eigvalsh(among)[1] * spread / 4 - 1e-6)))


def _orders(links: Links, first_switch: int) -> list[NDArray[np.float64]]:
    """Return values by which switches are sorted before they are halved."""
    import scipy.sparse.csgraph
    import scipy.sparse.linalg

    between = links[first_switch:, first_switch:].astype(np.float64)
    switches = between.shape[0]
    orders = [np.arange(switches, dtype=np.float64)]
    if 2 < switches <= _DENSE:
        laplacian = scipy.sparse.csgraph.laplacian(between).toarray()
        orders.append(np.linalg.eigh(laplacian)[1][:, 1])
    return orders


def _halves(
    links: Links, order: NDArray[np.float64], home: NDArray[np.int64], first_switch: int
) -> NDArray[np.bool_]:
    """Return which routers are on the first side: half of the nodes, switches where most of theirs are."""
    nodes = len(home)
    side = np.zeros(links.shape[0], np.bool_)
    value = order[home - first_switch]
    first = np.argsort(value, kind="stable")[: nodes // 2]
    side[first_switch:] = order < np.median(value)
    side[first] = True
    if first_switch:
        votes = np.bincount(home, np.where(side[:nodes], 1.0, -1.0), minlength=links.shape[0])
        side = np.where(votes == 0, side, votes > 0)
        side[:nodes] = False
        side[first] = True
    else:
        side[:nodes] = False
        side[first] = True
    return _settled(links, side, nodes)


def _settled(links: Links, side: NDArray[np.bool_], nodes: int) -> NDArray[np.bool_]:
    """Return the sides after switches have gone one by one where they cost less, the dearest first."""
    side = side.copy()
    for _ in range(links.shape[0] - nodes):
        pull = (links @ np.where(side, 1.0, -1.0))[nodes:]
        loss = np.where(side[nodes:], -pull, pull)
        if loss.max() <= 0:
            break
        side[nodes + loss.argmax()] ^= True
    return side


def _cut(links: Links, side: NDArray[np.bool_]) -> int:
    return round(float(side.astype(np.float64) @ (links @ (~side).astype(np.float64))))


def _improved(links: Links, side: NDArray[np.bool_], nodes: int) -> int:
    """Return the cut after exchanges of nodes that gain."""
    best = _cut(links, side)
    for _ in range(_ROUNDS):
        gain = links @ np.where(side, -1.0, 1.0) * np.where(side, 1.0, -1.0)
        here, there = np.flatnonzero(side[:nodes]), np.flatnonzero(~side[:nodes])
        if not here.size:
            break
        changed = side.copy()
        changed[[here[gain[here].argmax()], there[gain[there].argmax()]]] ^= True
        changed = _settled(links, changed, nodes)
        if _cut(links, changed) >= best:
            break
        side, best = changed, _cut(links, changed)
    return best
