"""The nodes of jobs in the text form of a partition rule, with which a run records where its jobs are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.host_lists import spelled

__all__ = ["node_lists"]


def node_lists(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> str:
    """Return the partition rule ``nodes:`` that gives each job the given nodes, in the given order.

    Examples
    --------
    >>> node_lists([[0, 1, 2, 8], [5, 4]])
    'nodes:0-2,8/5,4'
    """
    return "nodes:" + "/".join(map(spelled, parts))
