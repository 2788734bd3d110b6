"""Where run times come from: an execution per fidelity, and the measurements of the jobs that have ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.alone import FreshTimes, cycles_alone, from_log, several
from netplace.cosim.cost import affordable_draws
from netplace.cosim.figures import CosimFigures, half_widths
from netplace.cosim.job_row import Measured
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.loop_times import LoopTimes
from netplace.cosim.placed import Placed, Placing, without_faults
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import Started, replay
from netplace.cosim.sampled import SampledRunner
from netplace.runs.chance import network_draws
from netplace.scheduling import Allocation, Execution, Job
from netplace.scheduling.metrics.interval import half_width, half_widths_with_prior

Tell = Callable[[int], None]

PILOT, MOST_DRAWS = 5, 40  # draws from which the number of draws is chosen, and that number at most


class FidelityRunner(Protocol):
    """One fidelity in operation."""

    execution: Execution  # execution of the jobs
    measured: dict[int, Measured]  # measurements of each job that has ended, by its number

    def finish(self) -> None:
        """Measure what requires that all jobs have ended."""

    def alone(self, placed: Placed) -> float:
        """Return the cycles of a job alone on a new network."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the additional ones of this fidelity."""
        return figures

    def more(self) -> dict[str, Any]:
        """Return the additional outputs of this fidelity."""
        return {}


class LiveRunner(FidelityRunner):
    """Every packet on one network; each job is simulated again alone after its end."""

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, loops: LoopTimes) -> None:
        self.measured: dict[int, Measured] = {}
        self._attempts: dict[int, Attempt] = {}  # by job, if there are several draws
        self._draws = 1
        self._plan, self._placing, self._engine, self._tell = plan, placing, engine, tell
        self._stored = loops.stored
        self._fresh = _fresh_times(plan, without_faults(placing), engine, loops)
        longest = from_log(plan.estimate_factor) if plan.applications else self._fresh.longest
        self._live = LiveExecution(placing, longest, engine, self._ended, plan.explain)
        self._by_chance = network_draws(placing.machine, placing.config)
        self.execution: Execution = self._live

    def alone(self, placed: Placed) -> float:
        return self._fresh.cycles(placed)

    def finish(self) -> None:
        """Run all jobs again in each further draw; not if one failed, as its part is then not known."""
        wanted, target = self._plan.draws, self._plan.target_half_width
        if wanted == 1 or self._live.failures:
            return
        jobs = [*self.measured.values()]
        times = [self._draw(number) for number in range(PILOT if isinstance(wanted, str) else wanted)]
        means = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
        if wanted == "auto":
            budget = affordable_draws(self._placing, [one.placed.job for one in jobs], self._plan.max_packets)
            enough = enough_draws(means, PILOT, target, min(MOST_DRAWS, budget))
            times += [self._draw(number) for number in range(PILOT, enough)]
            means = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
        self.measured.update(zip([*self.measured], means, strict=True))
        self._draws = len(times)

    def _draw(self, number: int) -> tuple[list[float], list[float]]:
        """Return the cycles of all jobs in one draw, beside others and alone."""
        attempts = self._attempts
        if number:
            order = sorted(attempts.values(), key=lambda attempt: attempt.start)
            started = [Started(attempt.placed, attempt.start) for attempt in order]

            def simulated() -> list[int]:
                cycles = replay(self._placing.drawn(number), started).cycles
                return [cycles[job] for job in attempts]

            live = self._stored.get(("draw", number), simulated)
        else:
            live = [attempt.cycles for attempt in attempts.values()]
        return live, [self._alone(attempt, number) for attempt in attempts.values()]

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        return (
            replace(figures, half_width=half_widths(self.measured.values())) if self._draws > 1 else figures
        )

    def more(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "failures": [{"job": job, "why": why} for job, why in self._live.failures.items()]
        }
        said |= {"draws": self._draws} if self._draws > 1 else {}
        return said | ({"waiting": self._live.waiting().to_dict()} if self._plan.explain else {})

    def _ended(self, attempt: Attempt) -> None:
        placed = attempt.placed
        alone = self._alone(attempt, 0)
        if self._plan.draws != 1:
            self._attempts[placed.job.number] = attempt
        elif self._by_chance and alone != attempt.cycles:
            alone = several(lambda number: self._alone(attempt, number), self._plan.target_half_width).cycles
        # A single draw of chance has no interval.
        half = None if self._by_chance else 0.0
        fresh = self._fresh.cycles(placed)
        self.measured[placed.job.number] = Measured(
            placed, attempt.start, attempt.cycles, alone, fresh, half, half
        )
        self._tell(len(self.measured))

    def _alone(self, attempt: Attempt, number: int) -> float:
        """Return the cycles of a job alone from the same state, in one draw."""
        placing = without_faults(self._placing, attempt.start).drawn(number)
        key = "alone", attempt.start, attempt.placed.job.number, number
        return float(
            self._stored.get(key, lambda: cycles_alone(placing, attempt.placed, self._engine, attempt.since))
        )


def over_draws(
    jobs: Sequence[Measured], live: NDArray[np.float64], alone: NDArray[np.float64]
) -> list[Measured]:
    """Return jobs with mean times over draws, and the intervals of the live times and of the slowdowns.

    `live` and `alone`, shape (jobs, draws), are cycles with other jobs and alone, with the same random
    numbers in a draw. The slowdown is the ratio of the means, and its error that of the differences from it:
    W. Cochran, "Sampling techniques", section 6. The prior variance is the mean one of the jobs that others
    affected.
    """
    if not jobs:
        return []
    mean, own = live.mean(axis=1), alone.mean(axis=1)
    slowdown = np.divide(mean, own, out=np.ones(len(jobs)), where=own > 0)
    differences = live - slowdown[:, None] * alone
    shares = np.divide(differences.std(axis=1, ddof=1), mean, out=np.zeros(len(jobs)), where=mean > 0)
    touched = (live != alone).any(axis=1)
    default = math.sqrt((shares[touched] ** 2).mean()) if touched.any() else 0.0
    chance: NDArray[np.float64] = half_widths_with_prior(shares, live.shape[1], default)
    return [
        replace(
            one,
            live=float(mean[row]),
            alone=float(own[row]),
            half_width=half_width(live[row]) / mean[row] if mean[row] else 0.0,
            chance=float(chance[row]),
            ran=round(float(live[row, 0])),
        )
        for row, one in enumerate(jobs)
    ]


def enough_draws(jobs: Sequence[Measured], draws: int, target_half_width: float, most: int) -> int:
    """Return how many draws make slowdowns as precise as requested on average, from `draws` to `most`."""
    unit = float(half_widths_with_prior(1.0, draws, 1.0))
    deviation = float(np.mean([one.chance for one in jobs])) / unit if jobs else 0.0
    while draws < most and half_widths_with_prior(deviation, draws, deviation) > target_half_width:
        draws += 1
    return draws


class TableRunner(FidelityRunner):
    """Each job alone on a new network; only the rate of long loops."""

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, loops: LoopTimes) -> None:
        self.measured: dict[int, Measured] = {}
        self._tell = tell
        longest = from_log(plan.estimate_factor)
        self._alone: Callable[[Placed], float] = loops.alone
        if not plan.applications:
            fresh = _fresh_times(plan, placing, engine, loops)
            self._alone, longest = fresh.cycles, fresh.longest
        self.execution: Execution = TableExecution(placing, self.alone, longest, self._begun)

    def alone(self, placed: Placed) -> float:
        if not placed.work.application:
            return float(placed.work.compute) * placed.work.iterations
        return self._alone(placed)

    def _begun(self, placed: Placed, start: int, cycles: float) -> None:
        self.measured[placed.job.number] = Measured(placed, start, cycles, cycles, cycles)
        self._tell(len(self.measured))


class TableExecution:
    """Times of jobs alone as an execution, as in a table."""

    def __init__(
        self,
        placing: Placing,
        cycles: Callable[[Placed], float],
        longest: Callable[[Job], float],
        begun: Callable[[Placed, int, float], None],
    ) -> None:
        self.longest = longest
        self._placing, self._cycles, self._tell = placing, cycles, begun

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        placed = self._placing.put(job, allocation)
        second = self._placing.config.cycle_ns * 1e-9
        cycles = self._cycles(placed)
        self._tell(placed, round(now / second), cycles)
        return cycles * second

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing, because a stopped job is not queried again."""

    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""


def _fresh_times(plan: CosimPlan, placing: Placing, engine: str, loops: LoopTimes) -> FreshTimes:
    return FreshTimes(
        placing,
        plan.estimate_factor,
        engine,
        target_half_width=plan.target_half_width,
        stored=loops.stored,
    )


RUNNERS: dict[str, Callable[[CosimPlan, Placing, str, Tell, LoopTimes], FidelityRunner]] = {
    "table": TableRunner,
    "sampled": lambda plan, placing, _, tell, loops: SampledRunner(plan, placing, tell, loops.stored),
    "live": LiveRunner,
}
