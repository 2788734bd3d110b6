"""Times by mixes as an execution: rates of progress, measured again when the mix of jobs changes.

Between two events of the scheduler, the set of running jobs and their rates stay the same. When a job starts
or ends, those jobs are measured again for which the influences have changed by more than a slack, beside the
fewest jobs that leave out no more than the slack (`netplace.cosim.neighbours`). A job with less influence
than that has its time alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from netplace.cosim.experience import Experience
from netplace.cosim.interval import half_width_by_mixes
from netplace.cosim.loop_times import LoopTimes
from netplace.cosim.neighbours import Neighbourhood, Neighbours, Presence, presence
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.rates import Rates
from netplace.netsim import DeadlockError
from netplace.scheduling import Allocation, Ends, Job

SLACK = 0.25  # of the precision: influence that may be left out, or may have changed
_LEFT_OUT = 0.5  # of influence that is left out counts as the deviation of what it does

# Where a stretch of a job's time comes from.
SOURCES = {
    "computed": "jobs that do not communicate",
    "alone": "jobs looked up because no other job can use their links",
    "light": "jobs looked up because other jobs hardly load their links",
    "sampled": "mixes simulated for this interval",
    "remembered": "mixes simulated before",
    "foretold": "slowdowns predicted from those of earlier mixes",
}


@dataclass(eq=False)
class Progress:
    """A running job; times in cycles.

    `left` counts cycles of the job alone. `factor` holds in this stretch, with its `deviation` for a live run
    as a share. `omitted` and `left_out` are the influence of omitted jobs when it was measured, and including
    later changes, as shares. `doubt` is the standard deviation of the completed cycles, as if the errors of
    all stretches had the same sign. `end` is nan until it ended. `beside` has the shares of other jobs in the
    influence on it, and `lost` the cycles that it lost by each, by number: what it lost in a stretch, shared
    out by the influence.
    """

    placed: Placed
    begin: float
    left: float
    factor: float = math.nan
    deviation: float = 0.0
    omitted: float = 0.0
    left_out: float = 0.0
    source: str = ""
    doubt: float = 0.0
    end: float = math.nan
    by_source: dict[str, float] = field(default_factory=dict)
    beside: dict[int, float] = field(default_factory=dict)
    lost: dict[int, float] = field(default_factory=dict)

    def pass_on(self, cycles: float) -> None:
        done = cycles / self.factor
        self.left -= done
        self.doubt += done * (self.deviation + _LEFT_OUT * self.left_out)
        self.by_source[self.source] = self.by_source.get(self.source, 0.0) + cycles
        for job, share in self.beside.items():
            self.lost[job] = self.lost.get(job, 0.0) + share * (cycles - done)


def half_width(done: Progress, loops: LoopTimes) -> float:
    if not done.placed.work.application:
        return 0.0
    alone = max(1.0, loops.alone(done.placed))
    return half_width_by_mixes(loops.deviation(done.placed), done.doubt / alone)


class MixesExecution:
    """Runs jobs at rates that are measured for each mix of jobs; implements `netplace.scheduling.Execution`.

    Parameters
    ----------
    longest : callable
        Function that returns the run time that a user estimates for a job, in seconds.
    ended : callable
        Function that is called with each job that has ended.

    Attributes
    ----------
    failures : dict of int to str
        Why each job that can never end failed. As on a network, such a job holds its nodes as long as other
        jobs make progress.
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
        self._stuck: dict[int, float] = {}  # when those that can never end came to a stand
        self._computing = 0.0  # up to which jobs compute that do nothing else
        self.failures: dict[int, str] = {}
        self._neighbours = Neighbours(SLACK * rates.target_half_width)
        self._experience = Experience(rates.target_half_width, placing.seed)
        self._drawn: dict[int, float] = {}  # what was foretold of jobs that are simulated by chance

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Start a job; a job that does not communicate ends after its computation."""
        return self.begin_placed(attempt, self._placing.put(job, allocation), now)

    def begin_placed(self, attempt: int, placed: Placed, now: float) -> float | None:
        """Start a job whose tasks have already been placed."""
        work = placed.work
        if not work.application:
            cycles = float(work.compute) * work.iterations
            done = Progress(placed, now * self._second, 0.0, end=now * self._second + cycles)
            done.by_source["computed"] = cycles
            self._computing = max(self._computing, done.end)
            self._tell(done)
            return cycles / self._second
        self._pass_on(now * self._second)
        try:
            alone = self._rates.loops.alone(placed)
        except DeadlockError as error:
            self._stuck[attempt] = self._now + error.cycle
            self.failures[placed.job.number] = str(error)
            return None
        self._neighbours.come(attempt, self._presence(placed, alone))
        self._running[attempt] = Progress(placed, self._now, alone)
        return None

    def _presence(self, placed: Placed, alone: float) -> Presence:
        return presence(
            self._placing, placed, alone / placed.work.iterations, self._rates.loops.speaking(placed)
        )

    def stop(self, attempt: int, now: float) -> None:
        """Stop a job; its nodes are free at once."""
        self._pass_on(now * self._second)
        self._stuck.pop(attempt, None)
        if self._running.pop(attempt, None) is not None:
            self._neighbours.go(attempt)

    def next_end(self, until: float) -> Ends | None:
        """Return the next end of a job at the rates of the jobs that run now."""
        self._measure()
        if not self._running:
            return self._failed(until)
        ends = {
            attempt: self._now + max(0.0, running.left) * running.factor
            for attempt, running in self._running.items()
        }
        first = min(ends.values())
        if first > until * self._second:
            return None
        self._pass_on(first)
        ended = tuple(attempt for attempt, end in ends.items() if end <= first)
        for attempt in ended:
            running = self._running.pop(attempt)
            self._neighbours.go(attempt)
            running.end = first
            self._tell(running)
        return Ends(first / self._second, ended)

    def _failed(self, until: float) -> Ends | None:
        """Return the end of jobs that can never end, once no other job progresses."""
        if not self._stuck:
            return None
        at = max(self._now, self._computing, *self._stuck.values())
        if at > until * self._second:
            return None
        self._pass_on(at)
        failed = tuple(self._stuck)
        self._stuck.clear()
        return Ends(at / self._second, failed, failed=True)

    def _pass_on(self, now: float) -> None:
        if now > self._now:
            for running in self._running.values():
                running.pass_on(now - self._now)
            self._now = now

    def _measure(self) -> None:
        for wanted in self._neighbours.to_measure(self._settled):
            self._measure_around(wanted)
        for attempt, running in self._running.items():
            running.left_out = running.omitted + self._neighbours.drift[attempt]
            running.beside = {}
            if running.factor != 1:
                shares = self._neighbours.shares(attempt)
                running.beside = {self._running[other].placed.job.number: shares[other] for other in shares}

    def _settled(self, attempt: int, foretold: float) -> bool:
        """Return whether known mixes determine the factor of a job; if so, set it."""
        if self._experience.drawn():
            self._drawn[attempt] = foretold
            return False
        known = self._experience.factor(foretold)
        if known is not None:
            running = self._running[attempt]
            running.factor, half = known
            running.deviation = math.hypot(half / 2, self._experience.deviation(foretold))
            running.source, running.omitted = "foretold", 0.0
        return known is not None

    def _measure_around(self, wanted: Neighbourhood) -> None:
        placed = [self._running[attempt].placed for attempt in (*wanted.watched, *wanted.beside)]
        before = self._rates.simulated
        measurement = self._rates.of(placed, len(wanted.watched))
        if len(placed) == 1:
            source = "light" if wanted.shares else "alone"
        else:
            source = "sampled" if self._rates.simulated > before else "remembered"
        for attempt, factor, deviation in zip(
            wanted.watched, measurement.factors, measurement.deviations, strict=True
        ):
            running = self._running[attempt]
            running.factor, running.deviation, running.source = factor, deviation, source
            running.omitted = wanted.left_out[attempt]
            if attempt in self._drawn:
                self._experience.note(self._drawn.pop(attempt), factor, deviation)
