"""A running co-simulation: an execution, and the measurements of the jobs that have ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from netplace.cosim.alone import FreshTimes, cycles_alone, several
from netplace.cosim.checkpoint import Keep
from netplace.cosim.cosim_figures import CosimFigures, MixFigures
from netplace.cosim.cost import affordable_draws
from netplace.cosim.draws import MOST, PILOT, enough_draws, over_draws
from netplace.cosim.figures import half_widths
from netplace.cosim.interval import MARKED
from netplace.cosim.job_row import Measured
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.losses import TOLD
from netplace.cosim.mixes import SOURCES, MixesExecution, Progress
from netplace.cosim.mixes import half_width as half_width_of_mixes
from netplace.cosim.placed import Placed, Placing, without_faults
from netplace.cosim.plan import CosimPlan
from netplace.cosim.rates import Rates
from netplace.cosim.replay import Started, replay
from netplace.cosim.sampled import SampledCourse
from netplace.cosim.table import TableExecution, from_log
from netplace.runs.chance import network_draws
from netplace.scheduling import Execution

Tell = Callable[[int], None]


class Course(Protocol):
    """One fidelity in operation."""

    kept: tuple[str, ...] = ()  # attributes that belong to a checkpoint, see `netplace.cosim.journal`: dicts

    execution: Execution  # execution of the jobs
    measured: dict[int, Measured]  # measurements of each job that has ended, by its number

    def finish(self, keep: Keep | None) -> None:
        """Measure what requires that all jobs have ended; save checkpoints meanwhile."""

    def alone(self, placed: Placed) -> float:
        """Return the cycles of a job alone on a new network."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the additional ones of this fidelity."""
        return figures

    def more(self) -> dict[str, Any]:
        """Return the additional outputs of this fidelity."""
        return {}


class _Live(Course):
    """Every packet on one network; each job is simulated again alone after its end."""

    kept: tuple[str, ...] = ("measured", "_attempts")

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
        self._attempts: dict[int, Attempt] = {}  # by job, if there are several draws
        self._draws = 1
        self._placing, self._engine, self._tell = placing, engine, tell
        self._memory = rates.memory
        self._fresh = FreshTimes(
            without_faults(placing),
            plan.estimate_factor,
            engine,
            target_half_width=plan.target_half_width,
            memory=rates.memory,
        )
        longest = from_log(plan.estimate_factor) if plan.applications else self._fresh.longest
        self._live = LiveExecution(placing, longest, engine, self._ended, plan.explain)
        self._wanted, self._max_packets = plan.draws, plan.max_packets
        self._explain, self._target_half_width = plan.explain, plan.target_half_width
        self._by_chance = network_draws(placing.machine, placing.config)
        self.execution: Execution = self._live

    def alone(self, placed: Placed) -> float:
        return self._fresh.cycles(placed)

    def finish(self, keep: Keep | None) -> None:
        """Run all jobs again in each further draw; not if one failed, as its part is then not known."""
        if self._wanted == 1 or self._live.failures:
            return
        jobs = [*self.measured.values()]
        wanted = PILOT if isinstance(self._wanted, str) else self._wanted
        times = [self._draw(number) for number in range(wanted)]
        if self._wanted == "auto":
            budget = affordable_draws(self._placing, [one.placed.job for one in jobs], self._max_packets)
            made = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
            wanted = enough_draws(made, PILOT, self._target_half_width, min(MOST, budget))
            times += [self._draw(number) for number in range(PILOT, wanted)]
        made = over_draws(jobs, *np.array(times, float).transpose(1, 2, 0))
        self.measured.update(zip([*self.measured], made, strict=True))
        self._draws = wanted

    def _draw(self, number: int) -> tuple[list[int], list[float]]:
        """Return the cycles of all jobs in one draw, beside others and alone."""
        attempts = self._attempts
        if number:
            order = sorted(attempts.values(), key=lambda attempt: attempt.start)
            placing = replace(self._placing, seed=self._placing.seed + number)
            started = [Started(attempt.placed, attempt.start) for attempt in order]
            live = self._memory.of(("draw", number), lambda: dict(replay(placing, started).cycles))
        else:
            live = {job: attempt.cycles for job, attempt in attempts.items()}
        alone = [self._alone(attempt, number) for attempt in attempts.values()]
        return [live[job] for job in attempts], alone

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        return (
            replace(figures, half_width=half_widths(self.measured.values())) if self._draws > 1 else figures
        )

    def more(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "failures": [{"job": job, "why": why} for job, why in self._live.failures.items()]
        }
        said |= {"draws": self._draws} if self._draws > 1 else {}
        return said | ({"waiting": self._live.waiting().to_dict()} if self._explain else {})

    def _ended(self, attempt: Attempt) -> None:
        placed = attempt.placed
        alone = self._alone(attempt, 0)
        if self._wanted != 1:
            self._attempts[placed.job.number] = attempt
        elif self._by_chance and alone != attempt.cycles:
            alone = several(lambda number: self._alone(attempt, number), self._target_half_width).cycles
        # A single draw of chance has no interval.
        half = None if self._by_chance else 0.0
        fresh = self._fresh.cycles(placed)
        self.measured[placed.job.number] = Measured(
            placed, attempt.start, attempt.cycles, alone, fresh, half, half
        )
        self._tell(len(self.measured))

    def _alone(self, attempt: Attempt, number: int) -> float:
        """Return the cycles of a job alone from the same state, in one draw."""

        def simulated() -> int:
            then = without_faults(self._placing, attempt.start)
            placing = replace(then, seed=then.seed + number)
            return cycles_alone(placing, attempt.placed, self._engine, attempt.since)

        return float(self._memory.of(("alone", attempt.start, attempt.placed.job.number, number), simulated))


class _Table(Course):
    """Each job alone on a new network; only the rate of long loops."""

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
        self._tell = tell
        longest = from_log(plan.estimate_factor)
        if plan.applications:
            self._alone: Callable[[Placed], float] = lambda placed: _alone(rates, placed)
        else:
            fresh = FreshTimes(
                placing,
                plan.estimate_factor,
                engine,
                target_half_width=plan.target_half_width,
                memory=rates.memory,
            )
            self._alone, longest = fresh.cycles, fresh.longest
        self.execution: Execution = TableExecution(placing, self._alone, longest, self._begun)

    def alone(self, placed: Placed) -> float:
        return self._alone(placed)

    def _begun(self, placed: Placed, start: int, cycles: float) -> None:
        self.measured[placed.job.number] = Measured(placed, start, cycles, cycles, cycles)
        self._tell(len(self.measured))


class _Mixes(Course):
    """Rates of progress, measured mix by mix."""

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
        self._tell, self._rates = tell, rates
        self._by_source = dict.fromkeys(SOURCES, 0.0)
        self._lost: list[dict[str, float]] = []
        self._second = placing.config.cycle_ns * 1e-9
        longest = from_log(plan.estimate_factor)
        if not plan.applications:
            longest = FreshTimes(
                placing, plan.estimate_factor, cycles=lambda placed: _alone(self._rates, placed)
            ).longest
        self._mixes = MixesExecution(placing, self._rates, longest, self._ended)
        self.execution: Execution = self._mixes

    def alone(self, placed: Placed) -> float:
        return _alone(self._rates, placed)

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        total = sum(self._by_source.values())
        shares = {name: time / total if total else 0.0 for name, time in self._by_source.items()}
        mixes = MixFigures(self._rates.simulated, self._rates.missed, self._rates.target_half_width)
        width = half_widths(self.measured.values())
        marked = sum((job.half_width or 0) > MARKED for job in self.measured.values())
        return replace(figures, sources=shares, mixes=mixes, half_width=width, marked=marked)

    def more(self) -> dict[str, Any]:
        failures = [{"job": job, "why": why} for job, why in self._mixes.failures.items()]
        return {"failures": failures, "lost": sorted(self._lost, key=lambda row: -row["seconds"])}

    def _ended(self, done: Progress) -> None:
        placed, taken = done.placed, done.end - done.begin
        alone = _alone(self._rates, placed)
        for source, cycles in done.by_source.items():
            self._by_source[source] += cycles
        self._lost += [
            {"job": placed.job.number, "by": other, "seconds": cycles * self._second}
            for other, cycles in done.lost.items()
            if cycles > TOLD * alone
        ]
        width = half_width_of_mixes(done, self._rates.loops)
        start = round(done.begin)
        self.measured[placed.job.number] = Measured(placed, start, taken, alone, alone, width, width)
        self._tell(len(self.measured))


def _alone(rates: Rates, placed: Placed) -> float:
    if not placed.work.application:
        return float(placed.work.compute) * placed.work.iterations
    return rates.loops.alone(placed)


COURSES: dict[str, Callable[[CosimPlan, Placing, str, Tell, Rates], Course]] = {
    "table": _Table,
    "mixes": _Mixes,
    "sampled": lambda plan, placing, _, tell, rates: SampledCourse(plan, placing, tell, rates.memory),
    "live": _Live,
}
