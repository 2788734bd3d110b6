"""Which nodes a job gets by processor sets: all free nodes but those whose removal saves most.

Removals are extended set by set; the best one of every size is kept.

Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier" (JSSPP), Figure 3,
repaired. What is printed there values a removal by the sets that it touches, which is not what it saves,
returns all free nodes if no removal has the exact size, and leaves ties to a coin. Here a removal is valued
by the sets that it empties, the best of all sizes is cut to the size of the job, and the one found first
stays; with a seed, ties among removals of one size are left to a coin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.laminar import laminar_tree
from netplace.scheduling.partitioner.pss.select_tree import kept_on_tree
from netplace.scheduling.partitioner.pss.sets import Members, ProcessorSets

# mypy: disable-error-code="untyped-decorator"

__all__ = ["select"]

_LARGE = 8000  # free nodes beyond which whole sets are removed greedily before
_ENOUGH = 2000  # free nodes that are left then, at least
_KEPT = 2**23  # numbers that are kept of the last states; of those further back all is found anew


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
        return np.asarray(nodes[_cut(inside, sets_of, worth, kept[nodes], size)])
    coin = 0 if seed is None else 2 * seed + 1
    return np.asarray(nodes[_select(inside, sets_of, worth, len(nodes), size, coin)])


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


@njit(cache=True)
def _before(a: Any, b: Any) -> int:
    """Return -1, 0 or 1 as vector a is less than b, equal or greater, from the first component on."""
    for i in range(len(a)):
        if a[i] != b[i]:
            return -1 if a[i] < b[i] else 1
    return 0


@njit(cache=True)
def _thrown(coin: int) -> int:
    """Return the next state of a linear congruential generator (Knuth, MMIX); a bit of it is the coin."""
    return coin * 6364136223846793005 + 1442695040888963407


@njit(cache=True)
def _select(members: Any, sets_of: Any, worth: Any, nodes: int, size: int, coin: int) -> Any:
    """Return the nodes that stay when the best removal is made and cut to size; coin 0: the first stays.

    A removal is kept as the one that it extends and the set that it takes. When its turn comes to be
    extended, what is left of the sets and what they save is that of the former, but for sets touched.
    """
    room, count, width = nodes - size, len(members.starts) - 1, worth.shape[1]
    before, by = np.full(room + 1, -1, np.int64), np.full(room + 1, -1, np.int64)
    value = np.zeros((room + 1, width), np.int64)
    before[0] = 0
    within = _bits(members, nodes)
    rows = min(room, max(1, _KEPT // max(1, count * (width + 1))))  # of the last states, in turn
    left, gain = np.empty((rows, count), np.int64), np.empty((rows, count, width), np.int64)
    gone, touched, candidate = np.zeros(nodes, np.bool_), np.zeros(count, np.bool_), np.empty(width, np.int64)
    for base in range(room):
        if before[base] < 0:
            continue
        row, former = base % rows, before[base]
        if 0 < base - former < rows:
            left[row], gain[row] = left[former % rows], gain[former % rows]
            _put_together(gone, members, before, by, former)
            _remove(gain[row], left[row], members, sets_of, worth, within, gone, by[base], touched)
        else:
            _put_together(gone, members, before, by, base)
            _gains(gain[row], left[row], members, sets_of, worth, within, gone)
        for i in range(count):
            k = base + left[row, i]
            if k == base or k > room:
                continue
            for d in range(width):
                candidate[d] = gain[row, i, d] + value[base, d]
            better = _before(candidate, value[k]) if before[k] >= 0 else 1
            if coin and better == 0:
                coin = _thrown(coin)
                better = (coin >> 33) & 1
            if better > 0:
                before[k], by[k] = base, i
                value[k] = candidate
    best = 0
    for k in range(room + 1):
        if before[k] >= 0 and _before(value[k], value[best]) >= 0:
            best = k
    _put_together(gone, members, before, by, best)
    return _cut(members, sets_of, worth, ~gone, size)


@njit(cache=True)
def _bits(members: Any, nodes: int) -> Any:
    """Return the members of each set as bits of words."""
    count = len(members.starts) - 1
    bits = np.zeros((count, nodes // 64 + 1), np.uint64)
    for i in range(count):
        for at in range(members.starts[i], members.starts[i + 1]):
            node = members.values[at]
            bits[i, node >> 6] |= np.uint64(1) << np.uint64(node & 63)
    return bits


@njit(cache=True)
def _put_together(gone: Any, members: Any, before: Any, by: Any, state: int) -> None:
    """Mark the nodes that a removal takes, and no others."""
    gone[:] = False
    while by[state] >= 0:
        for at in range(members.starts[by[state]], members.starts[by[state] + 1]):
            gone[members.values[at]] = True
        state = before[state]


@njit(cache=True)
def _gains(gain: Any, left: Any, members: Any, sets_of: Any, worth: Any, within: Any, gone: Any) -> None:
    """Find what the removal of each set would save, and how many nodes each has left."""
    gain[:] = 0
    for i in range(len(left)):
        left[i] = 0
        for at in range(members.starts[i], members.starts[i + 1]):
            left[i] += not gone[members.values[at]]
    for i in range(len(left)):
        _charge(gain, left, members, sets_of, worth, within, gone, i, 1)


@njit(cache=True)
def _remove(
    gain: Any,
    left: Any,
    members: Any,
    sets_of: Any,
    worth: Any,
    within: Any,
    gone: Any,
    removed: int,
    touched: Any,
) -> None:
    """Remove a set's nodes, and find anew what changes; `touched` is room, all False and left so."""
    changed = np.empty(len(touched), np.int64)
    count = 0
    nodes = members.values[members.starts[removed] : members.starts[removed + 1]]
    for node in nodes:
        if not gone[node]:
            for of in range(sets_of.starts[node], sets_of.starts[node + 1]):
                i = sets_of.values[of]
                if not touched[i]:
                    touched[i] = True
                    changed[count] = i
                    count += 1
    for i in changed[:count]:
        _charge(gain, left, members, sets_of, worth, within, gone, i, -1)
        touched[i] = False
    for node in nodes:
        if not gone[node]:
            gone[node] = True
            for of in range(sets_of.starts[node], sets_of.starts[node + 1]):
                left[sets_of.values[of]] -= 1
    for i in changed[:count]:
        _charge(gain, left, members, sets_of, worth, within, gone, i, 1)


@njit(cache=True)
def _charge(
    gain: Any, left: Any, members: Any, sets_of: Any, worth: Any, within: Any, gone: Any, i: int, sign: int
) -> None:
    """Add what a set is worth (or take it off) to all sets whose removal empties it.

    These are the sets that hold all that it has left, which are among those around one of its nodes.
    """
    if left[i] == 0:
        return
    low, high = members.starts[i], members.starts[i + 1] - 1
    while gone[members.values[low]]:
        low += 1
    while gone[members.values[high]]:
        high -= 1
    first = members.values[low]
    for of in range(sets_of.starts[first], sets_of.starts[first + 1]):
        around = sets_of.values[of]
        # From the last node on: the one that is least likely inside.
        at = high if left[around] >= left[i] else low - 2
        while at > low:
            node = members.values[at]
            if not gone[node] and not (within[around, node >> 6] >> np.uint64(node & 63)) & np.uint64(1):
                break
            at -= 1
        if at == low:
            for d in range(worth.shape[1]):
                gain[around, d] += sign * worth[i, d]


@njit(cache=True)
def _cut(members: Any, sets_of: Any, worth: Any, kept: Any, size: int) -> Any:
    """Drop nodes one by one, each the one that saves most, of equal ones that of highest number."""
    count, width = len(members.starts) - 1, worth.shape[1]
    inside = np.zeros(count, np.int64)
    for i in range(count):
        for at in range(members.starts[i], members.starts[i + 1]):
            inside[i] += kept[members.values[at]]
    saved, most = np.empty(width, np.int64), np.empty(width, np.int64)
    for _ in range(kept.sum() - size):
        best = -1
        for node in range(len(kept)):
            if not kept[node]:
                continue
            saved[:] = 0
            for of in range(sets_of.starts[node], sets_of.starts[node + 1]):
                if inside[sets_of.values[of]] == 1:
                    saved += worth[sets_of.values[of]]
            if best < 0 or _before(saved, most) >= 0:
                best = node
                most[:] = saved
        kept[best] = False
        for of in range(sets_of.starts[best], sets_of.starts[best + 1]):
            inside[sets_of.values[of]] -= 1
    return np.flatnonzero(kept)
