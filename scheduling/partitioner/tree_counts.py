"""Free nodes of every subtree of a tree, counted level by level: what partitioners of trees look at.

All functions take ``counts``, the free nodes of every subtree, level by level from the nodes up, ``first``,
where each level begins in it, and ``down``, how many subtrees of a level one of the next level has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

# mypy: disable-error-code="untyped-decorator"

__all__ = ["choose", "count_nodes", "gather", "next_subtree", "release_until"]


@njit(cache=True)
def _count(counts: Any, first: Any, down: int, node: int, step: int) -> None:
    for level in range(len(first) - 1):
        counts[first[level] + node] += step
        node //= down


@njit(cache=True)
def count_nodes(counts: Any, first: Any, down: int, nodes: Any, step: int) -> int:
    """Add `step` to the counts of all subtrees around each node.

    Return the index of the first node that cannot be counted, with nothing changed, or -1.
    """
    for i in range(len(nodes)):
        node = nodes[i]
        if node < 0 or node >= first[1] or counts[node] != (step < 0):
            for j in range(i):
                _count(counts, first, down, nodes[j], -step)
            return i
        _count(counts, first, down, node, step)
    return -1


@njit(cache=True)
def next_subtree(
    counts: Any, first: Any, down: int, level: int, start: int, end: int, wanted: int
) -> tuple[int, int]:
    """Return the first subtree of a level, from `start` on, with so many free nodes, and how many were tried.

    `end` if there is none before it. Larger subtrees that have fewer are passed over as a whole.
    """
    subtree, visited = start, 0
    while subtree < end:
        visited += 1
        if counts[first[level] + subtree] >= wanted:
            return subtree, visited
        step, above, around = 1, level + 1, subtree // down
        while (
            subtree % (step * down) == 0 and above < len(first) - 1 and counts[first[above] + around] < wanted
        ):
            step *= down
            above += 1
            around //= down
        subtree += step
    return end, visited


@njit(cache=True)
def gather(
    counts: Any, first: Any, down: int, start: int, end: int, nodes: Any, count: int
) -> tuple[int, int]:
    """Put free nodes of ``start..end-1`` behind the `count` first; return how many there are, and visits."""
    node, visited = start, 0
    while count < len(nodes):
        node, tried = next_subtree(counts, first, down, 0, node, end, 1)
        visited += tried
        if node >= end:
            break
        nodes[count] = node
        count += 1
        node += 1
    return count, visited


@njit(cache=True)
def choose(
    counts: Any, first: Any, down: int, level: int, wanted: int, outside: int, one_up: bool
) -> tuple[int, int]:
    """Return the subtree of a level that a job gets, or -1, and how many were tried.

    The first with room for the whole job. If there is none, `outside` nodes may be elsewhere: with `one_up`
    the first in which no more are missing, if the subtree one level above has room for the job; without, the
    one with the most free nodes.
    """
    subtrees = first[level + 1] - first[level]
    subtree, visited = next_subtree(counts, first, down, level, 0, subtrees, wanted)
    if subtree < subtrees:
        return subtree, visited
    if outside > 0 and not one_up:
        here = counts[first[level] : first[level + 1]]
        fullest: Any = np.argmax(here)
        return (fullest if here[fullest] >= wanted - outside else -1), visited + subtrees
    subtree = 0
    while outside > 0 and level + 2 < len(first) and subtree < subtrees:
        subtree, tried = next_subtree(counts, first, down, level, subtree, subtrees, wanted - outside)
        visited += tried
        if subtree < subtrees and counts[first[level + 1] + subtree // down] >= wanted:
            return subtree, visited
        subtree += 1
    return -1, visited


@njit(cache=True)
def release_until(
    counts: Any,
    first: Any,
    down: int,
    level: int,
    wanted: int,
    outside: int,
    one_up: bool,
    nodes: Any,
    ends: Any,
) -> tuple[int, int]:
    """Count nodes as free, ``nodes[ends[i - 1] : ends[i]]`` together, until `choose` finds a subtree.

    Return how many of these groups are free then, or -1 if it never does, or -2 if a node was free already;
    and how many subtrees were tried.
    """
    free, visited, begin = counts[-1], 0, 0
    for group in range(len(ends)):
        if count_nodes(counts, first, down, nodes[begin : ends[group]], 1) >= 0:
            return -2, visited
        free += ends[group] - begin
        begin = ends[group]
        if free >= wanted:
            subtree, tried = choose(counts, first, down, level, wanted, outside, one_up)
            visited += tried
            if subtree >= 0:
                return group + 1, visited
    return -1, visited
