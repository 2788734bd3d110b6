"""Running a program without time, to see whether it comes to its end."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.matching import partners
from netplace.apps.operation import Op
from netplace.apps.requests import openers

__all__ = ["check_progress"]

_SHOWN = 6  # tasks of a circle that an error names


def check_progress(program: Operations, rendezvous: int | None = None) -> None:
    """Check that messages and requests pair up and that every task reaches its end.

    Raises
    ------
    OperationError
        As `netplace.apps.matching.partners` and `netplace.apps.requests.openers`.
    ValueError
        If tasks wait for each other, naming who waits for whom.
    """
    need = _needs(program, partners(program), openers(program), rendezvous)
    task_of = program.task_of()
    place = _replay(program.first.copy(), task_of, need)
    stuck = np.flatnonzero(place < program.first[1:])
    if len(stuck):
        raise ValueError(_deadlock(program, place, need, task_of, stuck, rendezvous))


def _needs(
    program: Operations, partner: NDArray[np.int64], opener: NDArray[np.int64], rendezvous: int | None
) -> NDArray[np.int64]:
    """Return the operation that must have been reached before each operation can end; -1: none."""
    need = np.full(len(program), -1, np.int64)
    ends = np.flatnonzero((program.kind == Op.RECV) | (program.kind == Op.SEND) | (program.kind == Op.WAIT))
    message = np.where(program.kind[ends] == Op.WAIT, opener[ends], ends)
    sends = (program.kind[message] == Op.SEND) | (program.kind[message] == Op.ISEND)
    waits_for_receive = sends & (rendezvous is not None)
    if rendezvous is not None:
        waits_for_receive &= program.size[message] > rendezvous
    foreign = program.peer[message] != program.task_of()[message]
    blocks = foreign & (~sends | waits_for_receive)
    need[ends[blocks]] = partner[message[blocks]]
    return need


@njit("int64[::1](int64[::1], int32[::1], int64[::1])", cache=True)
def _replay(first, task_of, need):  # type: ignore[no-untyped-def]
    """Return where each task comes to stand; ``first[task + 1]`` if it ends."""
    tasks = len(first) - 1
    place = first[:-1].copy()
    waiter = np.full(len(need), -1, np.int32)
    ready = np.arange(tasks)
    left = tasks
    while left:
        left -= 1
        task = ready[left]
        here = place[task]
        while here < first[task + 1]:
            if waiter[here] >= 0:
                # At most one task waits for an operation, so a task is never listed as ready twice.
                ready[left] = waiter[here]
                left += 1
                waiter[here] = -1
            place[task] = here
            wanted = need[here]
            if wanted >= 0 and place[task_of[wanted]] < wanted:
                waiter[wanted] = task
                break
            here += 1
            place[task] = here
    return place


def _deadlock(
    program: Operations,
    place: NDArray[np.int64],
    need: NDArray[np.int64],
    task_of: NDArray[np.int32],
    stuck: NDArray[np.int64],
    rendezvous: int | None,
) -> str:
    seen: list[int] = []
    task = int(stuck[0])
    while task not in seen and place[task] < program.first[task + 1]:
        seen.append(task)
        task = int(task_of[need[place[task]]])
    circle = seen[seen.index(task) :] if task in seen else seen
    links = []
    for waiting in circle[:_SHOWN]:
        operation = program.operation(int(place[waiting]))
        target = int(task_of[need[place[waiting]]])
        links.append(f"task {waiting} at operation {operation.number} ({operation}) waits for task {target}")
    if len(circle) > _SHOWN:
        links.append(f"and {len(circle) - _SHOWN} more")
    how = (
        "" if rendezvous is None else f" when messages of more than {rendezvous} bytes wait for their receive"
    )
    return f"{program.name or 'program'}: deadlock{how}, {len(stuck)} tasks never end: {'; '.join(links)}"
