"""Cells of the study: a stream of jobs on a machine, under a policy and a partitioner."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, ClassVar

from netplace.cosim import Attempt, LiveExecution, Placing, Work, application_work, cycles_alone
from netplace.cosim.alone import compact
from netplace.cosim.fast_forward_execution import FastForwardExecution, JobResidence
from netplace.cosim.mix import mixed_work, read_mix
from netplace.cosim.sampled import sampled_twice
from netplace.experiments.contiguity.streams import Stream, stream_of
from netplace.experiments.shared.archive_logs import ArchiveLog
from netplace.netsim import Config
from netplace.scheduling import Allocation, Job, Schedule, make_partitioner, schedule
from netplace.studies.schedules import KeptCase
from netplace.topologies import parse

KINDS = {
    "logged": "run times of the log, wherever a job is",
    "table": "each job as long as alone where the live run had put it",
    "live": "every packet of every job on one network",
}
_MARGIN = 1.5  # users estimate so many times the run time of the log
_PRECISION = 0.02
_LAPS = 2, 8  # iterations that are simulated to know what one takes
Outcome = dict[str, Any]
Columns = dict[int, dict[str, float]]  # by the number of the job


@dataclass(frozen=True)
class Cell(KeptCase):
    study: ClassVar[str] = "contiguity"

    machine: str  # text form
    log: ArchiveLog  # where the jobs are from
    week: int  # from whose beginning on; also the seed
    jobs: int  # how many
    mean_run: float  # seconds that they run on it, a mean weighted by their work
    communication: str  # which of the carried files ``mix-*.toml`` says what jobs run
    # The rules.
    policy: str
    partition: str
    sampled: bool = False  # whether steady stretches are skipped, with intervals

    def describe(self) -> Outcome:
        """Return what makes the outcome: of the log, what is in it."""
        plain = super().describe()
        return {**plain, "log": {"name": self.log.name, "digest": self.log.digest}}

    def stream(self) -> Stream:
        return stream_of(self.log, parse(self.machine).nodes, self.week, self.jobs, self.mean_run)

    def run(self) -> Outcome:
        began = time.process_time()
        placing = _placing(self.machine, self.communication, self.week)
        jobs = self.stream().jobs

        def scheduled(times: LiveExecution | _Known) -> Schedule:
            partitioner = make_partitioner(self.partition, placing.machine, self.week)
            return schedule(placing.machine, jobs, self.policy, partitioner, times)

        measured: Columns = {}
        execution = (_sampled if self.sampled else _live)(placing, measured)
        made = {"live": scheduled(execution)}
        if isinstance(execution, FastForwardExecution):
            _with_intervals(placing, execution, measured)
        made["table"] = scheduled(_Known({number: row["alone"] for number, row in measured.items()}))
        made["logged"] = scheduled(_Known({job.number: job.run_time for job in jobs}))
        return {
            "kinds": {kind: _columns(made[kind]) for kind in KINDS},
            "jobs": _by_job(made["live"], measured),
            "rejected": max(len(outcome.rejected) for outcome in made.values()),
            "cpu": time.process_time() - began,
        }


def _longest(job: Job) -> float:
    return _MARGIN * job.run_time


@lru_cache(maxsize=1)
def _placing(machine: str, communication: str, seed: int) -> Placing:
    """Return how jobs are put on their nodes; what they do is worked out once for all rules."""
    file = resources.files("netplace.experiments.contiguity") / f"mix-{communication}.toml"
    with resources.as_file(file) as path:
        mix = read_mix(path)
    config = Config()
    given = Placing(parse(machine), config, application_work(config), seed=seed)
    known: dict[tuple[Work, int], float] = {}

    def period(job: Job, work: Work) -> float:
        if (work, job.nodes) not in known:
            known[work, job.nodes] = _iteration(given, job, work)
        return known[work, job.nodes]

    return replace(given, work_of=mixed_work(mix, config, period, seed))


def _iteration(placing: Placing, job: Job, work: Work) -> float:
    allocation = compact(placing.machine, job)

    def cycles(laps: int) -> int:
        some = replace(work, iterations=laps)
        return cycles_alone(placing, replace(placing, work_of=lambda _: some).put(job, allocation))

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


def _live(placing: Placing, times_by_job: Columns) -> LiveExecution:
    second = 1e9 / placing.config.cycle_ns

    def ended(attempt: Attempt) -> None:
        alone = cycles_alone(placing, attempt.placed, since=attempt.since)
        times_by_job[attempt.placed.job.number] = {"alone": alone / second, "live": attempt.cycles / second}

    return LiveExecution(placing, _longest, ended=ended)


def _sampled(placing: Placing, times_by_job: Columns) -> FastForwardExecution:
    return FastForwardExecution(placing, _longest, _PRECISION, lambda *_: None)


def _with_intervals(placing: Placing, execution: FastForwardExecution, times_by_job: Columns) -> None:
    second = 1e9 / placing.config.cycle_ns
    stays: dict[int, JobResidence] = execution.stays
    for attempt, sampled in sampled_twice(placing, stays, _PRECISION).items():
        times_by_job[stays[attempt].placed.job.number] = {
            "alone": sampled.alone.cycles / second,
            "live": sampled.cycles / second,
            "half_width": sampled.half_width,
        }


def _columns(made: Schedule) -> dict[str, list[float]]:
    """Return waits, run times and nodes held of the jobs, in order of submission."""
    columns = {"wait": made.start - made.submit, "run": made.end - made.start, "held": made.held}
    return {name: values.tolist() for name, values in columns.items()}


def _by_job(made: Schedule, measured: Columns) -> dict[str, list[float]]:
    """Return a list for each column of the measurements of the jobs, in order of submission."""
    numbers = made.number.tolist()
    names = ("alone", "live", "half_width")
    columns = {name: [measured[number].get(name, 0.0) for number in numbers] for name in names}
    return {"size": made.nodes.tolist(), **columns}
