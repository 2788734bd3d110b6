"""Faults at a cycle in the kernel's arrays: packets on dying links, packets that have nowhere to go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.general import General
from netplace.netsim.kernel import graph_state as g
from netplace.netsim.kernel import state as k

__all__ = ["Outage"]


class Outage:
    """What a fault does to the packets of a kernel of the general router, between two cycles.

    Parameters
    ----------
    states : sequence of GraphState
        The kernel's arrays, of each domain.
    owner_of : ndarray of int8, shape (routers,)
        Domain of each router.
    u : GraphSetting
        The kernel's constants.
    table : General
        The routing on what remains.
    dead : ndarray of bool, shape (routers,)
        Routers that are down or cut off.
    down : ndarray of bool, shape (routers, ports)
        Links that go down with this fault.
    again : bool
        Whether packets on these links are sent again.

    Attributes
    ----------
    lost, again : int
        Packets lost, and packets that will be sent again.
    keys : set of int
        Keys of the packets lost.
    """

    def __init__(
        self,
        states: Sequence[Any],
        owner_of: NDArray[np.int8],
        u: Any,
        table: General,
        dead: NDArray[np.bool_],
        down: NDArray[np.bool_],
        again: bool,
    ) -> None:
        self._states, self._owner_of = states, owner_of
        self._s, self._u, self._table = states[0], u, table
        self._dead: list[bool] = dead.tolist()
        self._repeats = again
        self.lost = self.again = 0
        self.keys = set[int]()
        self._first = self._s.row.reshape(-1, u.row)[:, g.FIRST]
        self._restored: list[int] = []
        heads = set(self._heads())
        self._crossing = self._granted()
        self._cut_links(down)
        self._lose_what_has_no_way()
        self._begin_anew(heads)

    # --- what there is ------------------------------------------------------------------------------

    def _count(self, f: int) -> int:
        count: int = int(self._s.fifo[f]) >> g.COUNT & g.FIELD
        return count

    def _router(self, f: int) -> int:
        return int(self._s.owner[f])

    def _domain(self, router: int) -> Any:
        """Return the arrays of a router's domain."""
        return self._states[int(self._owner_of[router])]

    def _slot(self, f: int, at: int) -> int:
        """Return the number of the slot of packet `at` of a FIFO."""
        s, u, router = self._s, self._u, self._router(f)
        row = s.row[router * u.row : (router + 1) * u.row]
        i = f - int(row[g.FIRST])
        behind = max(0, i - int(row[g.INPUTS]))
        depth = u.queue + (u.buffer if i >= row[g.INPUTS] else 0)
        place = ((int(s.fifo[f]) & g.FIELD) + at) % depth
        return int(row[g.PLACE]) + int(i * u.queue + place + behind * u.buffer)

    def _word(self, f: int, at: int, word: int) -> int:
        return int(self._s.slot[self._slot(f, at) * g.SLOT_WORDS + word])

    def _members(self, sets: NDArray[Any]) -> list[int]:
        """Return the numbers of FIFOs, or outputs, that a set for every router holds."""
        members = []
        for place in np.flatnonzero(sets):
            router, word = divmod(int(place), self._u.wide)
            bits = int(sets[place]) & (1 << 64) - 1
            while bits:
                low = bits & -bits
                members.append(int(self._first[router]) + 64 * word + low.bit_length() - 1)
                bits ^= low
        return members

    def _heads(self) -> list[int]:
        """Return the FIFOs whose head waits for an output, or for consumption, or has just come."""
        s, u = self._s, self._u
        exposed = [domain.exposed[: domain.clock[k.EXPOSED]] for domain in self._states]
        just = np.concatenate(exposed).astype(np.int64)
        came = self._first[just >> u.name_bits] + (just & (1 << u.name_bits) - 1)
        return [*self._members(s.waiting), *self._members(s.homing), *came.tolist()]

    def _granted(self) -> dict[int, int]:
        """Return the output by which the head of each FIFO is crossing; withdraw the other grants."""
        s = self._s
        held = set(self._members(s.held))
        granted = {}
        for output in np.flatnonzero(s.downstream & g.TAKEN).tolist():
            f = int(self._first[self._router(output)]) + int(s.turn[output]) - 1
            if output in held:
                s.downstream[output] -= g.TAKEN
            else:
                granted[f] = output
        self._withdrawn = [
            int(self._first[self._router(output)]) + int(s.turn[output]) - 1 for output in held
        ]
        s.held[:] = 0
        return granted

    # --- packets ------------------------------------------------------------------------------------

    def _nowhere(self, destination: int, router: int) -> bool:
        return self._dead[router] or self._dead[destination] or not self._table.leads(router, destination)

    def _link(self, output: int) -> tuple[int, int]:
        router = self._router(output)
        return router, int(self._s.port_of[output - int(self._first[router])])

    def _header(self, f: int) -> tuple[int, int]:
        """Return the FIFO, and the place in it, where the header of the crossing head of `f` is.

        The place is -1 if a router on the way no longer holds the packet: behind slow links.
        """
        at = 0
        while at == 0 and f in self._crossing:
            f = int(self._s.beyond[self._crossing[f]])
            at = self._count(f) - 1
        return f, at

    def _before(self, f: int) -> int:
        """Return the FIFO that the only packet of `f` is still leaving; -1: none."""
        feeder = int(self._s.feeder[f])
        if self._count(f) != 1 or feeder < 0 or not self._s.downstream[feeder] & g.TAKEN:
            return -1
        before = int(self._first[self._router(feeder)]) + int(self._s.turn[feeder]) - 1
        return before if self._crossing.get(before) == feeder else -1

    def _lose(self, f: int, at: int) -> None:
        self.lost += 1
        self.keys.add(self._word(f, at, k.LABEL) >> 2)
        self._s.slot[self._slot(f, at) * g.SLOT_WORDS + k.ROUTE] = g.NOBODY

    def _give_up(self, f: int, at: int) -> None:
        """Let a packet be one of nobody: it is thrown away, and not counted."""
        slot = self._slot(f, at) * g.SLOT_WORDS
        self._s.slot[[slot + k.ROUTE, slot + k.LABEL]] = g.NOBODY

    def _cut_links(self, down: NDArray[np.bool_]) -> None:
        """Lose, or send again, what is crossing a link that goes down; of several, the first link counts."""
        for f, output in [(f, output) for f, output in self._crossing.items() if down[self._link(output)]]:
            before, first = self._before(f), True
            while before >= 0 and first:
                first = not down[self._link(self._crossing[before])]
                before = self._before(before)
            header = self._header(f)
            if not first or header[1] < 0 or self._word(*header, k.ROUTE) == g.NOBODY:
                continue
            if self._repeats and not self._nowhere(self._word(f, 0, k.ROUTE), self._router(f)):
                self._give_up(*header)
                self.again += 1
                self._restore(f, output)
            else:
                self._lose(*header)
        for f in self._restored:
            del self._crossing[f]

    def _restore(self, f: int, output: int) -> None:
        """Let the head of a FIFO wait there as if it had not begun to cross."""
        s, u = self._s, self._u
        self._restored.append(f)
        own = self._domain(self._router(f))
        chains = [self._chain(own, place) for place in range(u.tail_ring)]
        at = next(place for place, chain in enumerate(chains) if f in chain)
        chain = [other for other in chains[at] if other != f]
        own.tail_at[at] = chain[0] if chain else -1
        for fifo, after in zip(chain, [*chain, -1][1:], strict=True):
            s.tail_next[fifo] = after
        own.tally[g.LEAVING] -= 1
        if u.fabric and (u.crossbar or u.classes > 1):
            s.leaving[self._entry(f)] -= 1
        s.downstream[output] -= g.TAKEN
        router, port = self._link(output)
        s.busy[router * u.ports + port] = 0
        if u.exact:
            s.left[f] = g.LONG_AGO

    def _entry(self, f: int) -> int:
        """Return the place of a FIFO's input port, or of its injector, in `leaving`."""
        s, u, router = self._s, self._u, self._router(f)
        i, inputs = f - int(self._first[router]), int(s.row[router * u.row + g.INPUTS])
        return int(
            router * (u.ports + u.injectors) + (int(s.port_of[i]) if i < inputs else u.ports + i - inputs)
        )

    def _chain(self, domain: Any, place: int) -> list[int]:
        """Return the FIFOs whose head's tail leaves in the cycle of a place in a domain's ring."""
        chain, f = [], int(domain.tail_at[place])
        while f >= 0:
            chain.append(f)
            f = int(self._s.tail_next[f])
        return chain

    def _lose_what_has_no_way(self) -> None:
        """Lose packets in dead routers and to nodes to which no way leads, wherever their header is."""
        counts = self._s.fifo >> g.COUNT & g.FIELD
        for f in np.flatnonzero(counts).tolist():
            for at in range(int(f in self._crossing), int(counts[f])):
                destination = self._word(f, at, k.ROUTE)
                if destination >= 0 and self._nowhere(destination, self._router(f)):
                    self._lose(f, at)

    def _begin_anew(self, heads: set[int]) -> None:
        """Let every packet choose its way anew from where it is, and every router look at all its heads."""
        s, u = self._s, self._u
        s.slot.reshape(-1, g.SLOT_WORDS)[:, g.TRIP] = 0
        for sets in (s.want, s.wanted, s.several, s.waiting, s.homing):
            sets[:] = 0
        waiting = sorted({*heads, *self._withdrawn, *self._restored})
        for domain in self._states:
            domain.clock[k.EXPOSED] = 0
        for f in waiting:
            router = self._router(f)
            own = self._domain(router)
            own.exposed[own.clock[k.EXPOSED]] = router << u.name_bits | f - int(self._first[router])
            own.clock[k.EXPOSED] += 1
        s.ready[:] = 0
        output = np.flatnonzero((s.beyond >= 0) & (s.downstream < u.queue))
        router_of = s.owner[output].astype(np.int64)
        number = output - self._first[router_of]
        bits = np.left_shift(np.uint64(1), (number & 63).astype(np.uint64))
        np.bitwise_or.at(s.ready.view(np.uint64), router_of * u.wide + (number >> 6), bits)
        for router in range(len(s.row) // u.row):
            self._look_at(router)

    def _look_at(self, router: int) -> None:
        s, u = self._domain(router), self._u
        side = 1 - int(s.clock[k.SIDE])
        word = router >> 6
        for sets, place, bit in (
            (s.dirty, side * u.words + word, router & 63),
            (s.dirty_top, side * u.tops + (word >> 6), word & 63),
        ):
            sets.view(np.uint64)[place] |= np.uint64(1 << bit)
        s.clock[k.DIRTY + side] = 1
