"""Which processors are free from when to when, as far as reservations go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.experiments.local_backfilling.simulator.rules import PlaceRule
from netplace.experiments.local_backfilling.simulator.timeline_kernel import change, earliest, first_now
from netplace.experiments.local_backfilling.simulator.waiting import WaitingLine

__all__ = ["Set", "Timeline"]

Set = NDArray[np.uint64]  # shape (words,): processor p is bit p % 64 of word p // 64

_ROWS = 64


class Timeline:
    """Sets of free processors over time, and the searches of conservative backfilling in them.

    Parameters
    ----------
    platform : Platform
        The machine, all free for ever.
    rule : PlaceRule
        Which processors a job gets.
    now : float
        When it begins.
    """

    def __init__(self, platform: Platform, rule: PlaceRule, now: float) -> None:
        self.processors = platform.processors
        self.words = -(-platform.processors // 64)
        self._rule = rule
        self._blocks = np.array(platform.blocks, np.int64)
        self._times = np.zeros(_ROWS)
        self._free: NDArray[np.uint64] = np.zeros((_ROWS, self.words), np.uint64)
        self._work = np.empty_like(self._free)
        self._bounds = np.array([0, 1], np.int64)
        self._held: Set = np.zeros(self.words, np.uint64)
        self._times[0] = now
        self._free[0] = self.packed(np.arange(platform.processors))

    def packed(self, processors: NDArray[np.int64]) -> Set:
        """Return the set of `processors`."""
        flags = np.zeros(64 * self.words, np.uint8)
        flags[processors] = 1
        return np.packbits(flags, bitorder="little").view(np.uint64)

    def unpacked(self, held: Set) -> NDArray[np.int64]:
        """Return the processors of a set, in increasing order."""
        return np.flatnonzero(np.unpackbits(held.view(np.uint8), bitorder="little"))

    def hold(self, begin: float, end: float, held: Set) -> None:
        """Hold a set of processors, all free, from `begin` to `end`."""
        self._change(begin, end, held, False)

    def release(self, begin: float, end: float, held: Set) -> None:
        """Free a set of processors from `begin` to `end`."""
        self._change(begin, end, held, True)

    def earliest(self, size: int, wall: float, now: float) -> tuple[float, Set]:
        """Return the first start from `now` on at which the rule finds processors for a job, and these.

        Candidates are `now` and all later instants at which a reservation starts or ends.
        """
        self._forget(now)
        start = earliest(
            self._times, self._free, self._bounds, now, wall, self._rule.kind, self._rule.forced,
            self._blocks, size, self._work, self._held,
        )  # fmt: skip
        return float(start), self._held.copy()

    def first_now(self, line: WaitingLine, begin: int, now: float) -> tuple[int, Set]:
        """Return the place, from `begin` on, of the first job that can start now, or -1; and its set."""
        self._forget(now)
        place = first_now(
            self._times, self._free, self._bounds, now, self._rule.kind, self._rule.forced, self._blocks,
            line.slots, begin, line.sizes, line.walls, line.starts, line.sets, self._work, self._held,
        )  # fmt: skip
        return int(place), self._held.copy()

    def _change(self, begin: float, end: float, held: Set, release: bool) -> None:
        if begin >= end:
            return
        first, last = self._bounds.tolist()
        if last + 2 > len(self._times):
            self._make_room(first, last)
        change(self._times, self._free, self._bounds, begin, end, held, release)

    def _make_room(self, first: int, last: int) -> None:
        """Move the rows in use to the beginning of arrays twice as long as they need."""
        used = last - first
        rows = max(_ROWS, 2 * (used + 2))
        times, free = np.zeros(rows), np.zeros((rows, self.words), np.uint64)
        times[:used], free[:used] = self._times[first:last], self._free[first:last]
        self._times, self._free, self._work = times, free, np.empty_like(free)
        self._bounds[:] = 0, used

    def _forget(self, now: float) -> None:
        """Leave out the rows that end at or before `now`."""
        first, last = self._bounds.tolist()
        while first + 1 < last and self._times[first + 1] <= now:
            first += 1
        self._bounds[0] = first
