"""Bounds on the bisection of networks without a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.graph_arrays import adjacency
from netplace.topologies.limits import check_memory

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

    The search tries halves by node number, by each coordinate of the switches, and by the second eigenvector
    of the Laplacian (M. Fiedler, "Algebraic connectivity of graphs", Czechoslovak Math. J. 23 (1973)
    298-305). It improves each of them: it exchanges the pair of nodes with the largest gain, and moves
    switches to the side where they cost less, until there is no gain (after B. W. Kernighan and S. Lin, Bell
    System Tech. J. 49 (1970) 291-307). It also tries half of the nodes without any switch, which cuts as many
    links as these nodes have.

    `neighbor`, shape (routers, ports): router at the other end of each port; negative if there is none.
    `home`, shape (nodes,): router of each node; the nodes themselves are routers 0, 1, and so on.
    `places`, shape (switches, n): coordinates of the switches.
    """
    links = adjacency(neighbor)
    orders = _orders(links, first_switch)
    if places is not None:
        orders += list(places.T.astype(np.float64))
    found = [_improved(links, _halves(links, order, home, first_switch), len(home)) for order in orders]
    if first_switch:
        own = np.sort((neighbor[:first_switch] >= 0).sum(axis=1))
        found.append(int(own[: len(home) // 2].sum()))
    return min(found)


def least_cut(neighbor: NDArray[np.integer[Any]], home: NDArray[np.int64], first_switch: int) -> int:
    """Return a lower bound on the links, in one direction, between any two halves of the nodes.

    With x = 1 on one side and -1 on the other, a cut has a quarter of x' L x links, where L is the Laplacian.
    If routers without a node can take any value, this is at least the second smallest eigenvalue of the Schur
    complement of L on the others, times a quarter of their number (after M. Fiedler, Czechoslovak Math. J. 23
    (1973) 298-305); with an odd number of nodes, the halves differ by one.

    If each switch has the same number of nodes, the others are these switches. A cut through k links of nodes
    leaves the halves of the n switches unequal by at most 2 k / c, where c is the number of nodes per switch.
    It has k + (n - (2 k / c)^2 / n) / 4 times the eigenvalue, which is smallest at either end: at k = 0, or
    where all switches are on one side. **(ours)** The arrays are those of `best_cut`.
    """
    import scipy.sparse.csgraph

    nodes = len(home)
    if nodes < 2:
        return 0
    links = adjacency(neighbor).astype(np.float64)
    at = np.bincount(home, minlength=links.shape[0])
    alike = first_switch > 0 and len(np.unique(at[at > 0])) == 1
    kept = at > 0 if alike else np.arange(links.shape[0]) < nodes
    if alike:
        links = links[first_switch:, first_switch:]
        kept = kept[first_switch:]
    check_memory("bisection", 3 * 8 * links.shape[0] ** 2, "its lower bound")
    _, part = scipy.sparse.csgraph.connected_components(links, directed=False)
    reached = np.isin(part, part[kept])  # switches that no cable joins to the others hold nothing together
    order = np.concatenate((np.flatnonzero(kept), np.flatnonzero(reached & ~kept)))
    laplacian = scipy.sparse.csgraph.laplacian(links).toarray()[np.ix_(order, order)]
    count = int(kept.sum())
    among, rest = laplacian[:count, :count], laplacian[count:, count:]
    if len(rest):
        between = laplacian[:count, count:]
        among = among - between @ np.linalg.solve(rest, between.T)
    each = nodes / count
    spread = count - (nodes % 2) / each**2 / count
    least = np.linalg.eigvalsh(among)[1] * spread / 4 if count > 1 else np.inf
    return max(0, int(np.ceil(min(least, nodes // 2 if alike else np.inf) - 1e-6)))


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
    """Return which routers are on the first side: half of the nodes, and switches with most of theirs."""
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
    """Return the sides after moving switches one by one to where they cost less, the largest gain first."""
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
    """Return the cut after exchanges of nodes with a gain."""
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
