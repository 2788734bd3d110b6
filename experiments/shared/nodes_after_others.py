"""Nodes of jobs on a machine on which other jobs have started and ended before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling import Job, Partitioner

Nodes = NDArray[np.int64]
_PAST = (4, 41)  # sizes of the jobs that held the machine before, drawn evenly


def filled(keeper: Partitioner, rng: np.random.Generator) -> list[Any]:
    """Fill a machine with small jobs; return their nodes in any order, of which the last ends first."""
    past = []
    while (allocation := keeper.find(Job(0, 0.0, int(rng.integers(*_PAST)), 1.0))) is not None:
        keeper.take(allocation)
        past.append(allocation)
    return [past[place] for place in rng.permutation(len(past))]


def nodes_after_others(keeper: Partitioner, size: int, past: list[Any]) -> Nodes:
    """Return the nodes of a job, for which others end until there are enough; empty if there never are."""
    while (allocation := keeper.find(Job(0, 0.0, size, 1.0))) is None:
        if not past:
            return np.empty(0, np.int64)
        keeper.release(past.pop())
    keeper.take(allocation)
    return allocation.nodes[:size]
