"""Sampled network time as an execution: rates of progress, measured anew whenever the mix of jobs changes.

Between two events of the scheduler the set of running jobs stays, and so does the rate at which each gets
on. Jobs that share no possible link, neither directly nor by way of others, do not disturb each other: each
such *group* is measured by itself, and only groups in which a job has come or gone are measured again. A
job in a group of its own has its time alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.placed import Placed, Placing
from netplace.cosim.possible import possible_links
from netplace.cosim.rates import Rates
from netplace.scheduling import Allocation, Ends, Job

__all__ = ["SOURCES", "Progress", "SampledExecution"]

# Where a stretch of a job's time comes from.
SOURCES = {
    "computed": "jobs that do not communicate",
    "alone": "jobs whose possible links nobody shares, looked up",
    "sampled": "mixes simulated for this stretch",
    "remembered": "mixes simulated before",
}


@dataclass(eq=False)
class Progress:
    """A job under way.

    Attributes
    ----------
    placed : Placed
        The job on its nodes.
    begin : float
        When it began, in cycles.
    left : float
        Cycles left, were it alone.
    factor, half_width : float
        By which it is slowed in this stretch, and the half width of the interval as a share.
    source : str
        Key of `SOURCES`: where they come from.
    doubt : float
        Cycles by which what is done so far may be wrong.
    end : float
        When it ended, in cycles; nan: not yet.
    by_source : dict of str to float
        Cycles by where they came from.
    """

    placed: Placed
    links: NDArray[np.bool_]
    begin: float
    left: float
    factor: float = math.nan
    half_width: float = 0.0
    source: str = ""
    doubt: float = 0.0
    end: float = math.nan
    by_source: dict[str, float] = field(default_factory=dict)

    def pass_on(self, cycles: float) -> None:
        """Let time go by."""
        done = cycles / self.factor
        self.left -= done
        self.doubt += done * self.half_width
        self.by_source[self.source] = self.by_source.get(self.source, 0.0) + cycles


class SampledExecution:
    """Jobs at rates that are measured mix by mix; a `netplace.scheduling.Execution`.

    Parameters
    ----------
    placing : Placing
        How jobs are put on their nodes.
    rates : Rates
        Their rates.
    longest : callable
        Returns the run time in seconds that a user estimates.
    ended : callable
        Told of each job that has ended.
    """

    def __init__(
        self,
        placing: Placing,
        rates: Rates,
        longest: Callable[[Job], float],
        ended: Callable[[Progress], None],
    ) -> None:
        self.longest = longest
        self._placing, self._rates, self._tell = placing, rates, ended
        self._second = 1e9 / placing.config.cycle_ns  # in cycles
        self._now = 0.0
        self._running: dict[int, Progress] = {}
        self._groups: dict[int, frozenset[int]] = {}  # of each attempt, as measured last

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Begin a job; one that does not communicate ends when it ends."""
        return self.begin_placed(attempt, self._placing.put(job, allocation), now)

    def begin_placed(self, attempt: int, placed: Placed, now: float) -> float | None:
        """Begin a job whose tasks have their nodes."""
        work = placed.work
        if not work.application:
            cycles = float(work.compute) * work.iterations
            done = Progress(
                placed, np.zeros(0, bool), now * self._second, 0.0, end=now * self._second + cycles
            )
            done.by_source["computed"] = cycles
            self._tell(done)
            return cycles / self._second
        self._pass_on(now * self._second)
        sources, targets = np.nonzero(self._placing.body(placed).traffic().B)
        nodes, placing = placed.nodes, self._placing
        links = possible_links(placing.machine, nodes[sources], nodes[targets], placing.config)
        self._running[attempt] = Progress(placed, links, self._now, self._rates.alone(placed))
        return None

    def stop(self, attempt: int, now: float) -> None:
        """Stop a job; its nodes are free at once."""
        self._pass_on(now * self._second)
        self._running.pop(attempt, None)

    def next_end(self, until: float) -> Ends | None:
        """Return the next end at the rates of the jobs that run now."""
        self._measure()
        if not self._running:
            return None
        ends = {
            attempt: self._now + max(0.0, one.left) * one.factor for attempt, one in self._running.items()
        }
        first = min(ends.values())
        if first > until * self._second:
            return None
        self._pass_on(first)
        told = tuple(attempt for attempt, end in ends.items() if end <= first)
        for attempt in told:
            one = self._running.pop(attempt)
            one.end = first
            self._tell(one)
        return Ends(first / self._second, told)

    def _pass_on(self, now: float) -> None:
        if now > self._now:
            for one in self._running.values():
                one.pass_on(now - self._now)
            self._now = now

    def _measure(self) -> None:
        """Give every job the rate that it has among those that run now."""
        groups = self._grouped()
        for group in groups:
            members = [self._running[attempt] for attempt in group]
            if all(self._groups.get(attempt) == frozenset(group) for attempt in group):
                continue
            placed = [one.placed for one in members]
            known = self._rates.known(placed)
            found = self._rates.of(placed)
            for one, factor, half in zip(members, found.factors, found.half_widths, strict=True):
                one.factor, one.half_width = factor, half
                one.source = "alone" if len(group) == 1 else "remembered" if known else "sampled"
        self._groups = {attempt: frozenset(group) for group in groups for attempt in group}

    def _grouped(self) -> list[list[int]]:
        """Return the attempts in groups that share no possible link."""
        groups: list[tuple[list[int], NDArray[np.bool_]]] = []
        for attempt, one in self._running.items():
            merged, links, apart = [attempt], one.links, []
            for members, theirs in groups:
                if (one.links & theirs).any():
                    merged, links = members + merged, links | theirs
                else:
                    apart.append((members, theirs))
            groups = [*apart, (merged, links)]
        return [sorted(members) for members, _ in groups]
