"""Free nodes over time, as far as the plan goes."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right

__all__ = ["Profile", "planned_end"]


def planned_end(begin: float, seconds: float) -> float:
    """Return when what begins then ends in a plan: what takes no time holds its nodes at its instant.

    Examples
    --------
    >>> planned_end(10.0, 5.0), planned_end(10.0, 0.0) > 10.0
    (15.0, True)
    """
    return max(begin + seconds, math.nextafter(begin, math.inf))


class Profile:
    """A step function: from each of its times on, so many nodes are free.

    Parameters
    ----------
    nodes : int
        Free nodes, forever, to begin with.
    """

    def __init__(self, nodes: int) -> None:
        self._times = [-math.inf]
        self._free = [nodes]

    def change(self, begin: float, end: float, nodes: int) -> None:
        """Add `nodes` free nodes from `begin` until `end`."""
        if begin >= end:
            return
        first, last = self._step(begin), self._step(end)
        for place in range(first, last):
            self._free[place] += nodes

    def earliest(self, nodes: int, seconds: float, now: float) -> float:
        """Return the first time from `now` on at which so many nodes are free for so long; or infinity."""
        times, free = self._times, self._free
        start = now
        place = bisect_right(times, now) - 1
        while place < len(times) and (place == len(times) - 1 or times[place] < planned_end(start, seconds)):
            if free[place] < nodes:
                if place + 1 == len(times):
                    return math.inf
                start = times[place + 1]
            elif place == len(times) - 1:
                break
            place += 1
        return start

    def fits(self, nodes: int, seconds: float, now: float) -> bool:
        """Return whether so many nodes are free for so long from `now` on."""
        first = bisect_right(self._times, now) - 1
        last = max(bisect_left(self._times, planned_end(now, seconds)), first + 1)
        return min(self._free[first:last]) >= nodes

    def forget(self, now: float) -> None:
        """Drop what lies before `now`."""
        passed = bisect_right(self._times, now) - 1
        if passed > 32:
            del self._times[:passed], self._free[:passed]

    def _step(self, time: float) -> int:
        """Return the place of the step at `time`, made if there is none; behind the last for infinity."""
        if time == math.inf:
            return len(self._times)
        place = bisect_left(self._times, time)
        if place == len(self._times) or self._times[place] != time:
            self._times.insert(place, time)
            self._free.insert(place, self._free[place - 1])
        return place
