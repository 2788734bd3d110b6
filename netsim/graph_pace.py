"""Links of the kernel that change their speed between two cycles ("Faults" in docs/background/model.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.graph_times import header_times, link_times, ring_setting, under_way
from netplace.netsim.kernel import graph_state as g
from netplace.topologies import Topology

__all__ = ["paced", "with_longer_rings"]

Int = NDArray[np.int64]


def with_longer_rings(u: Any, topology: Topology, config: Config, cycles: Int, delay: Int) -> Any:
    """Return the kernel's constants with rings of events as long as links of another speed need.

    Parameters
    ----------
    u : GraphSetting
        Constants before.
    topology, config
        The network as it was at first, and its settings.
    cycles, delay : ndarray of int64, shape (routers, ports)
        Cycles a phit, and delay, of every link.
    """
    wired = topology.neighbor >= 0
    need = ring_setting(cycles[wired], delay[wired], config)
    return u._replace(**{name: max(length, getattr(u, name)) for name, length in need.items()})


def paced(u: Any, s: Any, topology: Topology, config: Config, speed: tuple[Int, Int], now: int) -> Any:
    """Return a domain's arrays for links of another speed; what is under way goes on.

    Parameters
    ----------
    u : GraphSetting
        Constants from now on.
    s : GraphState
        Arrays before.
    topology, config
        The network as it was at first, and its settings.
    speed : tuple of ndarray of int64, shape (routers, ports)
        Cycles a phit, and delay, of every link.
    now : int
        The next cycle; events of cycles up to it have been dealt with.
    """
    cycles, delay = speed
    wired = topology.neighbor >= 0
    row = s.row.reshape(-1, u.row)
    first = np.append(row[:, g.FIRST], len(s.fifo))
    more = under_way(cycles[wired], delay[wired], config)
    spare, entries = s.tally.copy(), len(s.head_next)
    spare[g.SPARE] = entries
    after = s._replace(
        lasts=link_times(cycles, config),
        far=header_times(topology, config, delay, first),
        tail_at=_longer(s.tail_at, u.tail_ring, now),
        head_at=_longer(s.head_at, u.head_ring, now),
        head_next=np.concatenate((s.head_next, np.arange(1, more + 1) + entries)).astype(np.int32),
        head_fifo=np.concatenate((s.head_fifo, np.zeros(more, np.int32))),
        tally=spare,
    )
    after.head_next[-1] = s.tally[g.SPARE]
    return after


def _longer(ring: NDArray[np.int32], length: int, now: int) -> NDArray[np.int32]:
    """Return a ring of events of at least as many cycles."""
    longer = np.full(length, -1, np.int32)
    coming = np.arange(now, now + len(ring))
    longer[coming & (length - 1)] = ring[coming & (len(ring) - 1)]
    return longer
