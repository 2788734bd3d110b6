"""Up*/down* routing: on any network free of deadlock with a single virtual channel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.routes import table
from netplace.topologies.routing.switches import Switches

__all__ = ["up_down"]


def up_down(switches: Switches) -> NDArray[np.int16]:
    """Return a table in which no packet goes up after it has gone down.

    M. D. Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point
    links", IEEE J. Sel. Areas Commun. 9 (1991) 1318-1335. Up is towards the root, which on a tree is the top
    and elsewhere the switch nearest to all others; of two equally far from it towards the one of lower
    number. To a switch that can be reached by going down alone a packet goes down, by a shortest such way;
    else up, where the whole way is shortest. Of equal ports it is number destination mod how many.

    Raises
    ------
    ValueError
        If the table would not fit into memory.
    """
    rank = _rank(switches)
    count = switches.count
    hops = switches.hops.astype(np.int32)
    far = np.int32(1 << 28)
    ends = switches.neighbor
    wired = ends >= 0
    upward = wired & (rank[ends] < rank[:, None])
    downward = wired & (rank[ends] > rank[:, None])
    below = np.full((count, count), far, np.int32)  # hops of the shortest way down
    np.fill_diagonal(below, 0)
    order = np.argsort(rank)
    for switch in order[::-1]:  # the lowest first: what is below it is known
        under = ends[switch, downward[switch]]
        if under.size:
            below[switch] = np.minimum(below[switch], below[under].min(axis=0) + 1)
    whole = below.copy()
    for switch in order:  # the highest first
        over = ends[switch, upward[switch]]
        if over.size:
            whole[switch] = np.where(below[switch] < far, below[switch], whole[over].min(axis=0) + 1)
    found = np.full((count, count), -1, np.int16)
    target = np.arange(count)
    for switch in range(count):
        ports = np.flatnonzero(wired[switch])
        if not ports.size:
            continue
        goes_down = below[switch] < far
        after = ends[switch, ports]
        length = np.where(
            downward[switch, ports][:, None],
            np.where(goes_down, below[after], far),
            np.where(goes_down, far, whole[after]),
        )
        good = length == length.min(axis=0)
        pick = target % good.sum(axis=0)
        chosen = (np.cumsum(good, axis=0) == pick + 1) & good
        found[switch] = ports[chosen.argmax(axis=0)]
        found[switch, (hops[switch] < 0) | (length.min(axis=0) >= far)] = -1
        found[switch, switch] = -1
    return table(found)


def _rank(switches: Switches) -> NDArray[np.int64]:
    """Return the place of each switch, no two alike: up is towards a lower one."""
    number = np.arange(switches.count)
    if switches.places is not None and switches.axis is None and switches.group is None:
        level = -switches.places[:, 0]  # a tree: its top is up
    else:
        hops = switches.hops.astype(np.int64)
        reach = np.where(hops < 0, switches.count, hops)
        root = int(np.lexsort((number, reach.sum(axis=1), reach.max(axis=1)))[0])
        level = reach[root]
    rank = np.empty(switches.count, np.int64)
    rank[np.lexsort((number, level))] = number
    return rank
