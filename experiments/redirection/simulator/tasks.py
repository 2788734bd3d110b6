"""Sequential tasks: sets of them from a log, the policies, and figures of the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from netplace.inputs import check_choice
from netplace.scheduling.workload import Workload


@dataclass(frozen=True, slots=True)
class Task:
    """A task of one processor, its processing time known on arrival; times in seconds."""

    number: int
    release: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Ran:
    """A completed task; `start` is that of its last stretch, after a preemption or restart."""

    task: Task
    start: float
    end: float
    processor: int
    redirected: bool


@dataclass(frozen=True)
class TaskPolicy:
    """A rule by which tasks run, shortest first unless `first_released`, from one queue or one a processor.

    `redirects`: ``"delay"``: a running task that delays too many is restarted on a dedicated processor;
    ``"random"``: long tasks go there at random on arrival; empty means never.
    """

    common: bool
    description: str
    first_released: bool = False
    preemptive: bool = False
    redirects: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        return {"": (), "delay": ("dedicated", "threshold"), "random": ("dedicated", "b", "c")}[
            self.redirects
        ]


TASK_POLICIES: dict[str, TaskPolicy] = {
    "FCFS": TaskPolicy(True, "earliest released first", first_released=True),
    "GSPT": TaskPolicy(True, "shortest first, one queue"),
    "SPT": TaskPolicy(False, "shortest first, a queue for each processor"),
    "GSRPT": TaskPolicy(True, "least remaining first, preemptive, one queue: a reference", preemptive=True),
    "SRPT": TaskPolicy(
        False, "least remaining first, preemptive, a queue for each: a reference", preemptive=True
    ),
    "GSPT-RD": TaskPolicy(True, "GSPT; a task that delays too many restarts elsewhere", redirects="delay"),
    "SPT-RD": TaskPolicy(False, "SPT; a task that delays too many restarts elsewhere", redirects="delay"),
    "GSPT-RR": TaskPolicy(True, "GSPT; long tasks go elsewhere by chance", redirects="random"),
    "SPT-RR": TaskPolicy(False, "SPT; long tasks go elsewhere by chance", redirects="random"),
}
_BOUND = 10.0  # seconds: shorter tasks count as so long in the stretch


@dataclass(frozen=True)
class TaskFigures:
    """Sum, maximum and square root of the sum of squares over all tasks.

    Flow is completion minus first release, in seconds; bounded stretch is flow over the processing time of at
    least 10 s, with no lower limit of 1. F. Mendonca, thesis, 2017, section 3.2.
    """

    sum_flow: float
    max_flow: float
    norm2_flow: float
    sum_bounded_stretch: float
    max_bounded_stretch: float
    norm2_bounded_stretch: float


TASK_FIGURES = tuple(item.name for item in fields(TaskFigures))


def task_figures(ran: Sequence[Ran]) -> TaskFigures:
    """Return the figures of tasks that have run, at least one."""
    flow = np.array([run.end - run.task.release for run in ran])
    stretch = flow / np.maximum([run.task.seconds for run in ran], _BOUND)
    return TaskFigures(
        *(
            float(figure)
            for values in (flow, stretch)
            for figure in (values.sum(), values.max(), np.sqrt((values**2).sum()))
        )
    )


_DAY = 86400.0


@dataclass(frozen=True)
class TaskSet:
    """Tasks and the processors that they are for."""

    tasks: tuple[Task, ...]
    processors: int


METHODS = {
    "A": "a task for each processor of a job, of its run time",
    "B": "a task of the job's run time times its processors",
    "C": "as B, over the mean number of processors, of the machine as well",
}


def tasks_of(jobs: Workload, machine: int, processors: int | None = None, method: str = "C") -> TaskSet:
    """Return the tasks of jobs by one of the thesis's three methods.

    A job of q processors for e seconds becomes q tasks of e seconds (A), a task of ``q * e`` (B), or a task
    of ``q * e / Q``, Q being the mean of all q, on ``machine / Q`` processors, rounded (method C). The load
    of a processor depends neither on the method nor on Q: with `processors` given (method C alone), Q is such
    that there are so many. F. Mendonca, thesis, 2017, section 3.5.1, where A and B were tried and dropped.
    """
    check_choice(method, METHODS, "method")
    ran = jobs.run_time > 0
    if not ran.any():
        raise ValueError("tasks: no job of the log has a run time")
    sizes, times, submit = jobs.nodes[ran], jobs.run_time[ran], jobs.submit[ran]
    if method != "C":
        if processors is not None:
            raise ValueError(
                f"tasks: {processors} processors given, but method {method} takes the machine's {machine}"
            )
        count, seconds = machine, times if method == "A" else sizes * times
        if method == "A":
            submit, seconds = np.repeat(submit, sizes), np.repeat(seconds, sizes)
    else:
        mean = float(sizes.mean())
        count = max(round(machine / mean), 1) if processors is None else processors
        seconds = sizes * times / (mean if processors is None else machine / count)
    made = zip(submit.tolist(), seconds.tolist(), strict=True)
    return TaskSet(tuple(Task(number, *parts) for number, parts in enumerate(made, 1)), count)


def windows(
    log: Workload,
    days: float,
    instances: int,
    machine: int,
    processors: int | None = None,
    seed: int = 0,
    method: str = "C",
) -> list[TaskSet]:
    """Return task sets of windows that begin at random times in a log; see `tasks_of`."""
    if not 0 < days < float("inf"):
        raise ValueError(f"windows: {days:g} days, expected a number over 0")
    last = float(log.submit[-1]) - days * _DAY
    if last < log.submit[0]:
        span = (float(log.submit[-1]) - float(log.submit[0])) / _DAY
        raise ValueError(f"windows: {days:g} days, but the log has only {span:.1f}")
    sets = []
    for begin in np.random.default_rng(seed).uniform(float(log.submit[0]), last, instances):
        low = int(np.searchsorted(log.submit, begin, "left"))
        high = int(np.searchsorted(log.submit, begin + days * _DAY, "right"))
        sets.append(tasks_of(log[low:high], machine, processors, method))
    return sets
