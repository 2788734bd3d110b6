"""The timed section of a benchmark: the part before the main loop, its iterations, and the part after."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from netplace.apps.collectives import Collectives
from netplace.apps.operation import BYTES_PER_OPERATION
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

Write = Callable[[TaskWriter], None]

MOST_OPERATIONS = 65_000_000  # enough for IS on 1024 tasks with the benchmark's own iterations


@dataclass(frozen=True)
class Run:
    """Iterations that are all alike: `write` appends one of them, and `times` of them follow each other."""

    write: Write
    times: int


def _nothing(writer: TaskWriter) -> None:
    """Append nothing."""


def timed_program(
    name: str,
    tasks: int,
    runs: Callable[[int], Sequence[Run]],
    before: Write = _nothing,
    after: Write = _nothing,
    collectives: Collectives | None = None,
) -> Program:
    """Return the program of a benchmark's timed section.

    The whole program is the section ``"timed"``; each iteration begins with its mark, and mark -1 stands
    between the last one and the operations that `after` writes. `runs` returns the main loop of a task: at
    least one run, in order.
    """
    begun: deque[_Begun] = deque()
    iterations = sum(run.times for run in runs(0))
    once = each = 0
    for task in range(tasks):
        begun.append(_begin(TaskWriter(task, tasks, collectives), runs(task), before))
        once += begun[-1].loop
        each += len(begun[-1].writer) - begun[-1].loop
        check_size(name, 1, once, each)  # early, if the tasks can never fit
    check_size(name, iterations, once, each)
    return Program.of(_finish(begun, after), name)


@dataclass
class _Begun:
    """A task whose first iteration is written, from operation `loop` on, and not yet repeated."""

    writer: TaskWriter
    loop: int
    runs: Sequence[Run]


def _begin(writer: TaskWriter, runs: Sequence[Run], before: Write) -> _Begun:
    writer.begin("timed")
    before(writer)
    loop = len(writer)
    writer.mark(1)
    runs[0].write(writer)
    return _Begun(writer, loop, runs)


def _finish(begun: deque[_Begun], after: Write) -> Iterator[TaskWriter]:
    # Taken from the queue one by one, so that a task's operations need not outlive their copy.
    while begun:
        task = begun.popleft()
        writer = task.writer
        writer.repeat(task.loop, task.runs[0].times)
        done = task.runs[0].times
        for run in task.runs[1:]:
            start = len(writer)
            writer.mark(done + 1)
            run.write(writer)
            writer.repeat(start, run.times)
            done += run.times
        writer.mark(-1)
        after(writer)
        writer.end("timed")
        yield writer


def check_size(name: str, iterations: int, once: int, each: int) -> None:
    """Check that a program is not too large to make."""
    if once + each > MOST_OPERATIONS:
        raise ValueError(
            f"tasks: one iteration of {name} takes more than {MOST_OPERATIONS:,} operations, the limit of a "
            f"program; use fewer tasks"
        )
    operations = once + each * iterations
    if operations > MOST_OPERATIONS:
        raise ValueError(
            f"iterations: {name} with {iterations} iterations takes {operations:,} operations, about "
            f"{operations * BYTES_PER_OPERATION / 1e9:.1f} GB of memory, expected at most "
            f"{MOST_OPERATIONS:,} operations; use at most {(MOST_OPERATIONS - once) // each} iterations"
        )
