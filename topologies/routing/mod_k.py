"""D-mod-K: on trees the way up is by the destination's number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.routes import Routes
from netplace.topologies.routing.switches import Switches
from netplace.topologies.routing.up_down import all_up_down

__all__ = ["d_mod_k"]


def d_mod_k(switches: Switches) -> Routes:
    """Return the routing in which a packet goes up by port ⌊destination node / ports up below⌋ mod ports up.

    E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
    collectives", J. Parallel Distrib. Comput. 72 (2012) 1423-1432; the fat-tree routing of InfiniBand's
    subnet manager follows it. "Ports up below" is the product of the ports up at the levels below a
    switch. Going down, where there are several links to the next switch, they are taken by the same rule.

    Raises
    ------
    ValueError
        If the network is no tree of levels.
    """
    if not switches.is_tree:
        raise ValueError(f"{switches.text}: no tree of levels, which routing d-mod-k needs; use up-down")
    return Routes("d-mod-k", all_up_down(switches), "none", spread="destination", stride=_strides(switches))


def _strides(switches: Switches) -> NDArray[np.int64]:
    """Return the product of the ports up at the levels below each switch."""
    assert switches.places is not None
    level = switches.places[:, 0] - switches.places[:, 0].min()
    upward = (switches.neighbor >= 0) & (level[switches.neighbor] > level[:, None])
    ports_up = np.zeros(int(level.max()) + 1, np.int64)
    np.maximum.at(ports_up, level, upward.sum(axis=1))
    return np.asarray(np.cumprod(np.concatenate(([1], np.maximum(1, ports_up))))[level])
