"""TreeMatch: tasks that talk most go below the same switch, level by level from the leaves of a tree up.

Source: E. Jeannot, G. Mercier, "Near-optimal placement of MPI processes on hierarchical NUMA architectures",
Euro-Par 2010, section 3, as it is commonly described: of all groups of as many tasks as a switch has ports
those with the least traffic to others are taken first, as long as they share no task; then a group becomes
one task of the next level. The details were not checked against the paper. Where the groups are too many to
list, they grow one by one from the pair of tasks with most traffic, which is ours.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from netplace.placement.expected_loads import flows
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes
from netplace.topologies import hierarchy

_LISTED = 50_000  # groups
Floats = NDArray[np.float64]


def treematch(problem: MappingProblem) -> Nodes:
    """Return the nodes of the tasks on the partition, whose nodes fill equal subtrees at every level."""
    what = "mapping treematch"
    known = hierarchy(problem.topology)
    if known is None:
        raise ValueError(f"{what}: is defined on trees, not on {problem.topology}")
    places = np.sort(np.argsort(known.order)[problem.nodes])
    arities = _arities(places, known.starts, what)
    source, target, size = flows(problem.traffic(what), problem.tasks)
    affinity = np.zeros((len(places), len(places)))  # nodes that no task has: tasks without traffic
    np.add.at(affinity, (source, target), size)
    affinity += affinity.T
    groups = [[task] for task in range(len(places))]
    for arity in arities:
        chosen = tree_groups(affinity, arity)
        groups = [[task for member in group for task in groups[member]] for group in chosen]
        inside = np.zeros((len(chosen), len(affinity)))
        for row, group in enumerate(chosen):
            inside[row, list(group)] = 1
        affinity = inside @ affinity @ inside.T
        np.fill_diagonal(affinity, 0)
    nodes = np.empty(len(places), np.int64)
    nodes[[task for group in groups for task in group]] = known.order[places]
    return nodes[: problem.tasks]


def _arities(places: NDArray[np.int64], starts: tuple[NDArray[np.int64], ...], what: str) -> list[int]:
    """Return how many parts a subtree of each level has, the lowest level first; all of a level alike."""
    arities, parts = [], len(places)
    for level in starts[1:]:
        _, counts = np.unique(np.searchsorted(level, places, side="right"), return_counts=True)
        if len(set(counts.tolist())) > 1:
            raise ValueError(
                f"{what}: subtrees hold {counts.min()} to {counts.max()} nodes of the partition, expected "
                "the same number each"
            )
        arities.append(parts // len(counts))
        parts = len(counts)
    return [arity for arity in arities if arity > 1]


def tree_groups(affinity: Floats, arity: int) -> list[tuple[int, ...]]:
    """Return disjoint groups of `arity` tasks each, by the traffic that they keep inside."""
    tasks = len(affinity)
    if math.comb(tasks, arity) > _LISTED:
        return _grown(affinity, arity)
    listed = np.array(list(itertools.combinations(range(tasks), arity)))
    inside = affinity[listed[:, :, None], listed[:, None, :]].sum(axis=(1, 2))
    outside = affinity.sum(axis=1)[listed].sum(axis=1) - inside
    left, groups = np.ones(tasks, bool), []
    for group in listed[np.argsort(outside, kind="stable")]:
        if left[group].all():
            left[group] = False
            groups.append(tuple(group.tolist()))
    return groups


def _grown(affinity: Floats, arity: int) -> list[tuple[int, ...]]:
    """Return groups that grow by the task with most traffic to them, each begun by the heaviest pair left."""
    left, groups = np.ones(len(affinity), bool), []
    while left.any():
        rest = np.flatnonzero(left)
        among = affinity[np.ix_(rest, rest)]
        group = [int(rest[np.unravel_index(np.argmax(among), among.shape)[0]])]
        left[group[0]] = False
        while len(group) < arity:
            pull = np.where(left, affinity[:, group].sum(axis=1), -1.0)
            group.append(int(np.argmax(pull)))
            left[group[-1]] = False
        groups.append(tuple(sorted(group)))
    return groups
