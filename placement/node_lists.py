"""Nodes of jobs as the text of a partition rule, so that a run says by itself where its jobs are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["node_lists"]


def node_lists(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> str:
    """Return the partition rule ``nodes:`` that gives each job its nodes, in their order.

    Examples
    --------
    >>> node_lists([[0, 1, 2, 8], [5, 4]])
    'nodes:0-2,8/5,4'
    """
    return "nodes:" + "/".join(",".join(_ranges(np.asarray(part))) for part in parts)


def _ranges(nodes: NDArray[np.int64]) -> list[str]:
    """Return the nodes as numbers, and as ranges where each is one more than that before."""
    runs = np.split(nodes, np.flatnonzero(np.diff(nodes) != 1) + 1)
    return [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
