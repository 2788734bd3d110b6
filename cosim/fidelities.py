"""Where run times come from: an execution per fidelity, and the measurements of the jobs that have ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.alone import StandaloneTimes, cycles_alone, draw_times, exact, from_log
from netplace.cosim.cost import affordable_draws
from netplace.cosim.figures import CosimFigures, half_widths
from netplace.cosim.job_row import Measured
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.loop_times import LoopTimes
from netplace.cosim.placed import JobPlacer, PlacedJob, Started, without_faults
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import moved, replay
from netplace.cosim.sampled import SampledRunner
from netplace.netsim import ArbiterState
from netplace.runs.chance import network_is_random
from netplace.scheduling import Allocation, Execution, Job
from netplace.scheduling.metrics.interval import Estimate, of_draws, pooled

Tell = Callable[[int], None]

PILOT, MOST_DRAWS = 5, 40  # draws from which the number of draws is chosen, and that number at most


class FidelityRunner(Protocol):
    """One fidelity in operation."""

    execution: Execution  # execution of the jobs
    measured: dict[int, Measured]  # measurements of each job that has ended, by its number

    def finish(self) -> None:
        """Measure what requires that all jobs have ended."""

    def alone(self, placed: PlacedJob) -> float:
        """Return the cycles of a job alone on a new network."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the additional ones of this fidelity."""
        return figures

    def more(self) -> dict[str, Any]:
        """Return the additional outputs of this fidelity."""
        return {}


class LiveRunner(FidelityRunner):
    """Every packet on one network; each job is simulated again alone after its end."""

    def __init__(
        self, plan: CosimPlan, placing: JobPlacer, engine: str, tell: Tell, loops: LoopTimes
    ) -> None:
        self.measured: dict[int, Measured] = {}
        self._attempts: dict[int, Attempt] = {}  # by job, if there are several draws
        self._draws = 1
        self._plan, self._placing, self._engine, self._tell = plan, placing, engine, tell
        self._stored = loops.stored
        self._fresh = _fresh_times(plan, without_faults(placing), engine, loops)
        longest = from_log(plan.estimate_factor) if plan.applications else self._fresh.longest
        self._live = LiveExecution(placing, longest, engine, self._ended, plan.explain)
        self._by_chance = network_is_random(placing.machine, placing.config)
        self.execution: Execution = self._live

    def alone(self, placed: PlacedJob) -> float:
        return self._fresh.cycles(placed)

    def finish(self) -> None:
        """Run all jobs again in each further draw; not if one failed, as its part is then not known."""
        wanted, target = self._plan.draws, self._plan.target_half_width
        if wanted == 1 or self._live.failures or not self.measured:
            return
        jobs, draws = [*self.measured.values()], PILOT if isinstance(wanted, str) else wanted
        times = [self._draw(number) for number in range(1, draws + 1)]
        means = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
        if wanted == "auto":
            budget = affordable_draws(self._placing, [one.placed.job for one in jobs], self._plan.max_packets)
            draws = enough_draws(means, PILOT, target, min(MOST_DRAWS, budget))
            times += [self._draw(number) for number in range(PILOT + 1, draws + 1)]
            means = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
        self.measured.update(zip([*self.measured], means, strict=True))
        self._draws = draws

    def _draw(self, number: int) -> tuple[list[float], list[float]]:
        """Return the cycles of all jobs in one draw, beside others and alone."""
        jobs = [*self._attempts.values()]

        def simulated() -> list[float]:
            started = [(Started(one.placed, one.start), one.cycles) for one in jobs]
            run = replay(self._placing.drawn(number), moved(started, self._placing.seed, number))
            alone = [self._alone(one.placed, run.since[one.placed.job.number], number) for one in jobs]
            return [*(run.cycles[one.placed.job.number] for one in jobs), *alone]

        times = self._stored.get(("draw", number), simulated)
        return times[: len(jobs)], times[len(jobs) :]

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        return (
            replace(figures, half_width=half_widths(self.measured.values())) if self._draws > 1 else figures
        )

    def more(self) -> dict[str, Any]:
        figures: dict[str, Any] = {
            "failures": [{"job": job, "why": why} for job, why in self._live.failures.items()]
        }
        figures |= {"draws": self._draws} if self._draws > 1 else {}
        return figures | ({"waiting": self._live.waiting().to_dict()} if self._plan.explain else {})

    def _ended(self, attempt: Attempt) -> None:
        placed, plan = attempt.placed, self._plan
        alone = self._alone(placed, attempt.since, 0)
        if plan.draws != 1:
            self._attempts[placed.job.number] = attempt
        elif self._by_chance and alone != attempt.cycles:
            times = draw_times(lambda draw: self._alone(placed, attempt.since, draw), plan.target_half_width)
            alone = float(np.mean(times))
        half = None if placed.work.application else 0.0  # of a single draw of starts and chance
        fresh = self._fresh.cycles(placed)
        self.measured[placed.job.number] = Measured(
            placed, attempt.start, attempt.cycles, alone, fresh, half, half, half
        )
        self._tell(len(self.measured))

    def _alone(self, placed: PlacedJob, since: ArbiterState, number: int) -> float:
        """Return the cycles of a job alone from the state at its start, in one draw."""
        placing = without_faults(self._placing, since.cycle).drawn(number)
        key = "alone", since.cycle, placed.job.number, number
        return float(self._stored.get(key, lambda: cycles_alone(placing, placed, self._engine, since)))


def over_draws(
    jobs: Sequence[Measured], live: NDArray[np.float64], alone: NDArray[np.float64]
) -> list[Measured]:
    """Return jobs with mean times over draws, the ratio of these as slowdown, and the intervals of all three.

    `live` and `alone`, shape (jobs, draws), are cycles with other jobs and alone, with the same random
    numbers in a draw. The times of jobs that send nothing are exact.
    """
    estimates = zip(jobs, pooled(live), pooled(alone), pooled(live, alone), strict=True)
    return [
        replace(
            one,
            live=time.mean,
            alone=own.mean,
            half_width=time.share_half_width,
            alone_half_width=own.share_half_width,
            chance=slowdown.share_half_width,
            ran=one.live,
        )
        if one.placed.work.application
        else one
        for one, time, own, slowdown in estimates
    ]


def enough_draws(jobs: Sequence[Measured], draws: int, target_half_width: float, maximum: int) -> int:
    """Return how many draws make slowdowns as precise as requested on average, from `draws` to `maximum`."""
    known = [one.chance for one in jobs if one.chance]
    deviation = float(np.mean(known)) / of_draws(1.0, 1.0, draws, 1.0).half_width if known else 0.0
    while draws < maximum and of_draws(1.0, deviation, draws, deviation).half_width > target_half_width:
        draws += 1
    return draws


class TableRunner(FidelityRunner):
    """Each job alone on a new network; only the rate of long loops."""

    def __init__(
        self, plan: CosimPlan, placing: JobPlacer, engine: str, tell: Tell, loops: LoopTimes
    ) -> None:
        self.measured: dict[int, Measured] = {}
        self.execution: Execution = self
        self._placing, self._tell, self._loops = placing, tell, loops
        self._fresh = None if plan.applications else _fresh_times(plan, placing, engine, loops)
        self.longest = self._fresh.longest if self._fresh else from_log(plan.estimate_factor)

    def alone(self, placed: PlacedJob) -> float:
        return self._estimate(placed).mean

    def _estimate(self, placed: PlacedJob) -> Estimate:
        if not placed.work.application:
            return exact(float(placed.work.compute) * placed.work.iterations)
        if self._fresh is not None:
            return self._fresh.time(placed)
        # The times of jobs of logs are computed from a few iterations, and have no interval.
        return Estimate(self._loops.alone(placed), math.nan, 1)

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        placed, second = self._placing.put(job, allocation), self._placing.config.cycle_ns * 1e-9
        time = self._estimate(placed)
        half = None if math.isnan(time.share_half_width) else time.share_half_width
        self.measured[job.number] = Measured(
            placed, round(now / second), time.mean, time.mean, time.mean, half, half
        )
        self._tell(len(self.measured))
        return time.mean * second

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing, because a stopped job is not queried again."""

    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""


def _fresh_times(plan: CosimPlan, placing: JobPlacer, engine: str, loops: LoopTimes) -> StandaloneTimes:
    return StandaloneTimes(
        placing, plan.estimate_factor, engine, target_half_width=plan.target_half_width, stored=loops.stored
    )


RUNNERS: dict[str, Callable[[CosimPlan, JobPlacer, str, Tell, LoopTimes], FidelityRunner]] = {
    "table": TableRunner,
    "sampled": lambda plan, placing, _, tell, loops: SampledRunner(plan, placing, tell, loops.stored),
    "live": LiveRunner,
}
