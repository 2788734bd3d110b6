"""The compiled part of the allocation rules: which of the free processors a job gets.

`free` tells for each processor whether it may be taken; what is chosen is marked in `chosen`, all false
before. Every function returns whether the rule found processors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

__all__ = ["BASIC", "BLOCK", "BLOCK_RANK", "CLUSTERS", "FIRST_PIECE", "PIECES", "choose"]

BASIC, FIRST_PIECE, PIECES, CLUSTERS, BLOCK, BLOCK_RANK = range(6)


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
def _clusters(free: Any, low: int, high: int, cluster: int, size: int, fewest: bool, chosen: Any) -> bool:
    """Take clusters, most free processors first, the last one cut; if `fewest`, no more than needed."""
    held = np.zeros((high - low) // cluster, np.int64)
    for processor in range(low, high):
        held[(processor - low) // cluster] += free[processor]
    order = np.argsort(-held, kind="mergesort")
    if fewest and held[order[: -(-size // cluster)]].sum() < size:
        return False
    for place in order:
        taken = min(size, held[place])
        begin = low + place * cluster
        _first(free, begin, begin + cluster, taken, chosen)
        size -= taken
        if size == 0:
            return True
    return False


@njit()
def _block(free: Any, blocks: Any, size: int, rank: bool, least: bool, chosen: Any) -> bool:
    """Take the first block with room of the lowest level that has one; if `least`, of the least level."""
    processors = len(free)
    for level in range(len(blocks)):
        if blocks[level] < size:
            continue
        for low in range(0, processors, blocks[level]):
            high = low + blocks[level]
            if free[low:high].sum() >= size:
                if rank:
                    return _first(free, low, high, size, chosen)
                return _clusters(free, low, high, blocks[0], size, False, chosen)
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
    elif kind == CLUSTERS:
        return _clusters(free, 0, len(free), blocks[0], size, forced, chosen)
    elif kind in (BLOCK, BLOCK_RANK):
        return _block(free, blocks, size, kind == BLOCK_RANK, forced, chosen)
    if fits or forced:
        return fits
    return _first(free, 0, len(free), size, chosen)
