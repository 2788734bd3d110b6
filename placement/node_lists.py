"""Nodes of jobs in the text form of a partition rule, so that a run records where its jobs are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.host_lists import spelled

__all__ = ["node_lists"]


def node_lists(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> str:
    """Return the partition rule ``nodes:`` that gives each job its nodes, in their order.

    Examples
    --------
    >>> node_lists([[0, 1, 2, 8], [5, 4]])
    'nodes:0-2,8/5,4'
    """
    return "nodes:" + "/".join(map(spelled, parts))
