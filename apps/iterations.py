"""Parts of a program: its iterations and sections, and shortened programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.operation import Op, OperationError, check_length
from netplace.apps.replay import check_columns, check_progress, openers, renumbered
from netplace.inputs import check_choice, check_int

Cut = TypeVar("Cut", bound=Operations)  # the program, of the class it has


def iterations(program: Operations) -> NDArray[np.int64]:
    """Return the iterations of all tasks as rows (task, first operation, end, iteration), in order.

    An iteration ends at the next mark, at the end of the section in which it began, or with its task.
    """
    marks = in_order(program.marks)
    task, begin, number = marks.T
    end = program.first[task + 1]
    same = task[1:] == task[:-1]
    end[:-1][same] = begin[1:][same]
    for bounds in program.sections.values():
        start, stop = bounds[task].T
        inside = (start <= begin) & (begin < stop)
        end[inside] = np.minimum(end[inside], stop[inside])
    rows: NDArray[np.int64] = np.column_stack([task, begin, end, number])
    rows = rows[number >= 0]
    return rows


def in_order(marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return marks sorted by task and operation; at the same operation, a closing mark comes first."""
    ordered: NDArray[np.int64] = marks[np.lexsort((marks[:, 2] >= 0, marks[:, 1], marks[:, 0]))]
    return ordered


def ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of ``starts[0]:stops[0]``, then those of ``starts[1]:stops[1]``, .."""
    lengths = stops - starts
    offset = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    numbers: NDArray[np.int64] = np.arange(len(offset)) + offset
    return numbers


def cut(program: Cut, first: int, last: int) -> Cut:
    """Keep iterations `first` to `last` of every task; see `Program.cut`."""
    if last < first:
        raise ValueError(f"iterations: {first} to {last} is empty, expected at least one iteration")
    rows = iterations(program)
    begin = _bounds(program, rows, first, 1)
    end = _bounds(program, rows, last, 2)
    try:
        part = _part(program, begin, end)
        check_columns(part)
        check_progress(part)
    except OperationError as error:
        raise ValueError(f"iterations: {first} to {last} cannot be extracted, {error}") from None
    return replace(part, name=f"{program.name} iterations {first}-{last}".strip())


def section(program: Cut, name: str) -> Cut:
    """Keep a named section of every task; see `Program.section`."""
    if not program.sections:
        raise ValueError(f"section: {program.name or 'the program'} has no sections, expected {name!r}")
    check_choice(name, program.sections, "section")
    begin, end = program.sections[name].T
    return replace(_part(program, begin, end), name=f"{program.name} {name}".strip())


def _bounds(program: Operations, rows: NDArray[np.int64], iteration: int, column: int) -> NDArray[np.int64]:
    """Return, for each task, the first operation (column 1) or the end (column 2) of an iteration."""
    rows = rows[rows[:, 3] == iteration]
    times = np.bincount(rows[:, 0], minlength=program.tasks)
    if (times != 1).any():
        task = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"iterations: task {task} of {program.name or 'the program'} has {times[task]} marks "
            f"of iteration {iteration}, expected one"
        )
    return rows[:, column]


def _part(program: Cut, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Cut:
    """Return operations ``begin[i]:end[i]`` of each task i, with their marks and without sections."""
    first = np.concatenate([[0], np.cumsum(end - begin)])
    task, place, number = program.marks.T
    closing = number < 0
    inside = (place >= begin[task] + closing) & (place < end[task] + closing)
    marks = program.marks[inside]
    marks[:, 1] += (first[:-1] - begin)[marks[:, 0]]
    part = replace(
        program.taken(ranges(begin, end), first), marks=_closed(in_order(marks), first), sections={}
    )
    return replace(part, request=renumbered(part))


def _closed(marks: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `marks` with a closing mark at the end of each task whose last iteration is open."""
    last = np.flatnonzero(np.diff(marks[:, 0], append=-1))
    still_open = marks[last[marks[last, 2] >= 0], 0]
    closing = np.column_stack([still_open, first[still_open + 1], np.full_like(still_open, -1)])
    return in_order(np.concatenate([marks, closing]))


Longer = TypeVar("Longer", bound=Operations)  # the program, of the class it has


def repeat(program: Longer, times: int) -> Longer:
    """Repeat the marked iterations so that they occur `times` times; see `Program.repeat`."""
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
    """Return where the iterations of each task begin and end, and how many numbers they span."""
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
