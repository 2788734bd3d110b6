"""The amount of work of a workload for a machine."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_int
from netplace.scheduling.job import Job
from netplace.scheduling.workload.workload import Workload


def load(jobs: Iterable[Job], nodes: int) -> float:
    """Return the load: work submitted, as a share of what the machine can do in the time.

    It is ``sum(size * run_time) / (P * (Tend - Tstart))``, as logs are measured in the Parallel Workloads
    Archive: without the first 1 % of the jobs, while which a machine fills, so that ``Tstart`` is the
    submission of the first job after them; and without the tail, so that ``Tend`` is the last submission,
    and jobs submitted then do not count. All jobs at once are an infinite load, jobs that all run no time
    none.

    Parameters
    ----------
    jobs : Workload or iterable of Job
        The jobs.
    nodes : int
        Nodes P of the machine.

    References
    ----------
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


def at_load(workload: Workload, nodes: int, target: float) -> Workload:
    """Return the workload at another load: the times between submissions are stretched alike.

    The daily cycle is stretched with them; a Lublin workload is better made at its load, see
    `netplace.scheduling.workload.lublin`.
    """
    check_load(target)
    present = load(workload, nodes)
    if not 0 < present < math.inf:
        raise ValueError(f"load: the workload has load {present:g}, which cannot be scaled to {target:g}")
    return workload.submitted(workload.submit[0] + (workload.submit - workload.submit[0]) * present / target)


def check_load(target: float, what: str = "load") -> float:
    if not 0 < target < math.inf:
        raise ValueError(f"{what}: {target:g} is invalid, expected a number greater than 0")
    return target
