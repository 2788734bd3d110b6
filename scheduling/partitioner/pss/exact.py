"""Nodes of least cost by processor sets, exactly: by knapsack on a tree of sets, else by integer programs.

Every two sets of a *laminar* family are nested or disjoint, so they form a tree, and the least cost of k
nodes below a set follows from that of its parts. Any other family takes an integer program for each
component of the cost, the first first, each fixed before the next (HiGHS, through SciPy); small machines
only.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.laminar import laminar_tree, least_below
from netplace.scheduling.partitioner.pss.sets import ProcessorSets

__all__ = ["exact", "exact_by_programs"]

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
        return least_below(sets, tree, free, size)
    if len(nodes) > _MOST_FREE:
        raise ValueError(
            f"partitioner pss, exact: the sets overlap and {len(nodes)} nodes are free, "
            f"expected at most {_MOST_FREE}"
        )
    return exact_by_programs(sets, free, size)


def exact_by_programs(sets: ProcessorSets, free: NDArray[np.bool_], size: int) -> Nodes:
    """Return `size` of the free nodes of least cost, by an integer program for each component."""
    for component, most in enumerate(sets.vectors.sum(axis=0, dtype=float), start=1):
        if most > _MOST_COST:
            raise ValueError(
                f"partitioner pss, exact: costs of component {component} add up to {most:g}, expected at "
                f"most {_MOST_COST:g}"
            )
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
