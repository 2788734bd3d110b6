"""Small workloads from a log: jobs drawn one by one, or a few successive weeks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netplace.checks import check_int, check_size
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload

WEEK = 7 * 24 * 3600.0
_BYTES_PER_JOB = 300  # drawn, and then scheduled
_BYTES_PER_WEEK = 64


def draw_jobs(log: Workload, jobs: int, processors: int, seed: int = 0) -> list[Job]:
    """Return jobs drawn with replacement, all submitted at 0; F. Mendonca, thesis, 2017, section 4.5."""
    check_size(check_int(jobs, "jobs"), _BYTES_PER_JOB, "jobs", "draw")
    able = np.flatnonzero((log.nodes <= processors) & (log.run_time > 0))
    if not len(able):
        raise ValueError(f"log: no job of it runs on {processors:,} processors")
    drawn = np.random.default_rng(seed).choice(able, jobs)
    return [
        Job(number, 0.0, int(log.nodes[row]), float(log.run_time[row]), float(log.run_time[row]))
        for number, row in enumerate(drawn.tolist(), 1)
    ]


def draw_weeks(log: Workload, weeks: int, instances: int, seed: int = 0, least: int = 1) -> list[list[Job]]:
    """Return workloads of some successive weeks each, from whole weeks drawn without replacement.

    F. Mendonca, thesis, 2017, section 5.6. Workloads of fewer than `least` jobs are omitted.
    """
    check_int(weeks, "weeks")
    check_int(instances, "instances")
    first, last = float(log.submit[0]), float(log.submit[-1])
    check_size(int((last - first) // WEEK), _BYTES_PER_WEEK, "weeks", "log")
    begins = first + WEEK * np.arange(max(int((last - first) // WEEK) - weeks + 1, 0))
    low = np.searchsorted(log.submit, begins, "left")
    high = np.searchsorted(log.submit, begins + weeks * WEEK, "left")
    able = np.flatnonzero(high - low >= least)
    if len(able) < instances:
        raise ValueError(
            f"log: has {len(able)} places for {weeks} successive weeks of at least {least} jobs, "
            f"{instances} are wanted"
        )
    chosen = np.sort(np.random.default_rng(seed).choice(able, instances, replace=False))
    return [
        [
            replace(job, submit=job.submit - float(begins[week]))
            for job in log[int(low[week]) : int(high[week])]
        ]
        for week in chosen.tolist()
    ]
