"""Nodes that jobs held, as boxes of a Gantt chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.host_lists import node_runs

__all__ = ["boxes_of", "intervals", "kept_steps"]


def boxes_of(
    begin: Sequence[float],
    end: Sequence[float],
    ranges: Sequence[Sequence[tuple[int, int]]],
    value: Sequence[float | None],
) -> list[tuple[float, float, int, int, float | None, int]]:
    """Return boxes (begin, end, first node, last node plus one, value, job), one for each range of nodes."""
    return [
        (begin[job], end[job], first, last, value[job], job)
        for job, held in enumerate(ranges)
        for first, last in held
    ]


def intervals(nodes: Sequence[int]) -> list[tuple[int, int]]:
    """Return first and last plus one of each run of neighboring numbers."""
    return [(first, last + 1) for first, last in node_runs(np.unique(np.asarray(nodes, np.int64)))]


def kept_steps(moments: NDArray[Any], series: Sequence[NDArray[Any]], most: int) -> NDArray[np.int64]:
    """Return which steps to draw, `most` at the most, so that the lines look as all would.

    Of steps so close together that they fall into one dot those are kept where a line is lowest or highest,
    and the first and the last, after which it may stay as it is for long.

    Parameters
    ----------
    moments : ndarray of float, shape (steps,)
        Times of the steps, in order.
    series : sequence of ndarray, each of shape (steps,)
        What each line is from each step on.
    most : int
        How many may be kept.
    """
    count = len(moments)
    if count <= most:
        return np.arange(count)
    bins = max(1, most // (2 + 2 * len(series)))
    span = max(float(moments[-1] - moments[0]), np.finfo(float).tiny)
    dot = np.minimum(((moments - moments[0]) / span * bins).astype(np.int64), bins - 1)
    first = np.flatnonzero(np.diff(dot, prepend=-1))
    kept = [first, np.append(first[1:], count) - 1]
    for values in series:
        order = np.lexsort((values, dot))
        kept += [order[first], order[kept[1]]]
    return np.unique(np.concatenate(kept))
