"""Nodes as runs of neighboring numbers, as in ``0-3,8``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["node_runs", "spelled"]


def node_runs(nodes: ArrayLike) -> list[tuple[int, int]]:
    """Return the first and last node of each run of consecutive nodes.

    Examples
    --------
    >>> node_runs([0, 1, 2, 8, 7])
    [(0, 2), (8, 8), (7, 7)]
    """
    numbers = np.asarray(nodes, np.int64)
    if not len(numbers):
        return []
    ends = np.flatnonzero(np.diff(numbers) != 1)
    firsts, lasts = numbers[[0, *(ends + 1)]], numbers[[*ends, len(numbers) - 1]]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def spelled(nodes: ArrayLike, between: str = ",") -> str:
    """Return nodes as text with ranges.

    Examples
    --------
    >>> spelled([0, 1, 2, 8])
    '0-2,8'
    """
    return between.join(
        str(first) if first == last else f"{first}-{last}" for first, last in node_runs(nodes)
    )
