"""Requests: the operation that opens the request of each wait."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations
from netplace.apps.operation import Op


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
