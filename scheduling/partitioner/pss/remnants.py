"""What is left of nested sets while some are removed, with tables of what a further removal saves.

A *remnant* is a set without some of those inside it: its nodes that are left, what they save when all of them
go, and a table of the removals inside it: of each number of nodes the one that saves most, of equal ones that
of the set of least number. A remnant is never changed. A removal makes new ones of the sets around it, each
from the tables of those right inside, and shares all others with the state before.

Sets that hold no other, right inside the same set and with as many free nodes, are one remnant, a *row*: only
the dearest, of equal ones that of least number, can be the best removal.

Arrays, handed over one by one: Numba would count references to those in a tuple at every use, and does so at
calls, for which functions of the inner loop are inlined.

sets : ndarray of int64, shape (sets + 1, 5)
    What stays the same of each set, by size, and of the machine: columns `ABOVE` to `ROW`.
made : ndarray of int64, shape (space, 7)
    Remnants: columns `NAME` to `TABLE_END`.
table : ndarray of int64, shape (space, 3)
    Removals: columns `NODES` to `NUMBER`.
parts : ndarray of int32, shape (space,)
    Remnants right inside others.
used : ndarray of int64, shape (3,)
    How much of the last three is used.
at : ndarray of int64, shape (nodes + 1,)
    Where the removal of so many nodes stands in the table that is being made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

# mypy: disable-error-code="untyped-decorator"

__all__ = ["NODES", "NUMBER", "SAVED", "TABLE", "TABLE_END", "larger", "remnants", "without"]

# OWN: free nodes in no smaller set. ROW: the set by which its row is known, or itself.
ABOVE, WORTH, NUMBER_OF, OWN, ROW = range(5)
# A row has in PARTS what it is without its best set, or -1, and -1 in PARTS_END.
NAME, LEFT, SAVES, PARTS, PARTS_END, TABLE, TABLE_END = range(7)
NODES, SAVED, NUMBER = range(3)


@njit(cache=True)
def remnants(tree: Any, free: Any, room: int) -> Any:
    """Return all arrays before any removal, and where in `parts` the outermost remnants begin and end.

    Parameters
    ----------
    tree : LaminarTree
        The sets.
    free : ndarray of bool, shape (nodes,)
        Which nodes are free.
    room : int
        For how many removals there should be space; it is a guess what each takes.
    """
    parent, kin, starts = tree.parent, tree.kin, tree.kin_starts
    nodes, count = len(free), len(kin)
    sets = np.zeros((count + 1, 5), np.int64)
    sets[:, ABOVE], sets[:, WORTH] = parent[nodes:] - nodes, tree.worth[nodes:]
    sets[:count, NUMBER_OF] = tree.number
    for node in range(nodes):
        sets[parent[node] - nodes, OWN] += free[node]
    inside = sets[:, OWN].copy()  # free nodes of each set
    rows = 0  # removals inside all sets, at most
    for i in range(count):
        rows += inside[i]
        inside[sets[i, ABOVE]] += inside[i]
    made, table = np.empty((count + 2 * room, 7), np.int64), np.empty((rows + 12 * room, 3), np.int64)
    parts, at = np.empty(count + 8 * room, np.int32), np.zeros(nodes + 1, np.int64)
    used = np.zeros(3, np.int64)
    now = np.full(count + 1, -1, np.int64)  # remnant of each set; of a row, of it and those behind it
    begin = end = 0
    for i in range(count + 1):
        begin = end = used[2]
        row = -1
        for place in range(starts[i], starts[i + 1]):
            inner = kin[place]
            if now[inner] >= 0:
                row = -1
                end += 1
            elif inside[inner]:
                like = row >= 0 and sets[row, OWN] == sets[inner, OWN]
                sets[inner, ROW] = sets[row, ROW] if like else inner
                now[inner] = _row(sets, made, table, used, inner, now[row] if like else -1)
                row = inner
                end += not like
            else:
                continue
            parts[end - 1] = now[inner]
        used[2] = end
        if i < count and end > begin:
            sets[i, ROW] = i
            now[i] = _remnant(sets, made, table, parts, used, at, i, begin, end)
    return sets, made, table, parts, used, at, begin, end, rows


@njit(cache=True)
def larger(array: Any, rows: int) -> Any:
    """Return a copy with space for so many rows."""
    enlarged = array
    while len(enlarged) < rows:
        enlarged = np.concatenate((enlarged, np.empty_like(enlarged)))
    return enlarged


@njit(cache=True, inline="always")
def without(
    sets: Any,
    made: Any,
    table: Any,
    parts: Any,
    used: Any,
    at: Any,
    path: Any,
    removed: int,
    begin: int,
    end: int,
) -> tuple[int, int]:
    """Remove a set where the outermost remnants are ``parts[begin:end]``; return where they are then.

    Parameters
    ----------
    sets, made, table, parts, used, at : ndarray
        The remnants, and space for more.
    path : ndarray of int64, shape (depth, 4)
        Space: the set and those around it, their remnants, and between which parts these are.
    removed : int
        The set, the best of its row.
    begin, end : int
        Where the outermost remnants begin and end.
    """
    depth, outer = 0, removed
    while outer < len(sets) - 1:
        path[depth, 0] = outer
        depth += 1
        outer = sets[outer, ABOVE]
    for i in range(depth - 1, -1, -1):
        path[i, 2], path[i, 3] = begin, end
        name, place = sets[path[i, 0], ROW], begin
        while made[parts[place], NAME] != name:
            place += 1
        outer = parts[place]
        path[i, 1] = outer
        begin, end = made[outer, PARTS], made[outer, PARTS_END]
    new = begin if end < 0 else -1  # what takes the place of the set removed
    for i in range(depth):
        outer, begin = path[i, 1], used[2]
        end = begin
        for place in range(path[i, 2], path[i, 3]):
            part = new if parts[place] == outer else parts[place]
            if part >= 0:
                parts[end] = part
                end += 1
        used[2] = end
        if i + 1 < depth:
            around, new = path[i + 1, 0], -1
            if end > begin or sets[around, OWN]:
                new = _remnant(sets, made, table, parts, used, at, around, begin, end)
    return begin, end


@njit(cache=True)
def _row(sets: Any, made: Any, table: Any, used: Any, index: int, rest: int) -> int:
    """Make a set that holds no other, in front of the rest of its row (-1: none)."""
    new, last = used[0], used[1]
    table[last, NODES], table[last, SAVED], table[last, NUMBER] = (
        sets[index, OWN],
        sets[index, WORTH],
        sets[index, NUMBER_OF],
    )
    made[new, NAME], made[new, LEFT], made[new, SAVES] = (
        sets[index, ROW],
        sets[index, OWN],
        sets[index, WORTH],
    )
    if rest >= 0:
        made[new, LEFT] += made[rest, LEFT]
        made[new, SAVES] += made[rest, SAVES]
    made[new, PARTS], made[new, PARTS_END] = rest, -1
    made[new, TABLE], made[new, TABLE_END] = last, last + 1
    used[0], used[1] = new + 1, last + 1
    return int(new)


@njit(cache=True, inline="always")
def _remnant(
    sets: Any, made: Any, table: Any, parts: Any, used: Any, at: Any, index: int, begin: int, end: int
) -> int:
    """Make what is left of a set whose parts are ``parts[begin:end]``."""
    left, worth, number = sets[index, OWN], sets[index, WORTH], sets[index, NUMBER_OF]
    for place in range(begin, end):
        left += made[parts[place], LEFT]
        worth += made[parts[place], SAVES]
    first = last = used[1]
    for place in range(begin, end):
        for i in range(made[parts[place], TABLE], made[parts[place], TABLE_END]):
            nodes = table[i, NODES]
            if nodes == left:  # the whole set goes with its last part
                number = min(number, table[i, NUMBER])
                continue
            k = at[nodes]
            if k < first or k >= last or table[k, NODES] != nodes:
                k = at[nodes] = last
                last += 1
            elif table[i, SAVED] < table[k, SAVED] or (
                table[i, SAVED] == table[k, SAVED] and table[i, NUMBER] > table[k, NUMBER]
            ):
                continue
            table[k, NODES], table[k, SAVED], table[k, NUMBER] = nodes, table[i, SAVED], table[i, NUMBER]
    table[last, NODES], table[last, SAVED], table[last, NUMBER] = left, worth, number
    new = used[0]
    made[new, NAME], made[new, LEFT], made[new, SAVES] = index, left, worth
    made[new, PARTS], made[new, PARTS_END] = begin, end
    made[new, TABLE], made[new, TABLE_END] = first, last + 1
    used[0], used[1] = new + 1, last + 1
    return int(new)
