"""The choice of `select` where every two sets are nested or disjoint: the same removals, valued on the tree.

What a removal of a set empties are the sets below it and those around it that have nothing else left. A state
keeps what is left of every set with a table of what can be removed, and a removal changes it only for the
sets around, see `netplace.scheduling.partitioner.pss.remnants`. A state is put together from the one that it
extends when its turn comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.pss.laminar import LaminarTree
from netplace.scheduling.partitioner.pss.remnants import (
    NODES,
    NUMBER,
    SAVED,
    TABLE,
    TABLE_END,
    larger,
    remnants,
    without,
)

# mypy: disable-error-code="untyped-decorator"

__all__ = ["kept_on_tree"]

VALUE, BEFORE, BY, BEGIN, END = range(5)  # of a state


def kept_on_tree(tree: LaminarTree, free: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return which nodes stay when the best removal is made that leaves `size` free nodes or more.

    Of equal ones it is that of the most nodes; of equal ones of as many nodes the one found first, from the
    state of fewest nodes and by the set of least number.

    Parameters
    ----------
    tree : LaminarTree
        Tree of the sets, whose costs are single numbers (`ProcessorSets.worth`).
    free : ndarray of bool, shape (nodes,)
        Which nodes are free.
    size : int
        Nodes wanted, fewer than are free.
    """
    return np.asarray(_kept(tree, free, size))


@njit(cache=True)
def _kept(tree: Any, free: Any, size: int) -> Any:
    """Return which nodes stay."""
    parent, room = tree.parent, free.sum() - size
    states = _states(tree, free, room)
    best = 0
    for k in range(room + 1):
        if states[k, VALUE] >= states[best, VALUE]:
            best = k
    gone = np.zeros(len(parent), np.bool_)
    while best:
        gone[len(free) + tree.place[states[best, BY]]] = True
        best = states[best, BEFORE]
    for v in range(len(parent) - 2, len(free) - 1, -1):  # sets come before those that hold them
        gone[v] |= gone[parent[v]]
    kept = free.copy()
    for node in range(len(free)):
        kept[node] &= not gone[parent[node]]
    return kept


@njit(cache=True)
def _states(tree: Any, free: Any, room: int) -> Any:
    """Return the best removal of every size up to `room`, shape (room + 1, 5), by the columns above."""
    states = np.full((room + 1, 5), -1, np.int64)
    sets, made, table, parts, used, at, begin, end, rows = remnants(tree, free, room)
    states[0, VALUE], states[0, BEGIN], states[0, END] = 0, begin, end
    most = used[2]  # what a removal can make: no more remnants and parts than there are at first
    path = np.empty((most, 4), np.int64)
    base = 0
    while base < room:
        if used[0] + most > len(made):
            made = larger(made, used[0] + most)
        if used[1] + rows > len(table):
            table = larger(table, used[1] + rows)
        if used[2] + most > len(parts):
            parts = larger(parts, used[2] + most)
        base = _extended(states, base, tree.place, sets, made, table, parts, used, at, most, rows, path)
    return states


@njit(cache=True)
def _extended(
    states: Any,
    base: int,
    place_of: Any,
    sets: Any,
    made: Any,
    table: Any,
    parts: Any,
    used: Any,
    at: Any,
    most: int,
    rows: int,
    path: Any,
) -> int:
    """Extend states from `base` on, and return the first for which there is no space."""
    room = len(states) - 1
    while base < room:
        value = states[base, VALUE]
        if value < 0:
            base += 1
            continue
        if base:
            full = used[0] + most > len(made) or used[1] + rows > len(table)
            if full or used[2] + most > len(parts):
                return base
            removed, before = place_of[states[base, BY]], states[base, BEFORE]
            states[base, BEGIN], states[base, END] = without(
                sets, made, table, parts, used, at, path, removed, states[before, BEGIN], states[before, END]
            )
        for place in range(states[base, BEGIN], states[base, END]):
            for i in range(made[parts[place], TABLE], made[parts[place], TABLE_END]):
                after = base + table[i, NODES]
                if after > room:
                    continue
                better = value + table[i, SAVED] - states[after, VALUE]
                if better > 0 or (
                    better == 0 and states[after, BEFORE] == base and table[i, NUMBER] < states[after, BY]
                ):
                    states[after, VALUE] = value + table[i, SAVED]
                    states[after, BEFORE], states[after, BY] = base, table[i, NUMBER]
        base += 1
    return base
