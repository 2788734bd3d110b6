"""The results of jobs: one value per job, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice
from netplace.quantities import LESS, Quantity
from netplace.scheduling.schedule import Schedule

Column = NDArray[np.float64]

BOUND = 10.0  # seconds: shorter jobs count as so long in the bounded slowdown
_LEAST = 1.0  # seconds: shorter times count as so long in the stretch


def _wait(schedule: Schedule) -> Column:
    return schedule.start - schedule.submit


def _turnaround(schedule: Schedule) -> Column:
    return schedule.end - schedule.submit


def _run(schedule: Schedule) -> Column:
    return schedule.end - schedule.start


def _bounded_slowdown(schedule: Schedule) -> Column:
    return np.maximum(_turnaround(schedule) / np.maximum(_run(schedule), BOUND), 1.0)


def _stretch(schedule: Schedule) -> Column:
    return np.maximum(_turnaround(schedule), _LEAST) / np.maximum(schedule.nominal, _LEAST)


PER_JOB: dict[str, tuple[Callable[[Schedule], Column], Quantity]] = {
    "wait": (
        _wait,
        Quantity("wait", "s", 1, LESS, help="From submission to the last start."),
    ),
    "head_wait": (
        lambda schedule: schedule.head_wait,
        Quantity("wait as head", "s", 1, help="Of its wait, as the first of the queue."),
    ),
    "run": (_run, Quantity("run time", "s", 1, LESS, help="From the last start to the end.")),
    "turnaround": (
        _turnaround,
        Quantity("turnaround", "s", 1, LESS, help="From submission to the end: the flow time."),
    ),
    "bounded_slowdown": (
        _bounded_slowdown,
        Quantity(
            "bounded slowdown", "", 1, LESS, help="Turnaround over run time, of at least 10 s; at least 1."
        ),
    ),
    "stretch": (
        _stretch,
        Quantity("stretch", digits=1, help="Turnaround over the run time of the workload, of at least 1 s."),
    ),
}


def per_job(schedule: Schedule, name: str) -> Column:
    """Return one value per job, in order of submission; `name` is a key of `PER_JOB`."""
    return PER_JOB[check_choice(name, PER_JOB, "measure of jobs")][0](schedule)


def _mean_by_weight(values: Column, weights: Column) -> float:
    return float(np.average(values, weights=weights)) if weights.any() else float(values.mean())


# name: (function of one value and one weight per job, one line for people). V. J. Leung et al., CLUSTER 2002,
# sections 2.3 and 3, take such of spans and boxes; a job's weight there is its run time.
OVER_JOBS: dict[str, tuple[Callable[[Column, Column], float], str]] = {
    "mean": (lambda values, weights: float(values.mean()), "mean over jobs"),
    "most": (lambda values, weights: float(values.max()), "maximum over jobs"),
    "squares": (lambda values, weights: float((values**2).sum()), "sum of squares over jobs"),
    "by weight": (_mean_by_weight, "mean over jobs, each by its weight, such as its run time"),
}
