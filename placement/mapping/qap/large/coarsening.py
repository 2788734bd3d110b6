"""Coarser traffic: tasks with much traffic are paired, pairs are paired again, and so on.

Pairs are found by heavy-edge matching (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme
for partitioning irregular graphs", SIAM J. Scientific Computing 20 (1998)); tasks whose partners are all
taken are paired with a partner's partner, the rest with each other. The machine has blocks of exactly
2, 4, 8, .. locations, so every task finds a mate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native

__all__ = ["clustered", "merged", "narrow"]


def clustered(flows: Any, coarsest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a number for each task, all different: those of one ``number >> level`` belong together.

    Parameters
    ----------
    flows : scipy.sparse.csr_array, shape (n, n)
        Symmetric, without diagonal.
    coarsest : int
        Pairing ends with so many clusters or fewer.
    rng : numpy.random.Generator
        Order in which tasks look for mates.
    """
    pairs: list[NDArray[np.int64]] = []
    last = -1  # the cluster that is not full, where the number of tasks is no power of two
    while flows.shape[0] > coarsest:
        count = flows.shape[0]
        mate = native.match(flows.indptr, flows.indices, flows.data, rng.permutation(count), last)
        lower = np.flatnonzero(mate > np.arange(count))
        rows = np.stack((lower, mate[lower]), axis=1)
        single = np.flatnonzero(mate < 0)
        if len(single):
            rows = np.concatenate((rows, [[single[0], -1]]))
            last = len(rows) - 1
        elif last >= 0:
            at = int(np.flatnonzero((rows == last).any(axis=1))[0])
            pair = rows[at] if rows[at, 1] == last else rows[at, ::-1]
            rows = np.concatenate((np.delete(rows, at, axis=0), [pair]))
            last = len(rows) - 1
        number = np.empty(count, np.int64)
        for side in (0, 1):
            there = rows[:, side] >= 0
            number[rows[there, side]] = np.flatnonzero(there)
        pairs.append(rows)
        flows = merged(flows, number, len(rows))
    order = np.arange(flows.shape[0])
    if last >= 0:
        order[last], order[-1] = order[-1], order[last]
    for rows in reversed(pairs):
        number = np.empty((rows >= 0).sum(), np.int64)
        for side in (0, 1):
            there = rows[:, side] >= 0
            number[rows[there, side]] = 2 * order[there] + side
        order = number
    return order


def merged(flows: Any, cluster: NDArray[np.int64], count: int) -> Any:
    """Return the flows between `count` clusters, without those inside one."""
    from scipy import sparse

    entries = sparse.coo_array(flows)
    source, target = (cluster[end] for end in entries.coords)
    off = source != target
    return narrow(sparse.coo_array((entries.data[off], (source[off], target[off])), (count, count)))


def narrow(flows: Any) -> Any:
    """Return sparse flows by rows, each pair once, with float32 numbers and int32 indices."""
    from scipy import sparse

    made = sparse.csr_array(flows, dtype=np.float32)
    made.sum_duplicates()
    made.indptr, made.indices = made.indptr.astype(np.int32), made.indices.astype(np.int32)
    return made
