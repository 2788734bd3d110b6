"""The check that every number in the arrays of a program is in its range."""

from __future__ import annotations

import numpy as np

from netplace.apps.arrays import Operations
from netplace.apps.operation import MOST_CYCLES, Op


def check_columns(program: Operations) -> None:
    """Check that the arrays fit each other and that every number in them is in its range."""
    _check_lengths(program)
    strange = (program.kind < 0) | (program.kind >= len(Op))
    if strange.any():
        index = int(strange.argmax())
        raise ValueError(
            f"kind: operation {index} of the arrays is {program.kind[index]}, expected one of Op"
        )
    messages = np.isin(program.kind, (Op.SEND, Op.ISEND, Op.RECV, Op.IRECV))
    with_request = np.isin(program.kind, (Op.ISEND, Op.IRECV, Op.WAIT))
    for wrong, reason in (
        (
            messages & ((program.peer < 0) | (program.peer >= program.tasks)),
            f"the task does not exist, expected 0 to {program.tasks - 1}",
        ),
        (program.size < 0, "its size is negative"),
        (program.tag < 0, "its tag is negative"),
        (with_request & (program.request < 0), "its request is negative"),
    ):
        if wrong.any():
            raise program.error(int(wrong.argmax()), reason)
    check_cycles(program)


def check_cycles(program: Operations) -> None:
    """Check that every computation is short enough to be simulated."""
    if program.size.max(initial=0) < MOST_CYCLES:
        return
    wrong = (program.kind == Op.COMPUTE) & (program.size >= MOST_CYCLES)
    if wrong.any():
        raise program.error(int(wrong.argmax()), "it is too long, expected less than 2**59 cycles")


def _check_lengths(program: Operations) -> None:
    name = program.name or "program"
    for column in ("peer", "size", "tag", "request"):
        length = len(getattr(program, column))
        if length != len(program):
            raise ValueError(f"{name}: {column} has {length} rows, expected {len(program)}, as many as kind")
    first = program.first
    if not len(first) or first[0] != 0 or first[-1] != len(program) or (np.diff(first) < 0).any():
        raise ValueError(f"{name}: first must rise from 0 to {len(program)}, the number of operations")
    if program.marks.shape[1] != 3:
        raise ValueError(
            f"{name}: marks have {program.marks.shape[1]} columns, expected task, operation, iteration"
        )
    bounds = [("mark", program.marks[:, 0], program.marks[:, 1])]
    for section, places in program.sections.items():
        if not isinstance(places, np.ndarray) or places.dtype.kind not in "iu":
            raise ValueError(f"{name}: section {section!r} is not an array of whole numbers")
        if places.shape != (program.tasks, 2) or (places[:, 0] > places[:, 1]).any():
            raise ValueError(f"{name}: section {section!r} needs a first operation and an end for each task")
        bounds += [(f"section {section!r}", np.arange(program.tasks), column) for column in places.T]
    for what, task, place in bounds:
        known = (task >= 0) & (task < program.tasks)
        if known.all():
            known = (first[task] <= place) & (place <= first[task + 1])
        if not known.all():
            wrong = int(known.argmin())
            raise ValueError(f"{name}: {what} of task {task[wrong]} is at {place[wrong]}, outside that task")
