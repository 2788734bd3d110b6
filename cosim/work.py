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
from netplace.checks import check_choice, check_int
from netplace.checks.calls import check_fields
from netplace.netsim import Config
from netplace.placement.rule import Nodes
from netplace.placement.switch_groups import switch_groups
from netplace.runs.programs import Reading, application_program, is_trace, trace_program
from netplace.scheduling import Job
from netplace.scheduling.workload import INTENSITIES
from netplace.topologies import Topology


@dataclass(frozen=True)
class Work:
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
        for name, least in (("tasks", 1), ("iterations", 0), ("compute", 0)):
            check_int(getattr(self, name), f"work: {name}", least)


WorkOf = Callable[[Job], Work]


def application_work(config: Config, collectives: str = "") -> WorkOf:
    """Return a function that returns the work of a job that names its application.

    The number of iterations is the job's `repeats`. The sizes of messages come from the application or, if
    the job has an intensity, from that (see the workload model ``applications``). `collectives` gives the
    collective algorithms for applications that do not choose any.
    """

    def work(job: Job) -> Work:
        if not job.application:
            raise ValueError(
                f"job {job.number}: has no application, but a job on a network needs one; set "
                "the applications of a log with --applications"
            )
        application = choosing(job.application, collectives)
        if job.intensity:
            check_choice(job.intensity, INTENSITIES, f"intensity of job {job.number}")
            packets = max(1, INTENSITIES[job.intensity] // config.packet_bytes)
            application = f"{application},packets={packets}"
        return Work(application, job.nodes, job.repeats)

    return work


def choosing(application: str, collectives: str) -> str:
    """Return the text of an application with what chooses its collectives, unless it says so itself."""
    if not collectives or ",collectives=" in application or ":collectives=" in application:
        return application
    return f"{application},collectives={collectives}"


def in_switches(work: Work, machine: Topology, nodes: Nodes) -> Work:
    """Return the work of a job on its nodes, where hierarchical collectives use its switches."""
    name = work.application.partition(",")[0].partition(":")[0]
    if name in APPLICATIONS and not uses_collectives(APPLICATIONS[name].make):
        return work
    groups = switch_groups(machine, nodes)
    number = {switch: place for place, switch in enumerate(dict.fromkeys(groups))}
    grouped = replace(work, groups=tuple(number[switch] for switch in groups))
    return work if _application(grouped) == work.application else grouped


def _application(work: Work) -> str:
    head, word, rest = work.application.partition("collectives=")
    text, comma, others = rest.partition(",")
    return f"{head}{word}{in_groups(text, work.groups)}{comma}{others}" if word else work.application


def program_of(work: Work, config: Config) -> Program:
    """Return the program of a job with all its iterations."""
    body = body_of(replace(work, iterations=1), config)
    return body if work.iterations == 1 else body.repeat(work.iterations)


@lru_cache(maxsize=256)
def body_of(work: Work, config: Config) -> Program:
    """Return the program of one iteration, including its computation."""
    if not work.application:
        return _computation(work.tasks, work.compute)
    reading = Reading(
        tasks=work.tasks,
        packet_bytes=config.packet_bytes,
        eager_limit=config.eager_limit,
        cycle_ns=config.cycle_ns,
    )
    application = _application(work)
    if is_trace(application.partition(",")[0]):
        program = _recorded(application, work.tasks, config)
    else:
        program = application_program(application, reading, work.tasks)
    unmarked = replace(program, marks=np.empty((0, 3), np.int64), sections={})
    return _after_computation(unmarked, work.compute) if work.compute else unmarked


def _recorded(application: str, tasks: int, config: Config) -> Program:
    """Return the program of a trace, which has as many ranks as it has; options as ``x.otf2,ignore=io``."""
    name, *words = application.split(",")
    options = tuple((key, value) for key, _, value in (word.partition("=") for word in words))
    program = _trace(name, options, config)
    if program.tasks != tasks:
        raise ValueError(f"{name}: is a trace of {program.tasks} ranks, but the job has {tasks} tasks")
    return program


@lru_cache(maxsize=16)
def _trace(name: str, options: tuple[tuple[str, str], ...], config: Config) -> Program:
    return trace_program(
        name, Reading(eager_limit=config.eager_limit, options=dict(options), cycle_ns=config.cycle_ns)
    )


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
