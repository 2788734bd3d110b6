"""Minimal routing: every port that leads nearer, or one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.routing.routes import table
from netplace.topologies.routing.switches import Switches

__all__ = ["all_minimal", "costs", "first_minimal"]


def costs(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the least sum of weights of links from every switch to every other; a very large one for no way.

    Parameters
    ----------
    weight : ndarray of int64, shape (switches, ports), optional
        Of each link, at least 1. All 1 by default: hops.
    """
    import scipy.sparse

    if weight is None:
        return np.where(switches.hops < 0, 1 << 30, switches.hops.astype(np.int64))
    here, port = np.nonzero(switches.neighbor >= 0)
    pair = here * switches.count + switches.neighbor[here, port]
    order = np.lexsort((weight[here, port], pair))
    first = order[np.unique(pair[order], return_index=True)[1]]  # of parallel links the lightest
    shape = (switches.count, switches.count)
    links = scipy.sparse.csr_array(
        (weight[here, port][first].astype(np.float64), (here[first], switches.neighbor[here, port][first])),
        shape=shape,
    )
    found = scipy.sparse.csgraph.dijkstra(links)
    return np.where(np.isfinite(found), found, 1 << 30).astype(np.int64)


def all_minimal(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int16]:
    """Return, for every pair of switches, all ports of the first that lead nearer to the second.

    Parameters
    ----------
    weight : ndarray of int64, shape (switches, ports), optional
        What is to be least; hops by default.

    Raises
    ------
    ValueError
        If the table would not fit into memory.
    """
    count, ports = switches.count, switches.ports
    check_memory(switches.text, count**2 * (ports + 24), "its table of routes")
    cost = costs(switches, weight)
    nearer = np.zeros((count, count, ports), bool)
    for port in range(ports):
        end = switches.neighbor[:, port]
        own = np.ones(count, np.int64) if weight is None else weight[:, port]
        nearer[:, :, port] = (cost[end] == cost - own[:, None]) & (end >= 0)[:, None]
    most = int(nearer.sum(axis=2).max())
    found = np.full((count, count, max(1, most)), -1, np.int16)
    rank = np.cumsum(nearer, axis=2, dtype=np.int16) - 1
    here, there, which = np.nonzero(nearer)
    found[here, there, rank[here, there, which]] = which
    return table(found)


def first_minimal(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int16]:
    """Return, for every pair of switches, one port that leads nearer; which, is spread over destinations.

    Of n such ports, in order, it is number destination mod n.
    """
    every = all_minimal(switches, weight)
    count = np.maximum(1, (every >= 0).sum(axis=2))
    which = np.arange(switches.count)[None, :] % count
    return table(np.take_along_axis(every, which[:, :, None], axis=2))
