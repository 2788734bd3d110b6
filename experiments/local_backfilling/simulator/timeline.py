"""Free processors over time, as far as reservations reach."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.experiments.local_backfilling.simulator.rules import PlaceRule
from netplace.native import experiments as native

__all__ = ["Set", "Timeline", "WaitingLine"]


class WaitingLine:
    """Jobs in the order of their submission; a slot of the arrays each.

    `words`: words of a set of processors.

    Attributes
    ----------
    sizes, walls, starts, sets : ndarray
        By slot: processors, wall time, and the reservation's start and set.
    """

    def __init__(self, words: int) -> None:
        self.sizes = np.zeros(64, np.int64)
        self.walls, self.starts = np.zeros(64), np.full(64, math.inf)
        self.sets: NDArray[np.uint64] = np.zeros((64, words), np.uint64)
        self._slots, self._rows = np.zeros(64, np.int64), np.zeros(64, np.int64)
        self._unused = list(range(63, -1, -1))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slots in order of submission."""
        return self._slots[: self._count]

    def row(self, place: int) -> int:
        """Return the row of the job at a place of the line."""
        return int(self._rows[place])

    def place(self, row: int) -> int:
        """Return the place in the line of the job of a row."""
        return int(np.searchsorted(self._rows[: self._count], row))

    def add(self, row: int, size: int, wall: float, start: float, held: NDArray[np.uint64]) -> None:
        """Put a job at the end; its row is greater than all others."""
        if not self._unused:
            self._grow()
        slot = self._unused.pop()
        self.sizes[slot], self.walls[slot], self.starts[slot], self.sets[slot] = size, wall, start, held
        self._slots[self._count], self._rows[self._count] = slot, row
        self._count += 1

    def remove(self, place: int) -> tuple[float, NDArray[np.uint64]]:
        """Take out the job at a place; return its start and set."""
        slot, last = int(self._slots[place]), self._count - 1
        for column in (self._slots, self._rows):
            column[place:last] = column[place + 1 : last + 1]
        self._count = last
        self._unused.append(slot)
        return float(self.starts[slot]), self.sets[slot].copy()

    def _grow(self) -> None:
        old = len(self.sizes)
        for name in ("sizes", "walls", "starts", "sets", "_slots", "_rows"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        self._unused = list(range(2 * old - 1, old - 1, -1))


Set = NDArray[np.uint64]  # shape (words,): processor p is bit p % 64 of word p // 64


class Timeline:
    """Sets of free processors over time, and the searches of conservative backfilling in them.

    `platform`: the machine, all free forever. `rule`: which processors a job gets. `now`: when it begins.
    """

    def __init__(self, platform: Platform, rule: PlaceRule, now: float) -> None:
        self.words = -(-platform.processors // 64)
        self._searched = native.Timeline(platform.blocks, rule.kind, rule.forced, now)

    def unpacked(self, held: Set) -> NDArray[np.int64]:
        """Return the processors of a set, in increasing order."""
        return np.flatnonzero(np.unpackbits(held.view(np.uint8), bitorder="little"))

    def hold(self, begin: float, end: float, held: Set) -> None:
        """Hold a set of processors, all free, from `begin` to `end`."""
        self._searched.change(begin, end, held, release=False)

    def release(self, begin: float, end: float, held: Set) -> None:
        """Free a set of processors from `begin` to `end`."""
        self._searched.change(begin, end, held, release=True)

    def earliest(self, size: int, wall: float, now: float) -> tuple[float, Set]:
        """Return the first start from `now` on at which the rule finds processors for a job, and these.

        Candidates are `now` and all later instants at which a reservation starts or ends.
        """
        return self._searched.earliest(size, wall, now)

    def first_now(self, line: WaitingLine, begin: int, now: float) -> tuple[int, Set]:
        """Return the place, from `begin` on, of the first job that can start now, or -1; and its set.

        A job can if it could were its own reservation not there.
        """
        return self._searched.first_now(
            line.slots, line.sizes, line.walls, line.starts, line.sets, begin, now
        )
