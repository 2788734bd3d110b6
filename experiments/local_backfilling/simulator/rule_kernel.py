"""The compiled part of the allocation rules: which of the free processors a job gets.

`free` tells for each processor whether it may be taken; what is chosen is marked in `chosen`, all false
before. Every function returns whether the rule found processors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

__all__ = [
    "BASIC",
    "BLOCK",
    "BLOCK_RANK",
    "BLOCK_TIGHTEST",
    "CLUSTERS",
    "CLUSTERS_TIGHTEST",
    "FIRST_PIECE",
    "PIECES",
    "choose",
]

BASIC, FIRST_PIECE, PIECES, CLUSTERS, BLOCK, BLOCK_RANK, CLUSTERS_TIGHTEST, BLOCK_TIGHTEST = range(8)


@njit()
def _first(free: Any, low: int, high: int, size: int, chosen: Any) -> bool:
    """Take the first `size` free processors from `low` to before `high`; there are so many."""
    for processor in range(low, high):
        if size and free[processor]:
            chosen[processor] = True
            size -= 1
    return size == 0


@njit()
def _first_piece(free: Any, size: int, chosen: Any) -> bool:
    """Take the low end of the first piece with room."""
    length = 0
    for processor in range(len(free)):
        length = length + 1 if free[processor] else 0
        if length == size:
            chosen[processor - size + 1 : processor + 1] = True
            return True
    return False


@njit()
def _pieces(free: Any, size: int, single: bool, chosen: Any) -> bool:
    """Take pieces from the longest on, the last one cut; if `single`, the longest or none."""
    begins, lengths, count = np.empty(len(free), np.int64), np.empty(len(free), np.int64), 0
    for processor in range(len(free)):
        if free[processor]:
            if processor == 0 or not free[processor - 1]:
                begins[count], lengths[count] = processor, 0
                count += 1
            lengths[count - 1] += 1
    for place in np.argsort(-lengths[:count], kind="mergesort"):
        taken = min(size, lengths[place])
        if single and taken < size:
            return False
        chosen[begins[place] : begins[place] + taken] = True
        size -= taken
        if size == 0:
            return True
    return False


@njit()
def _clusters(
    free: Any, low: int, high: int, cluster: int, size: int, fewest: bool, tightest: bool, chosen: Any
) -> bool:
    """Take clusters, most free processors first, the last one cut; if `fewest`, no more than needed.

    If `tightest`, what one cluster can hold of the rest goes to the one with fewest free that does.
    """
    held = np.zeros((high - low) // cluster, np.int64)
    for processor in range(low, high):
        held[(processor - low) // cluster] += free[processor]
    order = np.argsort(-held, kind="mergesort")
    if fewest and held[order[: -(-size // cluster)]].sum() < size:
        return False
    for rank, fullest in enumerate(order):
        place = _tightest(held, order[rank:], size) if tightest else fullest
        taken = min(size, held[place])
        begin = low + place * cluster
        _first(free, begin, begin + cluster, taken, chosen)
        size -= taken
        if size == 0:
            return True
    return False


@njit()
def _tightest(held: Any, order: Any, size: int) -> int:
    """Return the first of those with fewest free that hold `size`; if none does, the first of `order`."""
    best = order[0]
    for place in order:
        if size <= held[place] < held[best]:
            best = place
    return int(best)


@njit()
def _block(free: Any, blocks: Any, size: int, rank: bool, least: bool, tightest: bool, chosen: Any) -> bool:
    """Take the first block with room of the lowest level that has one; if `least`, of the least level.

    If `tightest`, the one with fewest free instead of the first.
    """
    processors = len(free)
    for level in range(len(blocks)):
        if blocks[level] < size:
            continue
        best, fewest = -1, processors + 1
        for low in range(0, processors, blocks[level]):
            held = free[low : low + blocks[level]].sum()
            if size <= held < fewest:
                best, fewest = low, held
                if not tightest:
                    break
        if best >= 0:
            high = best + blocks[level]
            if rank:
                return _first(free, best, high, size, chosen)
            return _clusters(free, best, high, blocks[0], size, False, tightest, chosen)
        if least:
            return False
    return False


@njit()
def choose(kind: int, forced: bool, free: Any, blocks: Any, size: int, chosen: Any) -> bool:
    """Mark in `chosen` what a rule takes of `free`, at least `size`; tell whether it found any.

    Parameters
    ----------
    kind : int
        Family of the rule.
    forced : bool
        Whether it refuses what is not as it wants it.
    free, chosen : ndarray of bool, shape (processors,)
        What may be taken; what is.
    blocks : ndarray of int64
        Processors of a block of each level, from level 1 on.
    size : int
        Processors wanted.
    """
    fits = False
    if kind == FIRST_PIECE:
        fits = _first_piece(free, size, chosen)
    elif kind == PIECES:
        return _pieces(free, size, forced, chosen)
    elif kind in (CLUSTERS, CLUSTERS_TIGHTEST):
        tightest = kind == CLUSTERS_TIGHTEST
        return _clusters(free, 0, len(free), blocks[0], size, forced, tightest, chosen)
    elif kind in (BLOCK, BLOCK_RANK, BLOCK_TIGHTEST):
        return _block(free, blocks, size, kind == BLOCK_RANK, forced, kind == BLOCK_TIGHTEST, chosen)
    if fits or forced:
        return fits
    return _first(free, 0, len(free), size, chosen)
