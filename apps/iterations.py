"""Parts of a program: its iterations and sections, and shortened programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.columns import check_columns
from netplace.apps.operation import OperationError
from netplace.apps.replay import check_progress
from netplace.apps.requests import renumbered
from netplace.checks import check_choice

__all__ = ["cut", "in_order", "iterations", "ranges", "section"]

Cut = TypeVar("Cut", bound=Operations)  # the program, of the class it has


def iterations(program: Operations) -> NDArray[np.int64]:
    """Return rows (task, first operation, end, iteration), in order.

    An iteration ends where the next mark stands, where the section in which it began ends, or with its task.
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
    """Return marks by task and operation; of those at one operation, a closing one first."""
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
