"""Streams of jobs: steady parts of a log, shortened so that every packet can be simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.shared.archive_logs import ArchiveLog
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload, at_load

LEAST_SECONDS = 600.0  # jobs that ran shorter are left out, and so are jobs of one node
LOAD = 1.5
_WEEK = 7 * 86_400.0
_STEADY = 0.25  # a week is steady if its work differs from the median week's by no more
_LEAST_JOBS = 100  # of a week

Real = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    jobs: Workload  # the jobs, times divided by `faster`
    faster: float  # by what times were divided, those between submissions apart


@dataclass(frozen=True, eq=False)
class _Kept:
    submit: Real
    nodes: NDArray[np.int64]
    seconds: Real

    @property
    def work(self) -> Real:
        return self.nodes * self.seconds


@lru_cache(maxsize=16)
def _kept(log: ArchiveLog, machine: int) -> _Kept:
    # Sizes are those of the log times a power of two, or divided by one, the largest with which its machine
    # is no larger than this one: jobs fill as much of it as they did there. Jobs of one processor or one
    # node, of more than half the machine, and short ones do not count.
    jobs = log.read()
    width = jobs.machine_nodes or int(jobs.nodes.max())
    power = int(np.floor(np.log2(machine / width)))
    nodes = jobs.nodes << power if power >= 0 else -(-jobs.nodes // 2**-power)
    most = machine // 2
    counts = (jobs.nodes > 1) & (nodes > 1) & (nodes <= most) & (jobs.run_time >= LEAST_SECONDS)
    return _Kept(jobs.submit[counts], nodes[counts], jobs.run_time[counts])


def steady_weeks(log: ArchiveLog, machine: int, count: int) -> list[int]:
    """Return `count` weeks of a log at which streams begin, spread over the steady weeks.

    They are at a half, a quarter, three quarters, an eighth, .. of these weeks: a smaller selection begins a
    larger one.
    """
    kept = _kept(log, machine)
    week = ((kept.submit - kept.submit[0]) // _WEEK).astype(np.int64)
    weeks = int(week[-1])  # the last is not whole, and nothing follows it
    work = np.bincount(week, weights=kept.work)[:weeks]
    jobs = np.bincount(week)[:weeks]
    usual = np.median(work[work > 0]) if (work > 0).any() else 0.0
    steady = np.flatnonzero((abs(work - usual) <= _STEADY * usual) & (jobs >= _LEAST_JOBS))
    if len(steady) < count:
        raise ValueError(
            f"log {log.name}: has {len(steady)} steady weeks of at least {_LEAST_JOBS} jobs of several "
            f"nodes, expected {count}"
        )
    return [int(steady[int(_spread(place) * len(steady))]) for place in range(1, count + 1)]


def _spread(place: int) -> float:
    """Return the numbers of van der Corput: 1/2, 1/4, 3/4, 1/8, 5/8, .."""
    digits = f"{place:b}"[::-1]
    return int(digits, 2) / float(2 ** len(digits))


def stream_of(log: ArchiveLog, machine: int, week: int, jobs: int, mean_run: float) -> Stream:
    """Return jobs of a log from the beginning of a week on, for a machine of the given number of nodes.

    One divisor makes the mean run time, weighted by work, `mean_run` seconds; another, of the times between
    submissions, makes the load `LOAD`.
    """
    kept = _kept(log, machine)
    first = int(np.searchsorted(kept.submit, kept.submit[0] + week * _WEEK))
    part = slice(first, first + jobs)
    mean = float(np.average(kept.seconds[part], weights=kept.work[part]))
    faster = mean / mean_run
    columns: Any = zip(kept.submit[part], kept.nodes[part], kept.seconds[part], strict=True)
    made = [
        Job(number, float(submit - kept.submit[first]) / faster, int(size), float(seconds) / faster)
        for number, (submit, size, seconds) in enumerate(columns, 1)
    ]
    return Stream(at_load(Workload.of(made), machine, LOAD), faster)
