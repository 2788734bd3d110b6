"""Which receive belongs to which send."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.operation import Op

__all__ = ["partners"]


def partners(program: Operations) -> NDArray[np.int64]:
    """Return the index of the send of each receive and of the receive of each send; -1 for other operations.

    The k-th send of so many bytes from one task to another on a tag belongs to the k-th receive of them.
    """
    sends = np.flatnonzero((program.kind == Op.SEND) | (program.kind == Op.ISEND))
    receives = np.flatnonzero((program.kind == Op.RECV) | (program.kind == Op.IRECV))
    here = program.task_of()
    both = np.concatenate([sends, receives])
    source = np.concatenate([here[sends], program.peer[receives]])
    target = np.concatenate([program.peer[sends], here[receives]])
    key = _combined(source, target, program.tag[both], program.size[both])
    sent, received = key[: len(sends)], key[len(sends) :]
    sends = sends[np.argsort(sent, kind="stable")]
    receives = receives[np.argsort(received, kind="stable")]
    if len(sends) != len(receives) or not np.array_equal(np.sort(sent), np.sort(received)):
        raise _unmatched(program, both, key, len(sends))
    partner = np.full(len(program), -1, np.int64)
    partner[sends] = receives
    partner[receives] = sends
    return partner


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


def _unmatched(program: Operations, both: NDArray[np.int64], key: NDArray[np.int64], sends: int) -> Exception:
    """Return the error for the first operation without a partner; `both` lists the sends first."""
    dense = np.unique(key, return_inverse=True)[1]
    sent = np.bincount(dense[:sends], minlength=int(dense.max()) + 1)
    received = np.bincount(dense[sends:], minlength=len(sent))
    order = np.argsort(dense, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - np.repeat(
        np.cumsum(sent + received) - sent - received, sent + received
    )
    is_send = np.arange(len(both)) < sends
    alone = np.where(is_send, place >= received[dense], place - sent[dense] >= sent[dense])
    first = int(np.flatnonzero(alone)[np.argmin(both[alone])])
    index, task = int(both[first]), program.task_of()
    reason = f"no {'receive' if is_send[first] else 'send'} in task {program.peer[index]} belongs to it"
    rivals = both[alone & (is_send != is_send[first])]
    rivals = rivals[
        (task[rivals] == program.peer[index])
        & (program.peer[rivals] == task[index])
        & (program.tag[rivals] == program.tag[index])
    ]
    if len(rivals):
        rival = program.operation(int(rivals.min()))
        reason += f"; operation {rival.number} there is for {rival.size} bytes"
    return program.error(index, reason)
