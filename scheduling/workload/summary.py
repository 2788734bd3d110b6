"""A workload in figures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_int
from netplace.plain_data import PlainData
from netplace.scheduling.job import Job
from netplace.scheduling.workload.workload import Workload


def load(jobs: Iterable[Job], nodes: int) -> float:
    """Return the load: submitted work as a share of the capacity of `nodes` nodes in the time.

    It is ``sum(size * run_time) / (P * (Tend - Tstart))``, as logs are measured in the Parallel Workloads
    Archive: without the first 1 % of the jobs, while which a machine fills, so that ``Tstart`` is the
    submission of the first job after them; and without the tail, so that ``Tend`` is the last submission,
    and jobs submitted then do not count. The load of jobs submitted all at once is infinite.

    D. G. Feitelson, D. Tsafrir, D. Krakov, "Experience with using the Parallel Workloads Archive",
    J. Parallel Distrib. Comput. 74(10), 2014.
    """
    workload = jobs if isinstance(jobs, Workload) else Workload.of(jobs)
    if not len(workload):
        raise ValueError("load: the workload has no jobs")
    return load_of(
        workload.submit, workload.nodes * workload.run_time, check_int(nodes, "nodes of the machine")
    )


def load_of(submit: NDArray[np.float64], work: NDArray[np.float64], nodes: int) -> float:
    """Return the load of jobs given by submit times, in order, and node-seconds; see `load`."""
    first = len(submit) // 100
    start, end = submit[first], submit[-1]
    done = float(work[first:][submit[first:] < end].sum())
    if end > start:
        return done / (nodes * float(end - start))
    return math.inf if work[first:].any() else 0.0


def scale_to_load(workload: Workload, nodes: int, target: float) -> Workload:
    """Return the workload at another load: the times between submissions are scaled alike.

    The daily cycle is scaled with them; make a Lublin workload at its load instead, see
    `netplace.scheduling.workload.lublin`.
    """
    check_load(target)
    present = load(workload, nodes)
    if not 0 < present < math.inf:
        raise ValueError(f"load: the workload has load {present:g}, which cannot be scaled to {target:g}")
    return workload.submitted(workload.submit[0] + (workload.submit - workload.submit[0]) * present / target)


def check_load(target: float, label: str = "load") -> float:
    if not 0 < target < math.inf:
        raise ValueError(f"{label}: {target:g} is invalid, expected a number greater than 0")
    return target


_HOUR = 3600
_DAY_HOURS = 24


@dataclass(frozen=True)
class Middle:
    """Mean, median and largest of one value a job."""

    mean: float
    median: float
    max: float


@dataclass(frozen=True)
class WorkloadFigures(PlainData):
    """A workload in figures; shares of jobs from 0 to 1, None if there are no jobs to count."""

    # Jobs in the file, those that were read, and those left out by reason.
    records: int
    jobs: int
    dropped: dict[str, int]
    # Nodes, and jobs that request more; None if they are unknown.
    machine_nodes: int | None
    larger_than_machine: int | None
    load: float | None  # see `load`; None: no machine, no run times, or all jobs at once
    span_seconds: float  # from the first to the last submission
    # Sizes, run times, and times between submissions.
    nodes: Middle | None
    run_seconds: Middle | None
    gap_seconds: Middle | None
    serial: float | None  # share of jobs of one node
    power_of_two: float | None  # of the others, share whose size is a power of two
    with_estimate: float | None
    over_estimate: float | None  # of those with an estimate, share that ran longer
    without_run_time: float | None  # share of jobs that take 0 seconds
    jobs_by_hour: tuple[int, ...]  # submitted in each hour of the day
    programs: dict[str, int]


def describe(workload: Workload, nodes: int | None = None) -> WorkloadFigures:
    """Return the figures of a workload of at least one job; `nodes` are by default those that it names."""
    machine = nodes or workload.machine_nodes
    offered = load(workload, machine) if machine and workload.run_time.any() else math.inf
    size, run_time, estimate = workload.nodes, workload.run_time, workload.estimate
    known = ~np.isnan(estimate)
    return WorkloadFigures(
        records=workload.records,
        jobs=len(workload),
        dropped=dict(workload.dropped),
        machine_nodes=machine,
        larger_than_machine=int(np.count_nonzero(size > machine)) if machine else None,
        load=offered if math.isfinite(offered) else None,
        span_seconds=float(workload.submit[-1] - workload.submit[0]),
        nodes=_middle(size),
        run_seconds=_middle(run_time),
        gap_seconds=_middle(np.diff(workload.submit)),
        serial=_share(size == 1),
        power_of_two=_share((size & (size - 1) == 0)[size > 1]),
        with_estimate=_share(known),
        over_estimate=_share((run_time > estimate)[known]),
        without_run_time=_share(run_time == 0),
        jobs_by_hour=tuple(np.bincount(hours(workload), minlength=_DAY_HOURS).tolist()),
        programs=_programs(workload),
    )


def hours(workload: Workload) -> NDArray[np.int64]:
    """Return the hour of the day, 0 to 23, in which each job is submitted."""
    return ((workload.submit + _start(workload.header)) // _HOUR % _DAY_HOURS).astype(np.int64)


def _start(header: Sequence[str]) -> int:
    matches = (re.match(r"\s*StartTime:.*?(\d\d):(\d\d):(\d\d)", line) for line in header)
    match = next((match for match in matches if match), None)
    return (
        sum(int(part) * unit for part, unit in zip(match.groups(), (_HOUR, 60, 1), strict=True))
        if match
        else 0
    )


def _middle(values: NDArray[Any]) -> Middle | None:
    return (
        Middle(float(values.mean()), float(np.median(values)), float(values.max())) if len(values) else None
    )


def _share(which: NDArray[np.bool_]) -> float | None:
    return float(which.mean()) if len(which) else None


def _programs(workload: Workload) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (name, _), count in zip(workload.kinds, np.bincount(workload.kind).tolist(), strict=False):
        if name:
            counts[name] += count
    return dict(sorted(counts.items()))
