"""A run of a program without time, which shows whether it reaches its end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.operation import MOST_CYCLES, Op
from netplace.native import apps as native


def openers(program: Operations) -> NDArray[np.int64]:
    """Return, for each wait, the index of the operation that opened its request; -1 for other operations."""
    opens = np.flatnonzero((program.kind == Op.ISEND) | (program.kind == Op.IRECV))
    waits = np.flatnonzero(program.kind == Op.WAIT)
    # Request -1 would borrow from the task's bits; no request is negative, so 0 is never reached.
    key = (program.task_of().astype(np.int64) << 32) + program.request + 1
    opens = opens[np.argsort(key[opens], kind="stable")]
    opened = key[opens]
    _refuse(program, opens[1:][opened[1:] == opened[:-1]], "opens a request that is already open")
    place = np.searchsorted(opened, key[waits])
    known = place < len(opened)
    known[known] = opened[place[known]] == key[waits][known]
    _refuse(program, waits[~known], "waits for a request that the task never opens")
    _refuse(program, waits[opens[place] > waits], "waits for a request before it is opened")
    times = np.bincount(place, minlength=len(opens))
    order = np.argsort(place, kind="stable")
    again = np.zeros(len(waits), bool)
    again[order[1:]] = place[order][1:] == place[order][:-1]
    _refuse(program, waits[again], "waits for a request a second time")
    _refuse(program, opens[times == 0], "opens a request that is never waited for")
    opener = np.full(len(program), -1, np.int64)
    opener[waits] = opens[place]
    return opener


def renumbered(program: Operations) -> NDArray[np.int32]:
    """Return `program`'s requests numbered 0, 1, .. in each task in the order in which they are opened."""
    opener = openers(program)
    opens = (program.kind == Op.ISEND) | (program.kind == Op.IRECV)
    before = np.concatenate([[0], np.cumsum(opens)])
    number = before[:-1] - np.repeat(before[program.first[:-1]], np.diff(program.first))
    request = np.where(opens, number, -1)
    waits = np.flatnonzero(opener >= 0)
    request[waits] = number[opener[waits]]
    return request.astype(np.int32)


def _refuse(program: Operations, wrong: NDArray[np.int64], reason: str) -> None:
    if len(wrong):
        raise program.error(int(wrong.min()), reason)


def partners(
    sends: NDArray[np.int64], receives: NDArray[np.int64], *channel: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sends and receives that belong together: the k-th ones of each channel.

    `channel` are columns for all sends and then all receives; messages with equal rows are of one channel.
    """
    key, count = _combined(*channel), len(sends)
    first, second = (np.argsort(part, kind="stable") for part in (key[:count], key[count:]))
    if np.array_equal(key[:count][first], key[count:][second]):  # all have a partner
        return sends[first], receives[second]
    key = _combined(key, np.concatenate([ordinals(key[:count]), ordinals(key[count:])]))
    _, first, second = np.intersect1d(key[:count], key[count:], assume_unique=True, return_indices=True)
    return sends[first], receives[second]


def ordinals(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each number, how many equal ones come before it."""
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=numbers[order[:1]] - 1))
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    return places


def _combined(*columns: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return one number for each row, equal for equal rows only."""
    key, largest = np.zeros(len(columns[0]), np.int64), 0
    for column in columns if len(key) else ():
        digit, width = column - column.min(), int(column.max()) - int(column.min()) + 1
        if (largest + 1) * width >= 1 << 63:  # of ranks there are fewer than of numbers
            key, digit = (np.unique(wide, return_inverse=True)[1].astype(np.int64) for wide in (key, column))
            width, largest = int(digit.max()) + 1, int(key.max())
        key = key * width + digit
        largest = (largest + 1) * width - 1
    return key


def _partners(program: Operations) -> NDArray[np.int64]:
    """Return the index of the send of each receive and of the receive of each send; -1 for other operations.

    Messages of different sizes are of different channels.
    """
    sends = np.flatnonzero((program.kind == Op.SEND) | (program.kind == Op.ISEND))
    receives = np.flatnonzero((program.kind == Op.RECV) | (program.kind == Op.IRECV))
    here, both = program.task_of(), np.concatenate([sends, receives])
    source = np.concatenate([here[sends], program.peer[receives]])
    target = np.concatenate([program.peer[sends], here[receives]])
    sent, received = partners(sends, receives, source, target, program.tag[both], program.size[both])
    partner = np.full(len(program), -1, np.int64)
    partner[sent], partner[received] = received, sent
    alone = both[partner[both] < 0]
    if len(alone):
        raise _unmatched(program, alone, here)
    return partner


def _unmatched(program: Operations, alone: NDArray[np.int64], task: NDArray[np.int32]) -> Exception:
    """Return the error for the first operation without a partner."""
    index = int(alone.min())
    is_send = np.isin(program.kind[alone], (Op.SEND, Op.ISEND))
    sends = program.kind[index] in (Op.SEND, Op.ISEND)
    reason = f"no {'receive' if sends else 'send'} in task {program.peer[index]} matches it"
    rivals = alone[
        (is_send != sends)
        & (task[alone] == program.peer[index])
        & (program.peer[alone] == task[index])
        & (program.tag[alone] == program.tag[index])
    ]
    if len(rivals):
        rival = program.operation(int(rivals.min()))
        reason += f"; operation {rival.number} there has {rival.size} bytes"
    return program.error(index, reason)


_SHOWN = 6  # tasks of a circle that an error names


def check_progress(program: Operations, eager_limit: int | None = None) -> None:
    """Check that messages and requests pair up and that every task reaches its end."""
    need = needs(program, eager_limit)
    task_of = program.task_of()
    place = native.stands(program.first.copy(), task_of, need)  # where each task stops
    stuck = np.flatnonzero(place < program.first[1:])
    if len(stuck):
        raise ValueError(_deadlock(program, place, need, task_of, stuck, eager_limit))


def needs(program: Operations, eager_limit: int | None = None) -> NDArray[np.int64]:
    """Return the operation that must have been reached before each operation can end; -1 if there is none."""
    partner, opener = _partners(program), openers(program)
    need = np.full(len(program), -1, np.int64)
    ends = np.flatnonzero((program.kind == Op.RECV) | (program.kind == Op.SEND) | (program.kind == Op.WAIT))
    message = np.where(program.kind[ends] == Op.WAIT, opener[ends], ends)
    sends = (program.kind[message] == Op.SEND) | (program.kind[message] == Op.ISEND)
    waits_for_receive = sends & (eager_limit is not None)
    if eager_limit is not None:
        waits_for_receive &= program.size[message] > eager_limit
    foreign = program.peer[message] != program.task_of()[message]
    blocks = foreign & (~sends | waits_for_receive)
    need[ends[blocks]] = partner[message[blocks]]
    return need


def _deadlock(
    program: Operations,
    place: NDArray[np.int64],
    need: NDArray[np.int64],
    task_of: NDArray[np.int32],
    stuck: NDArray[np.int64],
    eager_limit: int | None,
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
        "" if eager_limit is None else f" if messages of more than {eager_limit} bytes wait for their receive"
    )
    return f"{program.name or 'program'}: deadlock{how}, {len(stuck)} tasks never end: {'; '.join(links)}"


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
        raise ValueError(f"{name}: first must increase from 0 to {len(program)}, the number of operations")
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
    for label, task, place in bounds:
        known = (task >= 0) & (task < program.tasks)
        if known.all():
            known = (first[task] <= place) & (place <= first[task + 1])
        if not known.all():
            wrong = int(known.argmin())
            raise ValueError(f"{name}: {label} of task {task[wrong]} is at {place[wrong]}, outside that task")
