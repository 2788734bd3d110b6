"""Repetition of the iterations of a program."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.iterations import in_order, iterations, ranges
from netplace.apps.operation import Op, check_length
from netplace.apps.requests import openers, renumbered
from netplace.checks import check_int

Longer = TypeVar("Longer", bound=Operations)  # the program, of the class it has


def repeat(program: Longer, times: int) -> Longer:
    """Let the marked iterations stand `times` times in all; see `Program.repeat`."""
    check_int(times, "times")
    begin, end, span = block(program)
    check_length(len(program) + (times - 1) * int((end - begin).sum()), "repeat")
    check_requests(program, begin, end)
    # Segments of each task: what comes before, the copies of the block, what comes after.
    starts = np.column_stack([program.first[:-1], *[begin] * times, end])
    stops = np.column_stack([begin, *[end] * times, program.first[1:]])
    copy = np.array([0, *range(times), times - 1])
    index = ranges(starts.ravel(), stops.ravel())
    first = program.first + np.concatenate([[0], np.cumsum((times - 1) * (end - begin))])
    # Requests are numbered in order, so those of a block are consecutive: each copy counts on.
    request = renumbered(program)[index]
    shift = np.repeat((copy * _opened(program, begin, end)[:, None]).ravel(), (stops - starts).ravel())
    request[request >= 0] += shift[request >= 0].astype(np.int32)
    longer = replace(program.taken(index, first), request=request, name=f"{program.name} x{times}".strip())
    return replace(
        longer,
        marks=_marks(program, begin, end, first, times, span),
        sections={
            name: np.column_stack([_moved(program, bound, begin, end, first, name) for bound in bounds.T])
            for name, bounds in program.sections.items()
        },
    )


def block(program: Operations) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return where the iterations of each task begin and end, and by how much their numbers go up."""
    rows = iterations(program)
    if not len(rows):
        return program.first[:-1], program.first[1:], 0
    begin, end = program.first[1:].copy(), program.first[:-1].copy()
    np.minimum.at(begin, rows[:, 0], rows[:, 1])
    np.maximum.at(end, rows[:, 0], rows[:, 2])
    if (begin > end).any():
        task = int(np.flatnonzero(begin > end)[0])
        raise ValueError(f"repeat: task {task} of {program.name or 'the program'} has no iteration marks")
    return begin, end, int(rows[:, 3].max() - rows[:, 3].min()) + 1


def check_requests(program: Operations, begin: NDArray[np.int64], end: NDArray[np.int64]) -> None:
    """Raise `OperationError` if a request crosses an end of the repeated part."""
    waits = np.flatnonzero(program.kind == Op.WAIT)
    task = program.task_of()[waits]
    opens = openers(program)[waits]
    crossing = ((begin[task] <= waits) & (waits < end[task])) != (
        (begin[task] <= opens) & (opens < end[task])
    )
    if crossing.any():
        raise program.error(int(waits[crossing][0]), "its request is open at an end of the repeated part")


def _opened(program: Operations, begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many requests each task opens between `begin` and `end`."""
    opens = np.isin(program.kind, (Op.ISEND, Op.IRECV))
    before = np.concatenate([[0], np.cumsum(opens)])
    opened: NDArray[np.int64] = before[end] - before[begin]
    return opened


def _marks(
    program: Operations,
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    first: NDArray[np.int64],
    times: int,
    span: int,
) -> NDArray[np.int64]:
    task, place, number = program.marks.T
    # A closing mark belongs to what ends where it stands, so at an end of the block it is not copied.
    block = (begin[task] + (number < 0) <= place) & (place < end[task])
    copied = np.tile(program.marks[block], (times, 1))
    copy = np.repeat(np.arange(times), int(block.sum()))
    length = end - begin
    copied[:, 1] += copy * length[copied[:, 0]]
    copied[:, 2] += np.where(copied[:, 2] >= 0, copy * span, 0)
    others = program.marks[~block]
    after = (others[:, 1] >= end[others[:, 0]]) & (others[:, 1] > begin[others[:, 0]])
    others[:, 1] += after * (times - 1) * length[others[:, 0]]
    marks = np.concatenate([copied, others])
    marks[:, 1] += (first - program.first)[marks[:, 0]]
    return in_order(marks)


def _moved(
    program: Operations,
    bound: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    first: NDArray[np.int64],
    name: str,
) -> NDArray[np.int64]:
    """Return where the bounds of a section come to stand, one for each task."""
    inside = (begin < bound) & (bound < end)
    if inside.any():
        raise ValueError(
            f"repeat: section {name!r} of task {int(inside.argmax())} begins or ends in an iteration"
        )
    longer = np.diff(first) - np.diff(program.first)
    after = (bound >= end) & (bound > begin)
    moved: NDArray[np.int64] = bound - program.first[:-1] + first[:-1] + after * longer
    return moved
