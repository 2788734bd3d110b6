"""D-mod-K: on trees, the number of the destination determines the way up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.routes import Routes, table
from netplace.topologies.routing.switches import Switches
from netplace.topologies.routing.up_down import all_up_down

__all__ = ["d_mod_k"]


def d_mod_k(switches: Switches) -> Routes:
    """Return the routing that goes up by port ⌊destination node / parents below⌋ mod ports up.

    E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
    collectives", J. Parallel Distrib. Comput. 72 (2012) 1423-1432; the fat-tree routing of InfiniBand's
    subnet manager is based on it. "Parents below" is the product of the numbers of parents of a switch at
    each level below. Ports count parent by parent, and then by parallel cable. On the way down, the same rule
    selects among parallel cables.
    """
    if not switches.is_tree:
        raise ValueError(f"{switches.text}: no tree of levels, which routing d-mod-k needs; use up-down")
    ports = _parent_by_parent(switches, all_up_down(switches))
    return Routes("d-mod-k", ports, "none", spread="destination", stride=_strides(switches))


def _parent_by_parent(switches: Switches, ports: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return a table with the first cable to each switch before the second cable to any."""
    count, wide = switches.neighbor.shape
    order = np.argsort(switches.neighbor, axis=1, kind="stable")
    ends = np.take_along_axis(switches.neighbor, order, axis=1)
    place = np.arange(wide)
    begins = np.where(np.diff(ends, axis=1, prepend=-2) != 0, place, 0)
    parallel = np.empty((count, wide), np.int64)  # of the cables to the same switch, which it is
    np.put_along_axis(parallel, order, place - np.maximum.accumulate(begins, axis=1), axis=1)
    key = parallel[np.arange(count)[:, None, None], ports] * wide + ports
    key[ports < 0] = wide * wide
    return table(np.take_along_axis(ports, np.argsort(key, axis=2), axis=2))


def _strides(switches: Switches) -> NDArray[np.int64]:
    """Return the product of the numbers of parents at the levels below each switch."""
    assert switches.places is not None
    level = switches.places[:, 0] - switches.places[:, 0].min()
    parents = np.ones(int(level.max()) + 1, np.int64)
    for switch, row in enumerate(switches.neighbor):
        above = np.unique(row[(row >= 0) & (level[row] > level[switch])])
        parents[level[switch]] = max(parents[level[switch]], len(above))
    return np.asarray(np.cumprod(np.concatenate(([1], parents)))[level])
