"""FT: a three-dimensional Fourier transform by all-to-all exchanges.

The section opens with one forward transform; each iteration is an inverse transform (``fft``) and a
checksum, a reduce of one complex number to task 0 (``checksum``). On one task nothing is exchanged. On up
to nz tasks each holds whole planes (1-D layout) and a transform is one all-to-all among all. On more, tasks
form a grid of nz rows of tasks/nz (2-D layout), each holds whole lines, and a transform is an all-to-all in
each row and in each column, in this order for an inverse one and in the other for a forward one
(``transpose_x_z`` among ``commslice1``, ``transpose_x_y`` among ``commslice2``). Bailey et al. 1991 (kernel
FT); source ``FT/ft.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from netplace.apps.collectives import Collectives, alltoall, reduce
from netplace.apps.npb.classes import FT_CLASSES, check_tasks, iteration_count, powers_of_two, problem_of
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

COMPLEX = 16


def ft(
    problem_class: str, tasks: int, iterations: int | None = None, collectives: Collectives | None = None
) -> Program:
    """Return the timed section of FT; iterations are inverse transforms.

    `tasks` is a power of two, and at most the square of the number of grid points along z.
    """
    problem = problem_of("ft", FT_CLASSES, problem_class)
    times = iteration_count("ft", iterations, problem.iterations)
    tasks = check_tasks("ft", problem_class, tasks, powers_of_two(1, problem.z**2))
    rows = 1 if tasks <= problem.z else problem.z
    columns = tasks // rows
    own = problem.x * problem.y * problem.z // tasks * COMPLEX

    def row(writer: TaskWriter) -> None:
        first = writer.task // columns * columns
        _transpose(writer, range(first, first + columns), own)

    def column(writer: TaskWriter) -> None:
        _transpose(writer, range(writer.task % columns, tasks, columns), own)

    def forward(writer: TaskWriter) -> None:
        column(writer)
        row(writer)

    def iteration(writer: TaskWriter) -> None:
        row(writer)
        column(writer)
        reduce(writer, range(tasks), 0, COMPLEX)

    name = f"ft.{problem_class.upper()}.{tasks}"
    return timed_program(
        name, tasks, lambda _: [Run(iteration, times)], before=forward, collectives=collectives
    )


def _transpose(writer: TaskWriter, members: range, own: int) -> None:
    """Append the all-to-all among `members` of the `own` bytes of each."""
    alltoall(writer, members, own // len(members))
