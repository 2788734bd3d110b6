"""MG: multigrid V-cycles on a periodic cube, dealt to a three-dimensional grid of tasks.

The counts of tasks along x, y and z are powers of two, z the largest (``setup``): 2 x 2 x 4 for 16. Level k
has ``2**k`` points along each axis. Where that is fewer than the tasks along an axis, only some tasks hold
points and the others are idle at that level. Each iteration (``mg3P`` and ``resid``) goes down from the
finest level to level 1, exchanging halos after each restriction (``rprj3``), and up again: at each level,
tasks that were idle one level below get their points from a neighbor (``interp``, ``comm3_ex``), then come
halo exchanges after the residual and the smoother (``resid``, ``psinv``). A halo exchange (``comm3``) goes
axis by axis, each with two irecv, two sends and two waits; faces of later axes include the ghost points that
the earlier ones brought. The section begins with a residual and its norm and ends with a norm, two allreduce
of 8 bytes each (``norm2u3``). Bailey et al. 1991; source ``MG/mg.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from netplace.apps.collectives import Collectives, allreduce
from netplace.apps.npb.classes import MG_CLASSES, check_tasks, iteration_count, powers_of_two, problem_of
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

DOUBLE = 8
FORWARD_TAGS = (1300, 2300, 3300)
BACKWARD_TAGS = (1100, 2100, 3100)


def mg(
    problem_class: str, tasks: int, iterations: int | None = None, collectives: Collectives | None = None
) -> Program:
    """Return the timed section of MG; iterations are V-cycles.

    `tasks` is a power of two; at the finest level, each task must have at least one point along each axis.
    """
    problem = problem_of("mg", MG_CLASSES, problem_class)
    cycles = iteration_count("mg", iterations, problem.iterations)
    tasks = check_tasks("mg", problem_class, tasks, powers_of_two(1, problem.points**3))
    finest = problem.points.bit_length() - 1

    @cache
    def levels(task: int) -> dict[int, Level]:
        return _levels(task, tasks, finest)

    def before(writer: TaskWriter) -> None:
        _exchange_halos(writer, levels(writer.task)[finest])
        _norms(writer)

    def runs(task: int) -> list[Run]:
        return [Run(partial(_cycle, levels=levels(task), finest=finest), cycles)]

    return timed_program(
        f"mg.{problem_class.upper()}.{tasks}", tasks, runs, before, _norms, collectives=collectives
    )


@dataclass(frozen=True)
class Axis:
    """A task's points along one axis at one level."""

    points: int  # points of its own; 0 if it is idle
    # Tasks with the next and the previous points.
    ahead: int
    behind: int
    # Whether, on the way up to this level, it gives points to a task idle below, or is such a task.
    gives: bool = False
    takes: bool = False

    @property
    def width(self) -> int:
        """Points with a ghost point on either side."""
        return self.points + 2


Level = tuple[Axis, Axis, Axis]


def _shape(tasks: int) -> tuple[int, int, int]:
    power = tasks.bit_length() - 1
    x = power // 3
    y = (power - x) // 2
    return 1 << x, 1 << y, 1 << (power - x - y)


def _levels(task: int, tasks: int, finest: int) -> dict[int, Level]:
    x, y, _ = shape = _shape(tasks)
    axes = []
    for count, factor in zip(shape, (1, x, x * y), strict=True):
        place = task // factor % count
        axes.append(_axis_levels(place, count, task - place * factor, factor, finest))
    return {level: (axes[0][level], axes[1][level], axes[2][level]) for level in range(1, finest + 1)}


def _axis_levels(place: int, count: int, origin: int, factor: int, finest: int) -> dict[int, Axis]:
    """Return the levels of one axis with `count` tasks; number i is task ``origin + i * factor``."""
    levels: dict[int, Axis] = {}
    stride = 1  # distance to the next task that holds points
    for level in range(finest, 0, -1):
        mine, next_share = _share(place, count, level), _share(place + stride, count, level)
        if level < finest:
            exchange = {"gives": mine == 1 and next_share == 0, "takes": mine == 0 and next_share == 1}
            levels[level + 1] = replace(levels[level + 1], **exchange)
        if mine == 0 or next_share == 0:
            stride *= 2
        ahead, behind = ((place + step) % count * factor + origin for step in (stride, -stride))
        levels[level] = Axis(mine, ahead, behind)
    return levels


def _share(place: int, count: int, level: int) -> int:
    """Return how many of the level's points on an axis belong to the task at `place` among `count`."""
    points = 1 << level
    return (place + 1) * points // count - place * points // count


def _cycle(writer: TaskWriter, levels: Mapping[int, Level], finest: int) -> None:
    for level in range(finest - 1, 0, -1):
        _exchange_halos(writer, levels[level])
    _exchange_halos(writer, levels[1])
    for level in range(2, finest + 1):
        _wake_idle(writer, levels[level])
        _exchange_halos(writer, levels[level])
        _exchange_halos(writer, levels[level])
    _exchange_halos(writer, levels[finest])


def _exchange_halos(writer: TaskWriter, level: Level) -> None:
    x, y, z = level
    if writer.tasks == 1 or not (x.points and y.points and z.points):
        return
    faces = (y.points * z.points, x.width * z.points, x.width * y.width)
    for axis, points, forward, backward in zip(level, faces, FORWARD_TAGS, BACKWARD_TAGS, strict=True):
        bytes = points * DOUBLE
        requests = [writer.irecv(axis.ahead, bytes, backward), writer.irecv(axis.behind, bytes, forward)]
        writer.send(axis.ahead, bytes, forward)
        writer.send(axis.behind, bytes, backward)
        writer.waitall(requests)


def _wake_idle(writer: TaskWriter, level: Level) -> None:
    """Append the exchange that fills the tasks idle one level below: two planes ahead, one plane back."""
    x, y, z = level
    if writer.tasks == 1:
        return
    faces = (y.width * z.width, x.width * z.width, x.width * y.width)
    for axis, points, forward, backward in zip(level, faces, FORWARD_TAGS, BACKWARD_TAGS, strict=True):
        bytes = points * DOUBLE
        if axis.takes:
            requests = [
                writer.irecv(axis.ahead, bytes, backward),
                writer.irecv(axis.behind, 2 * bytes, forward),
            ]
            writer.waitall(requests)
        if axis.gives:
            writer.send(axis.ahead, 2 * bytes, forward)
            writer.send(axis.behind, bytes, backward)


def _norms(writer: TaskWriter) -> None:
    for _ in range(2):
        allreduce(writer, range(writer.tasks), DOUBLE)
