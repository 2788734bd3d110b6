"""Nodes of jobs on a machine on which other jobs have started and ended before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling import Job, Partitioner

Nodes = NDArray[np.int64]
_PAST = (4, 41)  # sizes of the jobs that held the machine before, drawn evenly


def nodes_after_others(
    keeper: Partitioner, sizes: Sequence[int], rng: np.random.Generator, early: int = 0
) -> list[Nodes]:
    """Return the nodes of jobs on a machine that is full of small ones when they come, in any order.

    The small jobs end one after the other, in any order, until there are nodes for the next job; one for
    which there are none even then has an empty array. With `early`, the first job is among so many first.
    """
    past = []
    while (allocation := keeper.find(Job(0, 0.0, int(rng.integers(*_PAST)), 1.0))) is not None:
        keeper.take(allocation)
        past.append(allocation)
    left = [past[place] for place in rng.permutation(len(past))]
    first = min(early, 1)
    arrivals = (first + rng.permutation(len(sizes) - first)).tolist()
    if early:
        arrivals.insert(int(rng.integers(early)), 0)
    nodes = [np.empty(0, np.int64)] * len(sizes)
    for place in arrivals:
        while (allocation := keeper.find(Job(0, 0.0, sizes[place], 1.0))) is None and left:
            keeper.release(left.pop())
        if allocation is not None:
            keeper.take(allocation)
            nodes[place] = allocation.nodes[: sizes[place]]
    return nodes
