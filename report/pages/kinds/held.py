"""Nodes that jobs held, as boxes of a Gantt chart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["boxes_of", "intervals"]


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
    """Return first and last plus one of each run of neighbouring numbers."""
    if not len(nodes):
        return []
    ordered = np.unique(np.asarray(nodes, np.int64))
    ends = np.flatnonzero(np.diff(ordered) > 1)
    firsts = ordered[np.concatenate([[0], ends + 1])]
    lasts = ordered[np.concatenate([ends, [len(ordered) - 1]])] + 1
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
