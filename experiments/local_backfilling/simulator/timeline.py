"""Free processors over time, as far as reservations reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.experiments.local_backfilling.simulator.rules import PlaceRule
from netplace.experiments.local_backfilling.simulator.waiting import WaitingLine
from netplace.native import experiments as native

__all__ = ["Set", "Timeline"]

Set = NDArray[np.uint64]  # shape (words,): processor p is bit p % 64 of word p // 64


class Timeline:
    """Sets of free processors over time, and the searches of conservative backfilling in them.

    Parameters
    ----------
    platform : Platform
        The machine, all free forever.
    rule : PlaceRule
        Which processors a job gets.
    now : float
        When it begins.
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
