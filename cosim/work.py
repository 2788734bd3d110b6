"""The work of the jobs of a workload on the network: applications as loops of iterations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from netplace.apps import APPLICATIONS, Op, Program, TaskWriter
from netplace.apps.application import uses_collectives
from netplace.apps.collectives import in_groups
from netplace.inputs import check_int
from netplace.netsim import Config
from netplace.placement.rule import Nodes
from netplace.records import check_fields
from netplace.runs.job_programs import program_once
from netplace.runs.mix import Mix, choosing
from netplace.scheduling import Job
from netplace.topologies import Topology
from netplace.topologies.switch_grid import switch_groups


@dataclass(frozen=True)
class JobProgram:
    """The work of a job: iterations of an application, each preceded by a computation.

    Attributes
    ----------
    application : str
        Key of `netplace.apps.APPLICATIONS` with options, as in ``"2d-torus,packets=4"``, or a trace; if it is
        empty, the job only computes.
    compute : int
        Cycles that every task computes before each iteration.
    groups : tuple of int
        Group number of each task, the same for all tasks on one switch; empty if no collective uses it.
    """

    application: str
    tasks: int
    iterations: int = 1
    compute: int = 0
    groups: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        for name, minimum in (("tasks", 1), ("iterations", 0), ("compute", 0)):
            check_int(getattr(self, name), f"work: {name}", minimum)


ProgramFor = Callable[[Job], JobProgram]


def application_work(config: Config, collectives: str = "builtin", slots: int = 1) -> ProgramFor:
    """Return a function that returns the work of a job that names its application.

    The number of iterations is the job's `repeats`. `collectives` gives the collective algorithms for
    programs that do not choose any; `slots` is the number of tasks of a node.
    """

    def work(job: Job) -> JobProgram:
        if not job.program:
            raise ValueError(
                f"job {job.number}: has no program, but a job on a network needs one; set "
                "the applications of a log with --applications"
            )
        return JobProgram(choosing(job.program, collectives), job.tasks or job.nodes * slots, job.repeats)

    return work


def mixed_work(
    mix: Mix, config: Config, period: Callable[[Job, JobProgram], float], seed: int = 0, slots: int = 1
) -> ProgramFor:
    """Return the function that gives the work of a job of a log, with all its iterations.

    `period` returns the cycles of an iteration of a job alone on a compact partition.
    """
    known: dict[tuple[int, float, int], JobProgram] = {}  # jobs of two logs may have one number

    def work(job: Job) -> JobProgram:
        key = job.number, job.run_time, job.nodes
        if key not in known:
            known[key] = made(job)
        return known[key]

    def made(job: Job) -> JobProgram:
        cycles = job.run_time * 1e9 / config.cycle_ns
        text, tasks, share = mix.draw(job, config, seed, slots)
        once = JobProgram(text, tasks)
        if not text:
            return replace(once, compute=round(cycles))
        speaking = period(job, once)
        once = replace(once, compute=round(speaking * (1 - share) / share))
        return replace(once, iterations=max(1, round(cycles / period(job, once))))

    return work


def in_switches(work: JobProgram, machine: Topology, nodes: Nodes) -> JobProgram:
    """Return the work of a job on its nodes, where hierarchical collectives use its switches."""
    name = work.application.partition(",")[0].partition(":")[0]
    if name in APPLICATIONS and not uses_collectives(APPLICATIONS[name].make):
        return work
    groups = switch_groups(machine, nodes)
    number = {switch: place for place, switch in enumerate(dict.fromkeys(groups))}
    grouped = replace(work, groups=tuple(number[switch] for switch in groups))
    return work if _application(grouped) == work.application else grouped


def _application(work: JobProgram) -> str:
    head, word, rest = work.application.partition("collectives=")
    text, comma, others = rest.partition(",")
    return f"{head}{word}{in_groups(text, work.groups)}{comma}{others}" if word else work.application


def program_of(work: JobProgram, config: Config) -> Program:
    """Return the program of a job with all its iterations."""
    body = iteration_program(replace(work, iterations=1), config)
    return body if work.iterations == 1 else body.repeat(work.iterations)


@lru_cache(maxsize=256)
def iteration_program(work: JobProgram, config: Config) -> Program:
    """Return the program of one iteration, including its computation."""
    if not work.application:
        return _computation(work.tasks, work.compute)
    program = program_once(_application(work), work.tasks, config)
    return _after_computation(program, work.compute) if work.compute else program


def _computation(tasks: int, cycles: int) -> Program:
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for writer in writers:
        writer.compute(cycles)
    return Program.of(writers)


def _after_computation(program: Program, cycles: int) -> Program:
    """Return `program` with a computation at the beginning of every task."""
    first = program.first[:-1]
    columns: dict[str, Any] = {
        "kind": np.insert(program.kind, first, np.int8(Op.COMPUTE)),
        "peer": np.insert(program.peer, first, -1),
        "size": np.insert(program.size, first, cycles),
        "tag": np.insert(program.tag, first, 0),
        "request": np.insert(program.request, first, -1),
    }
    return replace(program, first=program.first + np.arange(program.tasks + 1), **columns)
