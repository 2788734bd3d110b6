"""A co-simulation with leaps over steady phases, and an interval for every job.

The jobs share the network twice: once under the scheduler, and once slightly moved and with other draws. The
first run gives the times, and both together give the intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netplace.cosim.alone import Alone, FreshTimes, several
from netplace.cosim.checkpoint import Keep, Memory
from netplace.cosim.cosim_figures import CosimFigures
from netplace.cosim.fast_forward_execution import (
    FastForwarded,
    FastForwardExecution,
    JobResidence,
    fast_forward,
)
from netplace.cosim.figures import half_widths
from netplace.cosim.interval import MARKED, excesses, half_width
from netplace.cosim.job_row import Measured
from netplace.cosim.losses import shared_losses
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.plan import CosimPlan
from netplace.cosim.table import from_log
from netplace.runs.chance import network_draws, same_place
from netplace.scheduling import Execution

_OTHER = 104_729  # added to the seed


def replicate(
    placing: Placing,
    stays: Mapping[int, JobResidence],
    cycles: Mapping[int, float],
    target_half_width: float,
    keep: Keep | None = None,
) -> dict[int, FastForwarded]:
    """Return the results of attempts that begin up to an iteration later, with other draws."""
    rng = np.random.default_rng([placing.seed, _OTHER])
    moved = {}
    for attempt, stay in sorted(stays.items()):
        iteration = cycles.get(attempt, 0) / stay.placed.work.iterations
        later = int(rng.integers(0, max(2, round(iteration))))
        stop = stay.stop + later if stay.stop >= 0 else -1
        moved[attempt] = replace(stay, start=stay.start + later, stop=stop)
    order = sorted(moved.items(), key=lambda item: item[1].start)
    return fast_forward(replace(placing, seed=placing.seed + _OTHER), order, target_half_width, keep)


_DRAWS = 6  # of a time alone, at most: their mean is then known as well as a single run is


class AloneByFastForward:
    """Times of jobs alone on a new network with leaps over steady phases."""

    def __init__(self, placing: Placing, target_half_width: float, memory: Memory | None = None) -> None:
        self._placing, self._target_half_width, self._memory = placing, target_half_width, memory or Memory()
        self._draws = network_draws(placing.machine, placing.config)
        self._known: dict[object, Alone] = {}

    def of(self, placed: Placed) -> Alone:
        nodes = placed.nodes if self._draws else same_place(self._placing.machine, [placed.nodes])[0]
        key = placed.work, nodes.tobytes()
        if key not in self._known:
            self._known[key] = self._made(placed, key)
        return self._known[key]

    def _made(self, placed: Placed, key: object) -> Alone:
        doubts: list[float] = []

        def leapt(number: int) -> tuple[float, float]:
            placing = replace(self._placing, seed=self._placing.seed + number)
            made = fast_forward(placing, [(0, JobResidence(placed, 0))], self._target_half_width)[0]
            return float(made.cycles), 0.0 if made.counted else made.variance

        def draw(number: int) -> float:
            cycles, doubt = self._memory.of(("leapt", key, number), lambda: leapt(number))
            doubts.append(doubt)
            return float(cycles)

        alone = several(draw, self._target_half_width, _DRAWS) if self._draws else Alone(draw(0))
        return replace(alone, deviation=max(alone.deviation, math.sqrt(np.mean(doubts))))


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


def sampled_twice(
    placing: Placing, stays: Mapping[int, JobResidence], target_half_width: float
) -> dict[int, Sampled]:
    """Return the sampled times of attempts that begin when and where they did, ordered by start."""
    made = fast_forward(placing, stays.items(), target_half_width)
    return with_intervals(
        placing, stays, made, AloneByFastForward(placing, target_half_width), target_half_width
    )


def with_intervals(
    placing: Placing,
    stays: Mapping[int, JobResidence],
    made: Mapping[int, FastForwarded],
    alone: AloneByFastForward,
    target_half_width: float,
    keep: Keep | None = None,
) -> dict[int, Sampled]:
    """Return the times of attempts with their intervals: let them run once more, and each alone."""
    again: dict[int, FastForwarded] = {}
    if any(not leaped.counted for leaped in made.values()):
        cycles = {attempt: leaped.cycles for attempt, leaped in made.items()}
        again = replicate(placing, stays, cycles, target_half_width, keep)
    excess = excesses(stays, made, again)
    sampled = {}
    for attempt, leaped in made.items():
        own, iterations = alone.of(stays[attempt].placed), stays[attempt].placed.work.iterations
        width = half_width(leaped, again.get(attempt), own, iterations, excess.get(attempt, 0.0))
        sampled[attempt] = Sampled(leaped.cycles, width, own)
    return sampled


class SampledCourse:
    """Jobs on one network whose steady stretches are skipped, twice."""

    kept: tuple[str, ...] = ("measured", "_made")

    def __init__(
        self, plan: CosimPlan, placing: Placing, tell: Callable[[int], None], memory: Memory | None = None
    ) -> None:
        self.measured: dict[int, Measured] = {}
        self._placing, self._target_half_width, self._tell = placing, plan.target_half_width, tell
        self._alone = AloneByFastForward(placing, plan.target_half_width, memory)
        self._made: dict[int, FastForwarded] = {}
        longest = from_log(plan.estimate_factor)
        if not plan.applications:
            fresh = FreshTimes(
                placing, plan.estimate_factor, cycles=lambda placed: self._alone.of(placed).cycles
            )
            longest = fresh.longest
        self._leaping = FastForwardExecution(placing, longest, plan.target_half_width, self._leapt)
        self.execution: Execution = self._leaping

    def _leapt(self, attempt: int, placed: Placed, start: int, leaped: FastForwarded) -> None:
        if placed.work.application:
            self._made[attempt] = leaped
        else:
            self.measured[placed.job.number] = Measured(
                placed, start, leaped.cycles, leaped.cycles, leaped.cycles
            )
        self._tell(len(self._made) + len(self.measured))

    def alone(self, placed: Placed) -> float:
        return (
            self._alone.of(placed).cycles
            if placed.work.application
            else float(placed.work.compute * placed.work.iterations)
        )

    def finish(self, keep: Keep | None = None) -> None:
        """Let the jobs share the network once more, and measure each alone."""
        stays = {attempt: stay for attempt, stay in self._leaping.stays.items() if attempt in self._made}
        made = {attempt: self._made[attempt] for attempt in stays}
        by_attempt = with_intervals(
            self._placing, self._leaping.stays, made, self._alone, self._target_half_width, keep
        )
        by_chance = network_draws(self._placing.machine, self._placing.config)
        for attempt, sampled in by_attempt.items():
            placed, start = stays[attempt].placed, stays[attempt].start
            alone = sampled.alone
            half: tuple[float | None, float | None] = (None, None)  # counted whole: a single draw of chance
            if sampled.half_width or not by_chance:
                half = sampled.half_width, math.hypot(alone.half_width, sampled.half_width)
            self.measured[placed.job.number] = Measured(
                placed, start, sampled.cycles, alone.cycles, alone.cycles, *half
            )

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        jobs = self.measured.values()
        return replace(
            figures,
            simulated=self._leaping.network.now / max(1, self._leaping.now),
            marked=sum((job.half_width or 0) > MARKED for job in jobs),
            half_width=half_widths(jobs),
        )

    def more(self) -> dict[str, Any]:
        failures = [{"job": job, "why": why} for job, why in self._leaping.failures.items()]
        return {"failures": failures, "lost": shared_losses(self._placing, self.measured.values())}
