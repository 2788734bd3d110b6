"""Cells of the study: a stream of jobs on a machine, under a policy and a partitioner."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.cosim import Attempt, JobPlacer, JobProgram, LiveExecution, application_work, cycles_alone
from netplace.cosim.alone import compact
from netplace.cosim.work import mixed_work
from netplace.experiments.shared.archive_logs import ArchiveLog
from netplace.netsim import Config
from netplace.report.studies.schedules import CachedCase
from netplace.runs.mix import read_mix
from netplace.scheduling import Allocation, Job, Schedule, make_partitioner, schedule
from netplace.scheduling.workload import Workload, scale_to_load
from netplace.topologies import parse

LEAST_SECONDS = 600.0  # jobs that ran shorter are left out, and so are jobs of one node
LEAST_SHARE = 0.08  # of the mean run time weighted by work: likewise
LOAD = 1.5
_WEEK = 7 * 86_400.0
_STEADY = 0.25  # a week is steady if its work differs from the median week's by no more
_LEAST_JOBS = 100  # of a week

Real = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Kept:
    submit: Real
    nodes: NDArray[np.int64]
    seconds: Real
    mean: float  # run time of the jobs that ran `LEAST_SECONDS`, weighted by work

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
    maximum = machine // 2
    counts = (jobs.nodes > 1) & (nodes > 1) & (nodes <= maximum) & (jobs.run_time >= LEAST_SECONDS)
    mean = float(np.average(jobs.run_time[counts], weights=(nodes * jobs.run_time)[counts]))
    counts &= jobs.run_time >= LEAST_SHARE * mean
    return _Kept(jobs.submit[counts], nodes[counts], jobs.run_time[counts], mean)


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
    default = np.median(work[work > 0]) if (work > 0).any() else 0.0
    steady = np.flatnonzero((abs(work - default) <= _STEADY * default) & (jobs >= _LEAST_JOBS))
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


def stream_of(log: ArchiveLog, machine: int, week: int, jobs: int, mean_run: float) -> Workload:
    """Return jobs of a log from the beginning of a week on, for a machine of the given number of nodes.

    One divisor for the whole log makes the mean run time, weighted by work, `mean_run` seconds; another, of
    the times between submissions, makes the load of the stream `LOAD`.
    """
    kept = _kept(log, machine)
    first = int(np.searchsorted(kept.submit, kept.submit[0] + week * _WEEK))
    part = slice(first, first + jobs)
    faster = kept.mean / mean_run
    columns: Any = zip(kept.submit[part], kept.nodes[part], kept.seconds[part], strict=True)
    made = [
        Job(number, float(submit - kept.submit[first]) / faster, int(size), float(seconds) / faster)
        for number, (submit, size, seconds) in enumerate(columns, 1)
    ]
    return scale_to_load(Workload.of(made), machine, LOAD)


KINDS = {
    "compact": "each job as long as alone on compact nodes, wherever it is",
    "table": "each job as long as alone where the live run had put it",
    "live": "every packet of every job on one network",
}
_MARGIN = 1.5  # users estimate so many times the run time of the log
_LAPS = 2, 8  # iterations that are simulated to know what one takes
Outcome = dict[str, Any]
Columns = dict[int, dict[str, float]]  # by the number of the job


@dataclass(frozen=True)
class Cell(CachedCase):
    study: ClassVar[str] = "contiguity"
    revision: ClassVar[int] = 2

    machine: str  # text form
    log: ArchiveLog  # where the jobs are from
    week: int  # from whose beginning on; also gives the seeds
    jobs: int  # how many
    mean_run: float  # seconds that they run on it, a mean weighted by their work
    communication: str  # which of the bundled files ``mix-*.toml`` says what jobs run
    # The rules.
    policy: str
    partition: str

    def to_dict(self) -> Outcome:
        """Return what makes the outcome: of the log, what is in it."""
        plain = super().to_dict()
        return {**plain, "log": {"name": self.log.name, "digest": self.log.digest}}

    def run(self) -> Outcome:
        began = time.process_time()
        applications, nodes, network = range(3 * self.week, 3 * self.week + 3)
        placing, compact_time = _placing(self.machine, self.communication, applications)
        placing = replace(placing, seed=network)
        jobs = stream_of(self.log, placing.machine.nodes, self.week, self.jobs, self.mean_run)

        def scheduled(times: LiveExecution | _Known) -> Schedule:
            partitioner = make_partitioner(self.partition, placing.machine, nodes)
            return schedule(placing.machine, jobs, self.policy, partitioner, times)

        measured: Columns = {}
        made = {"live": scheduled(_live(placing, measured))}
        made["table"] = scheduled(_Known({number: row["alone"] for number, row in measured.items()}))
        made["compact"] = scheduled(_Known({job.number: compact_time(job) for job in jobs}))
        return {
            "kinds": {kind: _columns(made[kind]) for kind in KINDS},
            "jobs": _by_job(made["live"], measured),
            "rejected": max(len(outcome.rejected) for outcome in made.values()),
            "cpu": time.process_time() - began,
        }


def _longest(job: Job) -> float:
    return _MARGIN * job.run_time


@lru_cache(maxsize=1)
def _placing(machine: str, communication: str, seed: int) -> tuple[JobPlacer, Callable[[Job], float]]:
    """Return how jobs are put on their nodes, and the seconds that each takes alone on compact nodes.

    What they do is worked out once for all rules. Iterations are whole: the log's seconds differ.
    """
    file = resources.files("netplace.experiments.contiguity") / f"mix-{communication}.toml"
    with resources.as_file(file) as path:
        mix = read_mix(path)
    config = Config()
    given = JobPlacer(parse(machine), config, application_work(config))
    known: dict[tuple[JobProgram, int], float] = {}

    def period(job: Job, work: JobProgram) -> float:
        if (work, job.nodes) not in known:
            known[work, job.nodes] = _iteration(given, job, work)
        return known[work, job.nodes]

    program_for = mixed_work(mix, config, period, seed)

    def compact_time(job: Job) -> float:
        work = program_for(job)
        return work.iterations * period(job, replace(work, iterations=1)) * config.cycle_ns * 1e-9

    return replace(given, program_for=program_for), compact_time


def _iteration(placing: JobPlacer, job: Job, work: JobProgram) -> float:
    allocation = compact(placing.machine, job)

    def cycles(laps: int) -> int:
        some = replace(work, iterations=laps)
        return cycles_alone(placing, replace(placing, program_for=lambda _: some).put(job, allocation))

    few, more = (cycles(laps) for laps in _LAPS)
    return (more - few) / (_LAPS[1] - _LAPS[0])


@dataclass(frozen=True)
class _Known:
    """Run times in seconds by the number of the job, and the estimates that all contestants have."""

    known: Mapping[int, float]

    def seconds(self, job: Job, allocation: Allocation) -> float:
        return self.known[job.number]

    def longest(self, job: Job) -> float:
        return _longest(job)


def _live(placing: JobPlacer, times_by_job: Columns) -> LiveExecution:
    second = 1e9 / placing.config.cycle_ns

    def ended(attempt: Attempt) -> None:
        alone = cycles_alone(placing, attempt.placed, since=attempt.since)
        times_by_job[attempt.placed.job.number] = {"alone": alone / second, "live": attempt.cycles / second}

    return LiveExecution(placing, _longest, ended=ended)


def _columns(made: Schedule) -> dict[str, list[float]]:
    """Return waits, run times and nodes held of the jobs, in order of submission."""
    columns = {"wait": made.start - made.submit, "run": made.end - made.start, "held": made.held}
    return {name: values.tolist() for name, values in columns.items()}


def _by_job(made: Schedule, measured: Columns) -> dict[str, list[float]]:
    """Return a list for each column of the measurements of the jobs, in order of submission."""
    numbers = made.number.tolist()
    columns = {name: [measured[number][name] for number in numbers] for name in ("alone", "live")}
    return {"size": made.nodes.tolist(), **columns}
