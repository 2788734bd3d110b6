"""CG: conjugate gradients for a sparse random matrix, dealt to a grid of tasks.

Task ``row * columns + column``; there are as many columns as rows, or twice as many. Each iteration is one
``conj_grad``: an initial scalar sum, 25 steps, the residual, a scalar sum; and two scalars summed together.
A step multiplies the matrix with a vector: partial results are summed along the row of tasks in
log2(columns) exchanges of a whole vector segment, the farthest partner last, and the sum is exchanged with
the transposed task (which on the diagonal is the task itself); two scalar sums follow, each log2(columns)
exchanges along the row, the farthest partner first. Every exchange is irecv, send, wait, and the next
begins when it is over. There are no collectives. Bailey et al. 1991; source ``CG/cg.f`` of NPB 3.3.1,
routines ``setup_submatrix_info`` and ``conj_grad``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from netplace.apps.npb.classes import CG_CLASSES, check_tasks, iteration_count, powers_of_two, problem_of
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

STEPS = 25
DOUBLE = 8
TRANSPOSE_TAG = 1


def cg(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of CG; iterations are the outer iterations of the power method.

    `tasks` is a power of two; each column of tasks must have at least one unknown.
    """
    problem = problem_of("cg", CG_CLASSES, problem_class)
    steps = iteration_count("cg", iterations, problem.iterations)
    counts = [n for n in powers_of_two(1, 2 * problem.points**2) if _columns(n) <= problem.points]
    tasks = check_tasks("cg", problem_class, tasks, counts)

    def runs(task: int) -> list[Run]:
        return [Run(partial(_iteration, part=Part.of(task, tasks, problem.points)), steps)]

    return timed_program(f"cg.{problem_class.upper()}.{tasks}", tasks, runs)


def _columns(tasks: int) -> int:
    """Return the columns of the grid of a power of two of tasks: as many as rows, or twice as many."""
    return 1 << (tasks.bit_length() // 2)


def _segment(task: int, tasks: int, unknowns: int) -> int:
    """Return the length of a task's segment of a vector that was summed along its row of tasks."""
    # The unknowns are dealt to the rows of tasks, the first rows getting the rest. With twice as many columns
    # as rows, the two tasks of an even and the next odd column halve them.
    columns = _columns(tasks)
    rows = tasks // columns
    row, column = task // columns, task % columns
    length = unknowns // rows + (row < unknowns % rows)
    return length if rows == columns else (length + 1 - column % 2) // 2


@dataclass(frozen=True)
class Part:
    """The exchanges of a task, and their partners."""

    # Partners of a sum along the row of tasks, the farthest first, and the length of the partner's segment,
    # which is its part of a vector.
    partners: tuple[tuple[int, int], ...]
    segment: int  # length of this task's own segment
    # The transposed task, and the length of its segment.
    transposed: int
    transposed_segment: int

    @classmethod
    def of(cls, task: int, tasks: int, unknowns: int) -> Part:
        columns = _columns(tasks)
        rows = tasks // columns
        ratio = columns // rows
        row, column = task // columns, task % columns
        transposed = ratio * (column // ratio * rows + row) + task % ratio
        distances = [1 << n for n in reversed(range(columns.bit_length() - 1))]
        partners = [row * columns + (column ^ distance) for distance in distances]
        return cls(
            partners=tuple((partner, _segment(partner, tasks, unknowns)) for partner in partners),
            segment=_segment(task, tasks, unknowns),
            transposed=transposed,
            transposed_segment=_segment(transposed, tasks, unknowns),
        )


def _iteration(writer: TaskWriter, part: Part) -> None:
    if not part.partners:
        return
    _sum_scalars(writer, part, 1)
    begin = len(writer)
    _multiply(writer, part)
    _sum_scalars(writer, part, 1)
    _sum_scalars(writer, part, 1)
    writer.repeat(begin, STEPS)
    _multiply(writer, part)
    _sum_scalars(writer, part, 1)
    _sum_scalars(writer, part, 2)


def _sum_scalars(writer: TaskWriter, part: Part, scalars: int) -> None:
    for tag, (partner, _) in enumerate(part.partners, start=1):
        _exchange(writer, partner, scalars, scalars, tag)


def _multiply(writer: TaskWriter, part: Part) -> None:
    for tag, (partner, segment) in reversed(list(enumerate(part.partners, start=1))):
        _exchange(writer, partner, segment, part.segment, tag)
    _exchange(writer, part.transposed, part.segment, part.transposed_segment, TRANSPOSE_TAG)


def _exchange(writer: TaskWriter, partner: int, sent: int, received: int, tag: int) -> None:
    request = writer.irecv(partner, received * DOUBLE, tag)
    writer.send(partner, sent * DOUBLE, tag)
    writer.wait(request)
