"""Which heads wait in the kernel's arrays, and for whom: what the sentence of a deadlock tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.netsim.kernel import graph_state as g
from netplace.netsim.kernel import state as k

__all__ = ["blocked_on_graph", "blocked_on_grid"]

BlockedFifo = tuple[int, int, int, list[tuple[int, int]]]


def blocked_on_grid(s: k.State, u: k.Setting) -> list[BlockedFifo]:
    """Return (router, input, packets, FIFOs downstream it could ask for) of every waiting head.

    Parameters
    ----------
    s, u
        The kernel's arrays and settings of a grid or a tree.
    """
    heads = []
    rows, counts = s.row.reshape(-1, u.row), s.counts.reshape(-1, u.row_counts)
    names = s.name.reshape(-1, u.row_names)
    homing = s.homing & ~(1 << k.TAKEN) if u.single else 0
    for router in np.flatnonzero(rows[:, k.WAIT] | homing):
        for i in range(k.MOST_INPUTS):
            at_home = u.single and s.homing[router] >> i & 1
            if not (at_home or rows[router, k.WAIT] >> i & 1):
                continue
            wants = []
            for output in [] if at_home else _outputs_wanted(s, u, int(router), i):
                port, vc = divmod(output, u.vcs)
                name = int(names[router, u.link + port]) + vc
                wants.append((name >> k.NAME_BITS, name & k.INPUT))
            packets = min(int(counts[router, u.fifo + i]) >> u.bits & u.field, u.queue)
            heads.append((int(router), i, packets, wants))
    return heads


def _outputs_wanted(s: k.State, u: k.Setting, router: int, i: int) -> list[int]:
    """Return the outputs that the waiting head of an input could ask for."""
    want = s.row[router * u.row + u.want :][: u.ports]
    ports = [port for port in range(u.ports) if want[port] >> i & 1]
    if u.dims == 0:
        if u.policy == k.TREE_ADAPTIVE and 0 in ports:
            links = s.name[router * u.row_names + u.link :]
            ports = [port for port in range(int(s.up[1])) if links[port]]
        return [port * u.vcs + vc for port in ports for vc in range(u.vcs)]
    if u.policy == k.OBLIVIOUS:
        own = int(s.counts[router * u.row_counts + u.fifo + i]) >> 2 * u.bits & k.OUTPUT
        return [own] if own == i else list(range(own, own + u.vcs))
    adaptive = [port * u.vcs + vc for port in ports for vc in range(1, u.vcs)]
    return sorted([ports[0] * u.vcs, *adaptive])


def blocked_on_graph(s: Any, u: Any) -> list[BlockedFifo]:
    """Return the same of a network of any wiring."""
    heads = []
    for router, row in enumerate(s.row.reshape(-1, u.row)):
        first = int(row[g.FIRST])
        words = range(router * u.wide, (router + 1) * u.wide)
        waiting = sum((int(s.waiting[w]) & (1 << 64) - 1) << 64 * n for n, w in enumerate(words))
        homing = sum((int(s.homing[w]) & (1 << 64) - 1) << 64 * n for n, w in enumerate(words))
        for i in range(int(row[g.INPUTS]) + u.injectors):
            if not (waiting | homing) >> i & 1:
                continue
            wants = []
            for output in range(int(row[g.INPUTS])):
                if not (waiting >> i & s.may[(first + i) * u.wide + (output >> 6)] >> (output & 63) & 1):
                    continue
                fifo = int(s.beyond[first + output])
                there = int(s.owner[fifo])
                wants.append((there, fifo - int(s.row[there * u.row + g.FIRST])))
            packets = min(int(s.fifo[first + i]) >> g.COUNT & g.FIELD, u.queue)
            heads.append((router, i, packets, wants))
    return heads
