"""The compiled part of a `Timeline`: which processors are free from when to when.

A set of processors is a row of 64-bit words. Row r of `free` holds from ``times[r]`` until ``times[r + 1]``,
the last one for ever; `bounds` says which rows are in use: from the first to before the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.local_backfilling.simulator.rule_kernel import choose

__all__ = ["change", "earliest", "first_now"]

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONES = np.uint64(0x5555555555555555)
_TWOS = np.uint64(0x3333333333333333)
_FOURS = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)


@njit()
def _size(row: Any) -> int:
    """Return how many processors a set has."""
    total = 0
    for word in row:
        pairs = word - ((word >> np.uint64(1)) & _ONES)
        fours = (pairs & _TWOS) + ((pairs >> np.uint64(2)) & _TWOS)
        bytes_ = (fours + (fours >> np.uint64(4))) & _FOURS
        total += int((bytes_ * _BYTES) >> np.uint64(56))
    return total


@njit()
def _before(times: Any, first: int, stop: int, time: float) -> int:
    """Return the first row that begins at `time` or later."""
    while first < stop:
        middle = (first + stop) // 2
        if times[middle] < time:
            first = middle + 1
        else:
            stop = middle
    return first


@njit()
def _row(times: Any, free: Any, bounds: Any, time: float) -> int:
    """Return the row that begins at `time`, made if need be; the first row begins at or before it."""
    at = _before(times, bounds[0], bounds[1], time)
    if at < bounds[1] and times[at] == time:
        return at
    for row in range(bounds[1], at, -1):
        times[row] = times[row - 1]
        for word in range(free.shape[1]):
            free[row, word] = free[row - 1, word]
    times[at] = time
    for word in range(free.shape[1]):
        free[at, word] = free[at - 1, word]
    bounds[1] += 1
    return at


@njit()
def _drop_if_same(times: Any, free: Any, bounds: Any, at: int) -> None:
    """Remove a row that is like the one before."""
    if at <= bounds[0] or at >= bounds[1]:
        return
    for word in range(free.shape[1]):
        if free[at, word] != free[at - 1, word]:
            return
    bounds[1] -= 1
    for row in range(at, bounds[1]):
        times[row] = times[row + 1]
        for word in range(free.shape[1]):
            free[row, word] = free[row + 1, word]


@njit(cache=True)
def change(times: Any, free: Any, bounds: Any, begin: float, end: float, held: Any, release: bool) -> None:
    """Free a set of processors from `begin` to `end`, or hold it; there is room for two more rows."""
    first = _row(times, free, bounds, begin)
    last = _row(times, free, bounds, end)
    for row in range(first, last):
        for word in range(free.shape[1]):
            if release:
                free[row, word] |= held[word]
            else:
                free[row, word] &= ~held[word]
    _drop_if_same(times, free, bounds, last)
    _drop_if_same(times, free, bounds, first)


@njit()
def _chosen(kind: int, forced: bool, blocks: Any, size: int, open_: Any, held: Any) -> bool:
    """Replace the set `held` by what a rule takes of `open_`."""
    processors = blocks[-1]
    free, chosen = np.empty(processors, np.bool_), np.zeros(processors, np.bool_)
    for processor in range(processors):
        word = open_[processor >> 6] >> np.uint64(processor & 63)
        free[processor] = (word & np.uint64(1)) != 0
    if not choose(kind, forced, free, blocks, size, chosen):
        return False
    held[:] = 0
    for processor in range(processors):
        if chosen[processor]:
            held[processor >> 6] |= np.uint64(1) << np.uint64(processor & 63)
    return True


@njit(cache=True)
def earliest(
    times: Any, free: Any, bounds: Any, now: float, wall: float, kind: int, forced: bool, blocks: Any,
    size: int, work: Any, held: Any,
) -> float:  # fmt: skip
    """Return the first start at which a rule finds processors for `wall`; they are in `held`.

    The window ``[start, start + wall)`` slides over the rows; what is free in all of it is kept.

    What is free in rows `at` to `middle` - 1 stands in ``work[at]``, what is free from there to `stop` - 1 in
    `tail`: each row is looked at twice in all. Wherever too little is free in part of a window, all starts
    whose windows hold that part are passed over.
    """
    at, stop, middle, last = bounds[0], bounds[0], bounds[0], bounds[1]
    tail = np.empty(free.shape[1], np.uint64)
    open_ = np.empty(free.shape[1], np.uint64)
    while at < last:
        start = max(now, times[at])
        end = start + wall
        if at >= middle:
            stop = max(stop, at + 1)
            while stop < last and times[stop] < end:
                stop += 1
            tail[:] = _ALL
            low = at
            for row in range(stop - 1, at - 1, -1):
                for word in range(len(tail)):
                    tail[word] &= free[row, word]
                    work[row, word] = tail[word]
                if _size(tail) < size:
                    low = row + 1
                    break
            tail[:] = _ALL
            middle = stop
            if low > at:
                at = low
                continue
        else:
            grown = stop
            while stop < last and times[stop] < end:
                for word in range(len(tail)):
                    tail[word] &= free[stop, word]
                stop += 1
            if stop > grown and _size(tail) < size:
                at = middle
                continue
        for word in range(len(tail)):
            open_[word] = work[at, word] & tail[word]
        if _size(open_) >= size and _chosen(kind, forced, blocks, size, open_, held):
            return start
        at += 1
    return np.inf


@njit(cache=True)
def first_now(
    times: Any, free: Any, bounds: Any, now: float, kind: int, forced: bool, blocks: Any, slots: Any,
    begin: int, sizes: Any, walls: Any, starts: Any, sets: Any, work: Any, held: Any,
) -> int:  # fmt: skip
    """Return the place in `slots`, from `begin` on, of the first job that can start now, or -1.

    A job can if it could were its own reservation not there.

    With its reservation on O from s on, a job finds free until e what all others leave free until e, and of O
    what is free until s. Both are ANDs of rows from the first on, which are made once.
    """
    first, last, words = bounds[0], bounds[1], free.shape[1]
    for word in range(words):
        work[first, word] = free[first, word]
    most, depth = _size(work[first]), first + 1
    open_ = np.empty(words, np.uint64)
    for place in range(begin, len(slots)):
        slot = slots[place]
        size = sizes[slot]
        if size > most:
            continue
        until = _before(times, first, last, now + walls[slot])
        own = min(until, _before(times, first, last, starts[slot]))
        while depth < until:
            for word in range(words):
                work[depth, word] = work[depth - 1, word] & free[depth, word]
            depth += 1
        until, own = max(until, first + 1), max(own, first + 1)
        for word in range(words):
            open_[word] = work[until - 1, word] | (work[own - 1, word] & sets[slot, word])
        if _size(open_) >= size and _chosen(kind, forced, blocks, size, open_, held):
            return place
    return -1
