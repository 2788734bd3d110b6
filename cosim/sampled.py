"""A co-simulation with leaps over steady phases, and an interval for every job.

The jobs share the network twice: once under the scheduler, and once slightly moved and with other draws. The
first run gives the times, and both together give the intervals. A half-width is a factor times the root of a
sum of variances: of the time alone, and of the time among other jobs, which includes chance and the part that
is not simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.alone import StandaloneTimes, deviation, draw_times, exact, from_log, mean_time
from netplace.cosim.fast_forward_execution import FastForwarded, FastForwardExecution, fast_forward
from netplace.cosim.figures import CosimFigures, half_widths
from netplace.cosim.job_row import Measured
from netplace.cosim.placed import JobPlacer, PlacedJob, Started
from netplace.cosim.plan import CosimPlan
from netplace.cosim.stored_times import StoredTimes
from netplace.runs.chance import network_is_random, same_place
from netplace.scheduling import Execution
from netplace.scheduling.metrics.interval import Estimate
from netplace.streams import stream

MARKED = 0.1  # half width beyond which a job's time is marked

_DRAWS = 6  # of a time alone, at most: their mean is then known as well as a single run is

# The width was chosen on 119 drawn workloads of short and of long jobs (1,151 times that were not counted),
# so that it covers 95 to 96 % of live runs, the part on 47 others. See docs/background/sampled-time.md.
_WIDTH = 1.1
_PART = 0.3  # of an iteration
_MOST = 24.0  # excess; windows that are a leap apart, up to so many windows, count as independent

Real = NDArray[np.float64]


@dataclass(frozen=True)
class Alone:
    """The time of a job alone, in cycles, and the standard deviation of a single draw as a share of it."""

    time: Estimate
    deviation: float = 0.0


def replicate(
    placing: JobPlacer,
    stays: Mapping[int, Started],
    made: Mapping[int, FastForwarded],
    target_half_width: float,
) -> dict[int, FastForwarded]:
    """Return the results of attempts that begin up to an iteration later, with other draws."""
    seed = stream(placing.seed, "replicate", 1)
    rng = np.random.default_rng(seed)
    moved = {}
    for attempt, stay in sorted(stays.items()):
        iteration = made[attempt].cycles / stay.placed.work.iterations if attempt in made else 0.0
        later = int(rng.integers(0, max(2, round(iteration))))
        stop = stay.stop + later if stay.stop >= 0 else -1
        moved[attempt] = replace(stay, start=stay.start + later, stop=stop)
    order = sorted(moved.items(), key=lambda item: item[1].start)
    return fast_forward(replace(placing, seed=seed), order, target_half_width)


class AloneByFastForward:
    """Times of jobs alone on a new network with leaps over steady phases."""

    def __init__(
        self, placing: JobPlacer, target_half_width: float, stored: StoredTimes | None = None
    ) -> None:
        self._placing, self._target_half_width = placing, target_half_width
        self._stored = stored or StoredTimes()
        self._draws = network_is_random(placing.machine, placing.config)
        self._known: dict[object, Alone] = {}

    def of(self, placed: PlacedJob) -> Alone:
        nodes = placed.nodes if self._draws else same_place(self._placing.machine, [placed.nodes])[0]
        key = placed.work, nodes.tobytes()
        if key not in self._known:
            self._known[key] = self._made(placed, key)
        return self._known[key]

    def _made(self, placed: PlacedJob, key: object) -> Alone:
        warnings: list[float] = []

        def leapt(number: int) -> tuple[float, float]:
            made = fast_forward(
                self._placing.drawn(number), [(0, Started(placed, 0))], self._target_half_width
            )[0]
            return float(made.cycles), 0.0 if made.counted else made.variance

        def draw(number: int) -> float:
            cycles, doubt = self._stored.get(("leapt", key, number), lambda: leapt(number))
            warnings.append(doubt)
            return float(cycles)

        times = draw_times(draw, self._target_half_width, _DRAWS) if self._draws else [draw(0)]
        doubt = math.sqrt(np.mean(warnings))
        if len(times) == 1:
            return Alone(exact(times[0]), doubt)
        return Alone(mean_time(times, doubt), max(deviation(times), doubt))


@dataclass(frozen=True)
class Sampled:
    """A job's sampled time, in cycles.

    Attributes
    ----------
    half_width : float
        Relative half-width of the 95 % confidence interval of the time in a live run; 0 if no cycles were
        skipped.
    alone : Alone
        Time of the job alone on a new network.
    """

    cycles: float
    half_width: float
    alone: Alone


def with_intervals(
    placing: JobPlacer,
    stays: Mapping[int, Started],
    made: Mapping[int, FastForwarded],
    alone: AloneByFastForward,
    target_half_width: float,
) -> dict[int, Sampled]:
    """Return the times of attempts with their intervals: let them run once more, and each alone."""
    again: dict[int, FastForwarded] = {}
    if any(not leaped.counted for leaped in made.values()):
        again = replicate(placing, stays, made, target_half_width)
    excess = excesses(stays, made, again)
    sampled = {}
    for attempt, leaped in made.items():
        own, iterations = alone.of(stays[attempt].placed), stays[attempt].placed.work.iterations
        width = half_width(leaped, again.get(attempt), own, iterations, excess.get(attempt, 0.0))
        sampled[attempt] = Sampled(leaped.cycles, width, own)
    return sampled


def excesses(
    stays: Mapping[int, Started], made: Mapping[int, FastForwarded], again: Mapping[int, FastForwarded]
) -> dict[int, float]:
    """Return, for each attempt with two times, how much more two runs differ than their windows predict.

    Successive windows on a network in the same state are not independent and count for fewer than they are;
    two runs show for how many. The two times of one job say little about this; those of all jobs that ran at
    the same time and met the same states say more. The excess is the observed variance over the predicted
    one, both summed over these jobs; at most 24.
    """
    both = [attempt for attempt, leaped in made.items() if attempt in again and not leaped.counted]
    begin = np.array([stays[attempt].start for attempt in both], float)
    end = begin + [made[attempt].cycles for attempt in both]
    seen = np.array([_squared_difference(made[attempt], again[attempt]) / 2 for attempt in both])
    left = np.array([_left_by_windows(made[attempt], again[attempt]) for attempt in both])
    ratio = _during(begin, end, seen) / _during(begin, end, left)
    return dict(zip(both, np.minimum(_MOST, ratio).tolist(), strict=True))


def half_width(
    first: FastForwarded, second: FastForwarded | None, alone: Alone, iterations: int, excess: float
) -> float:
    """Return the relative half-width of the 95 % interval of a live time; 0 if it was counted exactly.

    The variance of the job alone also applies among other jobs; a leap can be wrong by a part of an
    iteration.
    """
    if first.counted:
        return 0.0
    variance = alone.deviation**2 + (_PART / iterations) ** 2
    if second is None:
        return _WIDTH * math.sqrt(variance + first.variance)
    # Half of the squared difference is the variance of one run; a live run adds one of its own.
    variance += _squared_difference(first, second) + (1 + excess) * _left_by_windows(first, second)
    return _WIDTH * math.sqrt(variance)


def _squared_difference(first: FastForwarded, second: FastForwarded) -> float:
    """Return the square of the difference of two times, of their logarithms."""
    return math.log(second.cycles / first.cycles) ** 2


def _left_by_windows(first: FastForwarded, second: FastForwarded) -> float:
    """Return the variance of a time that windows predict, as a mean over both runs."""
    return (first.variance + second.variance) / 2


def _during(begin: Real, end: Real, values: Real) -> Real:
    """Return the sum of the values of all jobs that ran at the same time as each."""
    came, went = np.argsort(begin), np.argsort(end)
    begun, ended = (np.concatenate([[0.0], np.cumsum(values[order])]) for order in (came, went))
    before_end = begun[np.searchsorted(begin[came], end)]
    before_begin = ended[np.searchsorted(end[went], begin, side="right")]
    longest: Real = np.maximum(values, before_end - before_begin)
    return longest


class SampledRunner:
    """Jobs on one network whose steady stretches are skipped, twice."""

    def __init__(
        self,
        plan: CosimPlan,
        placing: JobPlacer,
        tell: Callable[[int], None],
        stored: StoredTimes | None = None,
    ) -> None:
        self.measured: dict[int, Measured] = {}
        self._placing, self._target_half_width, self._tell = placing, plan.target_half_width, tell
        self._alone = AloneByFastForward(placing, plan.target_half_width, stored)
        self._made: dict[int, FastForwarded] = {}
        longest = from_log(plan.estimate_factor)
        if not plan.applications:
            fresh = StandaloneTimes(
                placing, plan.estimate_factor, cycles=lambda placed: self._alone.of(placed).time
            )
            longest = fresh.longest
        self._leaping = FastForwardExecution(placing, longest, plan.target_half_width, self._leapt)
        self.execution: Execution = self._leaping

    def _leapt(self, attempt: int, placed: PlacedJob, start: int, leaped: FastForwarded) -> None:
        if placed.work.application:
            self._made[attempt] = leaped
        else:
            self.measured[placed.job.number] = Measured(
                placed, start, leaped.cycles, leaped.cycles, leaped.cycles
            )
        self._tell(len(self._made) + len(self.measured))

    def alone(self, placed: PlacedJob) -> float:
        if not placed.work.application:
            return float(placed.work.compute * placed.work.iterations)
        return self._alone.of(placed).time.mean

    def finish(self) -> None:
        """Let the jobs share the network once more, and measure each alone."""
        stays = {attempt: stay for attempt, stay in self._leaping.stays.items() if attempt in self._made}
        made = {attempt: self._made[attempt] for attempt in stays}
        by_attempt = with_intervals(
            self._placing, self._leaping.stays, made, self._alone, self._target_half_width
        )
        for attempt, sampled in by_attempt.items():
            placed, start = stays[attempt].placed, stays[attempt].start
            alone, own = sampled.alone.time.mean, sampled.alone.time.share_half_width
            half: tuple[float | None, ...] = (None, own, None)  # counted whole: a single draw
            if sampled.half_width:
                half = sampled.half_width, own, math.hypot(own, sampled.half_width)
            self.measured[placed.job.number] = Measured(placed, start, sampled.cycles, alone, alone, *half)

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        jobs = self.measured.values()
        return replace(
            figures,
            simulated=self._leaping.network.now / max(1, self._leaping.now),
            marked=sum((job.half_width or 0) > MARKED for job in jobs),
            half_width=half_widths(jobs),
        )

    def more(self) -> dict[str, Any]:
        return {"failures": [{"job": job, "why": why} for job, why in self._leaping.failures.items()]}
