"""Which nodes a job gets by processor sets: all free nodes but those whose removal saves most.

Removals are extended set by set; the best one of every size is kept.

Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier" (JSSPP), Figure 3,
repaired. What is printed there values a removal by the sets that it touches, which is not what it saves,
returns all free nodes if no removal has the exact size, and leaves ties to a coin. Here a removal is valued
by the sets that it empties, the best of all sizes is cut to the size of the job, and the one found first
stays; with a seed, ties among removals of one size are left to a coin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.laminar import kept_on_tree, laminar_tree
from netplace.scheduling.partitioner.pss.sets import Members, ProcessorSets

__all__ = ["select"]

_LARGE = 8000  # free nodes beyond which whole sets are removed greedily before
_ENOUGH = 2000  # free nodes that are left then, at least


def select(sets: ProcessorSets, free: NDArray[np.bool_], size: int, seed: int | None = None) -> Nodes | None:
    """Return `size` free nodes of small cost, in increasing order; None if fewer are free.

    With more than 8,000 free nodes, whole sets are removed first, the dearest first, as long as 2,000 nodes
    and four times `size` are left.

    Parameters
    ----------
    sets : ProcessorSets
        Sets and costs; they take part in their order.
    free : ndarray of bool, shape (nodes,)
        Which nodes are free.
    size : int
        Nodes wanted, at least 1.
    seed : int, optional
        Of the coin that decides between removals of the same worth and size; without, the first one stays.
    """
    nodes = np.flatnonzero(free)
    if size < 1 or size > len(nodes):
        return None
    if size == len(nodes):
        return nodes
    if len(nodes) > _LARGE:
        free = _reduced(sets, free, size)
        nodes = np.flatnonzero(free)
    tree = laminar_tree(sets) if sets.worth.shape[1] == 1 and seed is None else None
    if tree is not None:
        kept = kept_on_tree(tree, free, size)
        if np.count_nonzero(kept) == size:
            return np.flatnonzero(kept)
    inside = _inside(sets.members, free, nodes)
    sets_of = _sets_of(inside, len(nodes))
    worth = sets.worth[: len(sets.members.starts) - 1]
    if tree is not None:
        return np.asarray(nodes[native.cut(*inside, *sets_of, worth, kept[nodes], size)])
    coin = 0 if seed is None else 2 * seed + 1
    return np.asarray(nodes[native.select(*inside, *sets_of, worth, size, coin)])


def _inside(members: Members, free: NDArray[np.bool_], nodes: Nodes) -> Members:
    """Return the free nodes of every set, numbered among the free ones."""
    kept = free[members.values]
    counts = np.concatenate([[0], np.cumsum(kept)])
    number = np.cumsum(free) - 1
    return Members(counts[members.starts].astype(np.int64), number[members.values[kept]].astype(np.int64))


def _sets_of(members: Members, nodes: int) -> Members:
    """Return the sets that each node is in."""
    owner = np.repeat(np.arange(len(members.starts) - 1), np.diff(members.starts))
    order = np.argsort(members.values, kind="stable")
    counts = np.bincount(members.values, minlength=nodes)
    return Members(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), owner[order])


def _reduced(sets: ProcessorSets, free: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return free nodes without whole sets, the dearest removed first."""
    starts, values = sets.members
    free = free.copy()
    count = int(free.sum())
    for place in np.lexsort((np.arange(len(starts) - 1), *(-sets.vectors.T[::-1]))).tolist():
        mine = values[starts[place] : starts[place + 1]]
        inside = int(free[mine].sum())
        if count - inside >= max(4 * size, _ENOUGH):
            free[mine] = False
            count -= inside
    return free
