"""Nodes of a job by processor sets: all free nodes except those whose removal saves most.

Removals are extended set by set; the best one of every size is kept.

Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier", Figure 3,
repaired. The printed algorithm values a removal by the sets that it touches, which differs from its savings,
returns all free nodes if no removal has the exact size, and breaks ties at random. Here, a removal is valued
by the sets that it empties, the best of all sizes is cut to the size of the job, and the first one found
stays. With a seed, ties among removals of one size are broken at random.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.sets import Members, ProcessorSets


class _LaminarTree(NamedTuple):
    """Sets as vertices of a tree, leaves first, then the sets in increasing size, the whole machine last."""

    # shape (nodes + sets + 1,): vertex above; leaves are the nodes, vertex ``nodes + i`` is the i-th set by
    # size. -1 for the last.
    parent: NDArray[np.int64]
    worth: NDArray[np.int64]  # shape (nodes + sets + 1,): what each vertex costs
    number: NDArray[np.int64]  # shape (sets,): number of each set in the order in which they take part
    place: NDArray[np.int64]  # shape (sets,): place by size of the set of each number
    # shape (sets,): places of sets, those right below the same one together: the dearest last, of equal ones
    # that of least number.
    kin: NDArray[np.int64]
    # shape (sets + 2,): the sets right below the i-th are ``kin[kin_starts[i]:kin_starts[i + 1]]``; the last
    # is the machine.
    kin_starts: NDArray[np.int64]


@lru_cache(maxsize=16)  # the same sets place many jobs
def laminar_tree(sets: ProcessorSets) -> _LaminarTree | None:
    """Return the tree of the sets, or None if two overlap and neither holds the other."""
    starts, values = sets.members
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    top = sets.nodes + len(order)
    parent = np.full(top + 1, top, np.int64)
    parent[top] = -1
    highest = np.arange(sets.nodes)  # largest set so far that holds each node
    covered = np.ones(top + 1, np.int64)  # nodes below each vertex
    for place, i in enumerate(order.tolist()):
        mine = values[starts[i] : starts[i + 1]]
        parts = np.unique(highest[mine])
        if covered[parts].sum() != len(mine):
            return None
        parent[parts] = sets.nodes + place
        covered[sets.nodes + place] = len(mine)
        highest[mine] = sets.nodes + place
    worth = np.zeros(top + 1, np.int64)
    worth[sets.nodes : top] = sets.worth[order, 0]
    places = np.argsort(order)
    above = parent[sets.nodes + places] - sets.nodes
    kin = places[np.lexsort((-np.arange(len(order)), sets.worth[:, 0], above))]
    starts = np.concatenate([[0], np.cumsum(np.bincount(above, minlength=len(order) + 1))])
    return _LaminarTree(parent, worth, order, places, kin, starts)


# Nodes of least cost by processor sets, exactly: by knapsack on a tree of sets, else by integer programs.
#
# Every two sets of a *laminar* family are nested or disjoint, so they form a tree, and the least cost of k
# nodes below a set follows from that of its parts. Any other family takes an integer program for each
# component of the cost, the first first, each fixed before the next (HiGHS, through SciPy); small machines
# only.

_MOST_FREE = 512  # free nodes, for integer programs
_MOST_COST = 10**12  # sum of all costs of a component, for integer programs: their numbers are floating


def exact(sets: ProcessorSets, free: NDArray[np.bool_], size: int) -> Nodes | None:
    """Return `size` free nodes of least cost, in increasing order; None if fewer are free."""
    nodes = np.flatnonzero(free)
    if size < 1 or size > len(nodes):
        return None
    if size == len(nodes):
        return nodes
    tree = laminar_tree(sets)
    if tree is not None and sets.worth.shape[1] == 1:
        return np.flatnonzero(np.asarray(native.least_below(*tree, free, size)))
    if len(nodes) > _MOST_FREE:
        raise ValueError(
            f"partitioner pss, exact: the sets overlap and {len(nodes)} nodes are free, "
            f"expected at most {_MOST_FREE}"
        )
    return exact_by_programs(sets, free, size)


def exact_by_programs(sets: ProcessorSets, free: NDArray[np.bool_], size: int) -> Nodes:
    """Return `size` of the free nodes of least cost, by an integer program for each component."""
    for component, maximum in enumerate(sets.vectors.sum(axis=0, dtype=float), start=1):
        if maximum > _MOST_COST:
            raise ValueError(
                f"partitioner pss, exact: costs of component {component} add up to {maximum:g}, expected at "
                f"most {_MOST_COST:g}"
            )
    from scipy import sparse  # a third of the time in which a command begins
    from scipy.optimize import Bounds, LinearConstraint, milp

    nodes = np.flatnonzero(free)
    number = np.cumsum(free) - 1
    starts, values = sets.members
    each = (values[a:b] for a, b in itertools.pairwise(starts))
    inside = [number[mine[free[mine]]] for mine in each]
    used = [i for i, mine in enumerate(inside) if len(mine)]
    taken, touched = len(nodes), len(used)
    rows, columns, entries = [], [], []
    count = 0
    for place, i in enumerate(used):
        for node in inside[i].tolist():  # a node that is taken touches its sets
            rows += [count, count]
            columns += [taken + place, node]
            entries += [1.0, -1.0]
            count += 1
    touching = sparse.csr_array((entries, (rows, columns)), (count, taken + touched))
    enough = sparse.csr_array(
        (np.ones(taken), (np.zeros(taken, int), np.arange(taken))), (1, taken + touched)
    )
    limits = [LinearConstraint(touching, 0, np.inf), LinearConstraint(enough, size, np.inf)]
    solution = None
    for component in range(sets.vectors.shape[1]):
        costs = np.zeros(taken + touched)
        costs[taken:] = sets.vectors[used, component]
        solution = milp(
            costs, constraints=limits, integrality=np.ones(taken + touched), bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0},
        )  # fmt: skip
        if not solution.success:
            raise ValueError(
                f"partitioner pss, exact: the integer program was not solved: {solution.message}"
            )
        limits.append(LinearConstraint(costs[None, :], -np.inf, round(solution.fun) + 0.5))
    assert solution is not None
    # No more nodes than are wanted: to leave one out never costs more.
    return nodes[np.flatnonzero(solution.x[:taken] > 0.5)[:size]]


_LARGE = 8000  # free nodes beyond which whole sets are removed greedily before
_ENOUGH = 2000  # free nodes that are left then, at least
_TRIED = 64  # sets that are tried before those that can still be removed are sought again


def select(sets: ProcessorSets, free: NDArray[np.bool_], size: int, seed: int | None = None) -> Nodes | None:
    """Return `size` free nodes of small cost, in increasing order; None if fewer are free.

    With more than 8,000 free nodes, whole sets are removed first, the dearest first, as long as 2,000 nodes
    and four times `size` are left. `seed` decides between removals of the same worth and size; without it the
    first one stays.
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
        kept = np.asarray(native.kept_on_tree(*tree, free, size))
        if np.count_nonzero(kept) == size:
            return np.flatnonzero(kept)
    inside = _inside(sets.members, free)
    sets_of = inside.inverted(len(nodes))
    worth = sets.worth[: len(sets.members.starts) - 1]
    if tree is not None:
        return np.asarray(nodes[native.cut(*inside, *sets_of, worth, kept[nodes], size)])
    coin = 0 if seed is None else 2 * seed + 1
    return np.asarray(nodes[native.select(*inside, *sets_of, worth, size, coin)])


def _inside(members: Members, free: NDArray[np.bool_]) -> Members:
    kept = free[members.values]
    counts = np.concatenate([[0], np.cumsum(kept)])
    number = np.cumsum(free) - 1
    return Members(counts[members.starts].astype(np.int64), number[members.values[kept]].astype(np.int64))


def _reduced(sets: ProcessorSets, free: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return free nodes without whole sets, the dearest removed first."""
    starts, values = sets.members
    free = free.copy()
    count, minimum, at = int(free.sum()), max(4 * size, _ENOUGH), 0
    order = np.lexsort((np.arange(len(starts) - 1), *(-sets.vectors.T[::-1])))
    while True:
        before = np.concatenate([[0], np.cumsum(free[values])])
        inside = np.diff(before[starts])[order[at:]]
        removable = np.flatnonzero((inside > 0) & (inside <= count - minimum))[:_TRIED]
        if not len(removable):
            return free
        for place in order[at + removable].tolist():
            mine = values[starts[place] : starts[place + 1]]
            left = count - int(free[mine].sum())
            if left >= minimum:
                free[mine] = False
                count = left
        at += int(removable[-1]) + 1
