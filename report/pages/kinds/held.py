"""Nodes that jobs held, as boxes of a Gantt chart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netplace.topologies.node_runs import node_runs

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
    return [(first, last + 1) for first, last in node_runs(np.unique(np.asarray(nodes, np.int64)))]
