"""A running co-simulation: an execution, and the measurements of the jobs that have ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.alone import Alone, FreshTimes, cycles_alone, several
from netplace.cosim.checkpoint import Keep
from netplace.cosim.cosim_figures import CosimFigures, MixFigures
from netplace.cosim.figures import half_widths
from netplace.cosim.interval import MARKED
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.measured import Measured
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
from netplace.scheduling.metrics.interval import half_width, quantile

Tell = Callable[[int], None]
_PRIOR = 2  # draws that the mean variance of all jobs counts for


class Course(Protocol):
    """One fidelity in operation."""

    kept: tuple[str, ...]  # attributes that belong to a checkpoint, see `netplace.cosim.journal`: dicts

    execution: Execution  # execution of the jobs
    measured: dict[int, Measured]  # measurements of each job that has ended, by its number

    def finish(self, keep: Keep | None) -> None:
        """Measure what requires that all jobs have ended; save checkpoints meanwhile."""

    def alone(self, placed: Placed) -> float:
        """Return the cycles of a job alone on a new network."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the additional ones of this fidelity."""

    def more(self) -> dict[str, Any]:
        """Return the additional outputs of this fidelity."""


class _Live:
    """Every packet on one network; each job is simulated again alone after its end."""

    kept: tuple[str, ...] = ("measured",)

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
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
        self._wanted = plan.draws
        self._explain, self._target_half_width = plan.explain, plan.target_half_width
        self.execution: Execution = self._live

    def alone(self, placed: Placed) -> float:
        return self._fresh.cycles(placed)

    def finish(self, keep: Keep | None) -> None:
        """Run all jobs again in each further draw; not if one failed, as its part is then not known."""
        if self._wanted == 1 or self._live.failures:
            return
        started = sorted((Started(one.placed, one.start) for one in self.measured.values()), key=_by_start)

        def again(number: int) -> dict[int, int]:
            return dict(replay(replace(self._placing, seed=self._placing.seed + number), started).cycles)

        runs = [
            self._memory.of(("draw", number), partial(again, number)) for number in range(1, self._wanted)
        ]
        live = np.array([[one.live, *(run[number] for run in runs)] for number, one in self.measured.items()])
        made = _over_draws([*self.measured.values()], live)
        self.measured.update(zip([*self.measured], made, strict=True))

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the half-widths of the times, if there are several draws."""
        if self._wanted == 1 or self._live.failures:
            return figures
        return replace(figures, half_width=half_widths(self.measured.values()))

    def more(self) -> dict[str, Any]:
        """Return the jobs that could never have ended with the reasons, and the charged waiting."""
        said: dict[str, Any] = {
            "failures": [{"job": job, "why": why} for job, why in self._live.failures.items()]
        }
        return said | ({"waiting": self._live.waiting().to_dict()} if self._explain else {})

    def _ended(self, attempt: Attempt) -> None:
        placed = attempt.placed
        then = without_faults(self._placing, attempt.start)
        alone, draws = self._alone(then, attempt)
        fresh = self._fresh.cycles(placed)
        self.measured[placed.job.number] = Measured(
            placed, attempt.start, attempt.cycles, alone.cycles, fresh, draws=draws, chance=alone.chance
        )
        self._tell(len(self.measured))

    def _alone(self, then: Placing, attempt: Attempt) -> tuple[Alone, tuple[float, ...]]:
        """Return the time alone, and if live draws are wanted those with the same random numbers."""

        def draw(number: int) -> float:
            placing = replace(then, seed=then.seed + number)
            return cycles_alone(placing, attempt.placed, self._engine, attempt.since)

        job = attempt.placed.job.number

        def known(number: int) -> float:
            return float(self._memory.of(("alone", attempt.start, job, number), lambda: draw(number)))

        same = known(0)
        if self._wanted > 1:
            times = tuple(known(number) for number in range(self._wanted))
            return Alone(float(np.mean(times))), times
        if same == attempt.cycles or not network_draws(then.machine, then.config):
            return Alone(same), ()
        return several(lambda number: known(number) if number else same, self._target_half_width), ()


def _by_start(started: Started) -> int:
    return started.start


def _over_draws(jobs: Sequence[Measured], live: NDArray[Any]) -> list[Measured]:
    """Return jobs with mean times over draws, and the intervals of the live times and of the slowdowns.

    `live`, shape (jobs, draws): cycles beside others. A draw has the same random numbers beside others and
    alone. The slowdown is the ratio of the means, and its error that of the differences from it: W. Cochran,
    "Sampling techniques", section 6. Few draws miss what happens rarely. Each variance is therefore joined
    with the mean one of the jobs that others touched, which counts for two draws: G. Smyth, "Linear models
    and empirical Bayes methods", 2004.
    """
    if not jobs:
        return []
    alone = np.array([one.draws for one in jobs], float)
    mean, own = live.mean(axis=1), alone.mean(axis=1)
    slowdown = np.divide(mean, own, out=np.ones(len(jobs)), where=own > 0)
    differences = live - slowdown[:, None] * alone
    size = live.shape[1]
    shares = np.divide(differences.std(axis=1, ddof=1), mean, out=np.zeros(len(jobs)), where=mean > 0)
    touched = (live != alone).any(axis=1)
    pooled = float((shares[touched] ** 2).mean()) if touched.any() else 0.0
    joined = np.sqrt(((size - 1) * shares**2 + _PRIOR * pooled) / (size - 1 + _PRIOR))
    chance = quantile(size + _PRIOR) * joined / np.sqrt(size)
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


class _Table:
    """Each job alone on a new network; only the rate of long loops."""

    kept: tuple[str, ...] = ()

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
        self._tell = tell
        longest = from_log(plan.estimate_factor)
        if plan.applications:
            self.alone: Callable[[Placed], float] = lambda placed: _alone(rates, placed)
        else:
            fresh = FreshTimes(
                placing,
                plan.estimate_factor,
                engine,
                target_half_width=plan.target_half_width,
                memory=rates.memory,
            )
            self.alone, longest = fresh.cycles, fresh.longest
        self.execution: Execution = TableExecution(placing, self.alone, longest, self._begun)

    def finish(self, keep: Keep | None) -> None:
        """Do nothing: everything has been measured."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        return figures

    def more(self) -> dict[str, Any]:
        return {}

    def _begun(self, placed: Placed, start: int, cycles: float) -> None:
        self.measured[placed.job.number] = Measured(placed, start, cycles, cycles, cycles)
        self._tell(len(self.measured))


class _Mixes:
    """Rates of progress, measured mix by mix."""

    kept: tuple[str, ...] = ()

    def __init__(self, plan: CosimPlan, placing: Placing, engine: str, tell: Tell, rates: Rates) -> None:
        self.measured: dict[int, Measured] = {}
        self._tell, self._rates = tell, rates
        self._by_source = dict.fromkeys(SOURCES, 0.0)
        longest = from_log(plan.estimate_factor)
        if not plan.applications:
            longest = FreshTimes(
                placing, plan.estimate_factor, cycles=lambda placed: _alone(self._rates, placed)
            ).longest
        self._mixes = MixesExecution(placing, self._rates, longest, self._ended)
        self.execution: Execution = self._mixes

    def alone(self, placed: Placed) -> float:
        return _alone(self._rates, placed)

    def finish(self, keep: Keep | None) -> None:
        """Do nothing: everything has been measured."""

    def with_own(self, figures: CosimFigures) -> CosimFigures:
        """Return figures with the shares of sources of times, and with the measurement of mixes."""
        total = sum(self._by_source.values())
        shares = {name: time / total if total else 0.0 for name, time in self._by_source.items()}
        mixes = MixFigures(self._rates.simulated, self._rates.missed, self._rates.target_half_width)
        width = half_widths(self.measured.values())
        marked = sum(job.half_width > MARKED for job in self.measured.values())
        return replace(figures, sources=shares, mixes=mixes, half_width=width, marked=marked)

    def more(self) -> dict[str, Any]:
        """Return the jobs that could never have ended, with the reasons."""
        return {"failures": [{"job": job, "why": why} for job, why in self._mixes.failures.items()]}

    def _ended(self, done: Progress) -> None:
        placed, taken = done.placed, done.end - done.begin
        alone = _alone(self._rates, placed)
        for source, cycles in done.by_source.items():
            self._by_source[source] += cycles
        width = half_width_of_mixes(done, self._rates.loops)
        start = round(done.begin)
        self.measured[placed.job.number] = Measured(placed, start, taken, alone, alone, width, width)
        self._tell(len(self.measured))


def _alone(rates: Rates, placed: Placed) -> float:
    """Return the time alone, and if live draws are wanted those with the same random numbers."""
    if not placed.work.application:
        return float(placed.work.compute) * placed.work.iterations
    return rates.loops.alone(placed)


COURSES: dict[str, Callable[[CosimPlan, Placing, str, Tell, Rates], Course]] = {
    "table": _Table,
    "mixes": _Mixes,
    "sampled": lambda plan, placing, _, tell, rates: SampledCourse(plan, placing, tell, rates.memory),
    "live": _Live,
}
