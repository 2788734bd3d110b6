"""Leaps over the iterations of a network in a steady state.

The jobs on a network are observed over a window in which every task completes some iterations. Each would
continue at the same rate for some time, so the iterations that it would complete in that time are skipped,
the clock is advanced, and the next window begins where the skipped iterations end. Tasks keep their lead over
each other, and packets in flight stay where they were. Only steady phases are skipped: leaps end before a
task has completed its iterations, and before any other event.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from netplace.cosim.placed import PlacedJob
from netplace.netsim import Network
from netplace.netsim.laps import IterationCounts

Real = NDArray[np.float64]
Whole = NDArray[np.int64]

_LAPS = 4  # iterations of every task in half a window, at least
_SETTLING = 8  # the same, after something has happened, before a window begins
_FARTHEST = 24.0  # windows that a leap is long, at most, unless it is
_SHARE = 1 / 40  # no more than this of each job's time
_AS_LONG = 2.0  # times as long as it is since something happened, at most
_NEAREST = 1.0  # windows that it is long at least: shorter ones are simulated
_PARTS = np.linspace(1, 0.75, 65)  # of a leap, among which the length is chosen
_LAST = 1  # iterations before the last that are simulated
_BELIEF, _BELIEVED = 1.0, 0.01**2  # windows that what is believed beforehand counts for, and that variance
_FAR = 1 << 62
_KNOWN = 1 << 30
LOOK = 700.0  # packets that take as long to simulate as a look at a job
_PART = 0.25  # of the time of packets that are simulated, or left to simulate, may be spent on looks


@dataclass(eq=False)
class Pace:
    """The progress of a job.

    Tasks that all wait for each other, directly or through others, form a *group*: none of them can get far
    ahead, so all progress at the same rate.
    """

    placed: PlacedJob  # the job on its nodes
    group: Whole  # shape (tasks,): group of each task
    groups: int  # number of groups
    rest: Real  # shape (groups,): parts of an iteration that are still to be skipped
    owed: int = 0  # iterations of every task that the network does not know about; they are skipped first
    packets: float = 0.0  # of an iteration
    # Windows in which the job was measured, and the sum of the squared relative errors of its rate there.
    windows: float = 0.0
    variance: float = 0.0
    # Cycles that were skipped while it ran, and the sum of their squares, leap by leap.
    leaps: float = 0.0
    squares: float = 0.0
    span: float = 0.0  # cycles of the windows

    @property
    def spread(self) -> float:
        """Variance of the rate that a window shows, as a share of it, squared."""
        return (self.variance + _BELIEF * _BELIEVED) / (self.windows + _BELIEF)


@dataclass(frozen=True, eq=False)
class _Rates:
    """The observations of a job in a window: iterations per cycle, iterations left, and end, by group."""

    rate: Real
    left: Whole
    ended: NDArray[np.bool_]

    def longest(self) -> float:
        going = ~self.ended & (self.rate > 0)
        return float((self.left[going] / self.rate[going]).max(initial=0.0))

    def farthest(self) -> float:
        going = ~self.ended
        some = np.where(self.rate > 0, np.maximum(0, self.left - _LAST), 0)
        return float((some[going] / np.where(self.rate[going] > 0, self.rate[going], 1)).min(initial=_FAR))


@dataclass(eq=False)
class FastForwarder:
    """Observes the jobs on a network, and skips steady phases."""

    network: Network
    target_half_width: float
    due: int = 0  # cycle of the next observation
    paces: dict[int, Pace] = field(default_factory=dict)  # by the network's number of each job
    _shots: list[dict[int, IterationCounts]] = field(
        default_factory=list
    )  # at the beginning of halves of a window
    _opened: int = 0  # when the window began
    _began: int = 0  # and this half of it
    _once: dict[int, float] = field(default_factory=dict)  # cycles of an iteration
    _plan: tuple[dict[int, _Rates], float] | None = None  # a leap cut short, and its rest
    _settled: bool = False
    _changed: int = -1  # when something happened; -1: since the last look
    _budget: float = 0.0  # packets that further looks may cost

    def come(self, number: int, placed: PlacedJob, packets: float) -> None:
        owed = placed.work.iterations - known_iterations(placed)
        self.paces[number] = Pace(placed, np.empty(0, np.int64), 0, np.empty(0), owed, packets)
        self.change()

    def go(self, number: int) -> Pace:
        self.change()
        self._once.pop(number, None)
        return self.paces.pop(number)

    def change(self) -> None:
        """Begin a new window, because earlier observations no longer apply."""
        self._shots, self._plan, self._settled, self._changed = [], None, False, -1
        self.due = self.network.now + 1

    def look(self, maximum: float, clock: int, starts: dict[int, int]) -> int:
        """Observe the jobs at `clock`; return the cycles that were skipped, at most `maximum`."""
        if not self.paces or any(pace.placed.work.iterations <= 2 for pace in self.paces.values()):
            self.due = _FAR
            return 0
        self._budget -= LOOK * len(self.paces)
        if self._changed >= 0 and self._budget < 0:  # looks cost more than leaps have saved
            self.due = _FAR
            return 0
        if self._plan is None:
            laps = {number: self.network.laps(number) for number in self.paces}
            if self._changed < 0:
                self._changed = clock
                self._budget = max(self._budget, _PART * self._left(laps))
            if not self._shots:
                self._next(laps)
                return 0
            if not self._seen(laps):
                return 0
            if len(self._shots) < 2:
                if self._settled:
                    self._next(laps)
                else:
                    self._settled, self._shots = True, []
                    self._next(laps)
                return 0
            rates = {number: self._rates(number, laps[number]) for number in self.paces}
            span = float(self.network.now - self._opened)
            self._budget += _PART * self._packets(rates, span)
            far = self._farthest(rates, span, clock, starts)
            self._shots = []
            if far < _NEAREST * span:
                self._next(laps)
                return 0
            self._plan = rates, self._even(rates, far)
        return self._leap(maximum)

    @property
    def _laps(self) -> int:
        """Iterations of every task until the next observation."""
        return _LAPS if self._settled else _SETTLING

    def _next(self, laps: dict[int, IterationCounts]) -> None:
        if not self._shots:
            self._opened = self.network.now
        self._shots.append(laps)
        self._began = self.network.now
        longest = max((self._once.get(number, 1.0) for number in self.paces), default=1.0)
        self.due = self.network.now + max(8, math.ceil(self._laps * longest))

    def _seen(self, laps: dict[int, IterationCounts]) -> bool:
        """Return whether every task has done its iterations of half a window; else when to look again."""
        wait = 0.0
        for number, now in laps.items():
            then = self._shots[-1][number]
            going = now.left > 0
            done = now.done - then.done
            if not going.any():
                continue
            minimum = int(done[going].min())
            passed = self.network.now - self._began
            self._once[number] = passed / max(0.5, float(done[going].mean()))
            if minimum < self._laps:
                wait = max(wait, passed * min(1.0, (self._laps - minimum) / max(1, minimum)))
        if wait:
            self.due = self.network.now + max(8, math.ceil(wait))
        return not wait

    def _rates(self, number: int, laps: IterationCounts) -> _Rates:
        """Return the rates of the groups of a job, and record their variation."""
        pace = self.paces[number]
        if not pace.groups:
            pace.groups, pace.group = _groups(laps)
            pace.rest = np.zeros(pace.groups)
        first, second = self._shots[0][number], self._shots[1][number]
        earlier, later = _rate(pace, first, second), _rate(pace, second, laps)
        rate = _rate(pace, first, laps)
        left = np.full(pace.groups, _FAR)
        np.minimum.at(left, pace.group, laps.left + pace.owed)
        ended = np.ones(pace.groups, bool)
        np.logical_and.at(ended, pace.group, laps.done >= known_iterations(pace.placed))
        rates = _Rates(rate, left, ended)
        going = ~ended & (rate > 0)
        if going.any():
            slow = np.flatnonzero(going)[np.argmax(left[going] / rate[going])]
            pace.windows += 1
            pace.variance += float(((later - earlier)[slow] / (later + earlier)[slow]) ** 2)
        return rates

    def _farthest(self, rates: dict[int, _Rates], span: float, clock: int, starts: dict[int, int]) -> float:
        """Return the cycles that can be skipped."""
        far, shortest = _AS_LONG * (clock - self._changed), float(_FAR)
        for number, seen in rates.items():
            pace, rest = self.paces[number], seen.longest()
            pace.span += span
            total = clock - starts[number] + rest
            budget = (self.target_half_width * total / 2) ** 2 / pace.spread - pace.squares
            far = min(far, seen.farthest(), max(0.0, budget) / max(1.0, rest))
            shortest = min(shortest, total)
        return min(far, max(_FARTHEST * span, _SHARE * shortest))

    def _even(self, rates: dict[int, _Rates], far: float) -> float:
        """Return the cycles, at most a quarter fewer, in which jobs complete nearly whole iterations."""
        # Only those can be skipped. What is off counts as a share of the job, and the job most off counts.
        some = far * _PARTS
        off = np.zeros(len(some))
        for number, seen in rates.items():
            pace = self.paces[number]
            going = ~seen.ended & (seen.rate > 0)
            if going.any():
                wanted = np.outer(some, seen.rate[going]) + pace.rest[going]
                apart = np.abs(wanted - np.rint(wanted)).max(axis=1)
                off = np.maximum(off, apart / pace.placed.work.iterations)
        return float(some[np.argmin(off)])

    def _left(self, laps: dict[int, IterationCounts]) -> float:
        """Return how many packets the jobs are still going to create."""
        return sum(pace.packets * (int(laps[n].left.max()) + pace.owed) for n, pace in self.paces.items())

    def _packets(self, rates: dict[int, _Rates], cycles: float) -> float:
        """Return about how many packets the jobs create in some cycles."""
        return sum(
            self.paces[number].packets * float(seen.rate.mean()) * cycles for number, seen in rates.items()
        )

    def _leap(self, maximum: float) -> int:
        assert self._plan is not None
        rates, far = self._plan
        cycles = math.floor(min(far, maximum))
        self._budget += self._packets(rates, cycles)
        for number, seen in rates.items():
            pace = self.paces[number]
            counts = _counts(pace, seen, self.network.laps(number), cycles)
            unknown = min(int(counts.min()), pace.owed)
            pace.owed -= unknown
            self.network.skip(number, counts - unknown)
            pace.leaps += cycles
            pace.squares += cycles * far
        left = far - cycles
        self._plan = (rates, left) if left >= 1 else None
        if self._plan is None:
            self._next({number: self.network.laps(number) for number in self.paces})
        else:
            self.due = self.network.now
        return cycles


def known_iterations(placed: PlacedJob) -> int:
    """Return the iterations of a job for the network, which counts up to 2^31."""
    return min(placed.work.iterations, _KNOWN)


def _groups(laps: IterationCounts) -> tuple[int, Whole]:
    """Return how many groups a job's tasks are, and that of each."""
    sends, tied = laps.sent > 0, laps.tied
    waited = np.concatenate([laps.source[sends], laps.target[tied]])
    waits = np.concatenate([laps.target[sends], laps.source[tied]])
    tasks = len(laps.done)
    edges = csr_array((np.ones(len(waits)), (waited, waits)), shape=(tasks, tasks))
    count, group = connected_components(edges, connection="strong")
    return int(count), group.astype(np.int64)


def _rate(pace: Pace, before: IterationCounts, after: IterationCounts) -> Real:
    """Return the iterations per cycle of each group between two observations, as a mean over its tasks."""
    laps, cycles = after.done - before.done, after.last - before.last
    counts = (laps > 0) & (cycles > 0) & (after.left > 0)
    each = np.where(counts, laps / np.maximum(1, cycles), 0.0)
    some = np.bincount(pace.group, counts, pace.groups)
    rate: Real = np.bincount(pace.group, each, pace.groups) / np.maximum(1, some)
    return rate


def _counts(pace: Pace, seen: _Rates, laps: IterationCounts, cycles: float) -> Whole:
    """Return the iterations that each task would complete in the given cycles."""
    # A task gets no further than with what those that it hears of would have sent it.
    wanted = seen.rate * cycles + pace.rest
    left = np.full(pace.groups, _FAR)
    np.minimum.at(left, pace.group, laps.left)
    left += min(pace.owed, max(0, int(wanted.min())))  # what all skip alike, the network need not know of
    counts = np.clip(np.rint(wanted), 0, left).astype(np.int64)
    source, target = pace.group[laps.source], pace.group[laps.target]
    used, uneven = laps.used > 0, laps.asked != laps.posted
    counts[source[uneven]] = counts[target[uneven]] = 0  # which of them get on is not known
    while True:
        had = (laps.spare + counts[source] * laps.sent)[used] // laps.used[used]
        fewer = counts.copy()
        np.minimum.at(fewer, target[used], had)
        if (fewer == counts).all():
            break
        counts = fewer
    pace.rest = np.clip(wanted - counts, -1.0, 1.0)
    return counts[pace.group]
