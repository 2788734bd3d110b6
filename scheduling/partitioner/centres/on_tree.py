"""The centre whose nearest free nodes lie closest together on a tree, from counts of its subtrees. Compiled.

The least subtree around a centre that has enough free nodes is made up of parts, the subtrees one level
below. All free nodes of the centre's own part are nearer to it than those of the others, which are all
equally far: so the nodes are those of its own part and, of the others, those of least number. They hang on
the part alone. Two nodes have two links less between them for every level at which one subtree holds both, so
the sum over pairs is least where most pairs are together, counted at every level. The choice is that of
`nearest.best_centre`.

`counts` has the free nodes of every subtree and `pairs` their pairs that are together, at its own level and
below, level by level from the nodes up; level l begins at ``first[l]``, and a subtree consists of `down` of
the level below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import GROUPS, Axes

# mypy: disable-error-code="untyped-decorator"

__all__ = ["best_on_tree", "is_tree"]


def is_tree(axes: Axes) -> bool:
    """Return whether the dimensions are the levels of a tree."""
    return bool((axes.kinds == GROUPS).all())


def best_on_tree(axes: Axes, free: Nodes, centres: Nodes, size: int) -> int:
    """Return the first of the best centres, which are in increasing order; `size` is 2 or more."""
    subtrees = np.append(axes.sizes, 1)
    first = np.append(0, np.cumsum(subtrees))
    return int(_search(first, int(subtrees[0] // subtrees[1]), free, centres, size))


@njit(cache=True)
def _count(first: Any, down: int, free: Any) -> Any:
    """Return `counts` and `pairs`."""
    counts, pairs = np.zeros(first[-1], np.int64), np.zeros(first[-1], np.int64)
    for node in free:
        counts[node] = 1
    part = 0
    for subtree in range(first[1], first[-1]):  # its parts follow on those of the subtree before
        for _ in range(down):
            counts[subtree] += counts[part]
            pairs[subtree] += pairs[part]
            part += 1
        pairs[subtree] += counts[subtree] * (counts[subtree] - 1) // 2
    return counts, pairs


@njit(cache=True)
def _search(first: Any, down: int, free: Any, centres: Any, size: int) -> Any:
    """Return the first of the best centres."""
    counts, pairs = _count(first, down, free)
    best, best_at, tried = np.int64(-1), np.int64(-1), 0
    for centre in centres:
        if centre < tried:  # in the same part as the one before
            continue
        level, part, width = 0, centre, 1
        while counts[first[level + 1] + part // down] < size:
            level, part, width = level + 1, part // down, width * down
        tried = (part + 1) * width
        own = first[level] + part
        levels_above = len(first) - 2 - level  # where all are together
        cost = pairs[own] + levels_above * (size * (size - 1) // 2)
        cost += _first_pairs(first, down, counts, pairs, level + 1, part // down, own, size - counts[own])
        if cost > best:
            best, best_at = np.int64(cost), centre
    return best_at


@njit(cache=True)
def _first_pairs(
    first: Any, down: int, counts: Any, pairs: Any, level: int, subtree: int, without: int, wanted: int
) -> Any:
    """Return the pairs together below a subtree, of its first free nodes outside one of its parts."""
    total = np.int64(0)
    while wanted > 0:
        level -= 1
        part = first[level] + subtree * down
        while wanted > 0 and (part == without or counts[part] <= wanted):
            if part != without:
                total += pairs[part]
                wanted -= counts[part]
            part += 1
        total += wanted * (wanted - 1) // 2  # in the part that is not needed as a whole
        subtree = part - first[level]
    return total
