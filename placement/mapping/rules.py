"""Mappings by a plain order, by least traffic times cost, on trees, and the best of several by simulation."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_int
from netplace.placement.expected_loads import flows
from netplace.placement.mapping.cost import Criterion, cost_locations, cost_matrix
from netplace.placement.mapping.link_load import link_load
from netplace.placement.mapping.problem import MappingProblem, read_option
from netplace.placement.mapping.qap import METHODS, QapResult, solve_qap
from netplace.placement.mapping.qap.problem import all_alike
from netplace.placement.rule import Nodes, grid_of
from netplace.topologies import Grid, Topology, Tree, hierarchy


def consecutive(problem: MappingProblem) -> Nodes:
    """Return the first nodes of the partition in its order: row order, unless the user lists another."""
    return problem.nodes[: problem.tasks]


def column(problem: MappingProblem) -> Nodes:
    """Return the partition's nodes in column order: by X first, then Y, and so on."""
    places = grid_of(problem.topology, "mapping column").coordinates(problem.nodes)
    order = np.lexsort(places.T[::-1])
    return problem.nodes[order][: problem.tasks]


def permuted(problem: MappingProblem) -> Nodes:
    """Return the nodes of the partition in random order; all orders have equal probability."""
    return problem.rng.permutation(problem.nodes)[: problem.tasks]


def shuffle(problem: MappingProblem) -> Nodes:
    """Return the first node below every leaf switch, then every second node, and so on."""
    if not isinstance(problem.topology, Tree):
        raise ValueError(
            f"mapping shuffle: is defined on trees, not on {problem.topology}; use column or random"
        )
    switch = problem.nodes // problem.topology.down
    by_switch = np.argsort(switch, kind="stable")
    grouped = switch[by_switch]
    turn = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
    return problem.nodes[by_switch][np.lexsort((grouped, turn))][: problem.tasks]


OPTION = "METHOD,iterations=N,seconds=S"
# CPU seconds of a search per task and per pair of tasks that talk, measured with the usual iterations for 16
# to 1,152 tasks on meshes, tori and trees; most searches take a third of that to twice as long.
_SEARCHES = {"classic": (1.2e-3, 1e-5), "td": (1.2e-3, 1e-5), "link-load": (4e-3, 1e-5)}
_TABULATED = 1024  # nodes up to which all costs among them are tabulated
LIMITS = ("iterations", "seconds")


def expected_seconds(mapping: str, flows: Callable[[], Any]) -> float:
    """Return about how many CPU seconds a mapping searches; `flows` returns the traffic."""
    name, _, option = mapping.partition(":")
    searches = [each for search, each in _SEARCHES.items() if name in (search, "best")]
    if not searches:
        return 0.0
    if limit := re.search(r"seconds=([0-9.]+)", option):
        return float(limit[1])
    from scipy import sparse

    sent = sparse.coo_array(flows())
    if all_alike(sent):  # every mapping costs the same on as many nodes
        return 0.0
    return sum(task * int(sent.shape[0]) + pair * int(sent.nnz) for task, pair in searches)


def optimise(
    W: Any,
    topology: Topology,
    *,
    nodes: ArrayLike | None = None,
    criterion: str | Criterion = "classic",
    method: str = "portfolio",
    seconds: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> QapResult:
    """Place tasks on nodes so that the sum over i, j of ``W[i, j] * C[p[i], p[j]]`` is small.

    Parameters
    ----------
    W : array_like or sparse array, shape (tasks, tasks)
        Traffic in bytes, as returned by `Program.traffic`; the diagonal must be zero.
    nodes : array_like of int, optional
        Nodes of the partition, at least as many as tasks; all nodes by default.
    criterion : str or callable
        Determines the costs C between nodes, as in `cost_matrix`.
    method, seconds, iterations, seed
        As in `solve_qap`.
    """
    usable = topology.computing if nodes is None else topology.check_nodes(nodes)
    computed = cost_locations(topology, usable, criterion) if len(usable) > _TABULATED else None
    costs = cost_matrix(topology, usable, criterion) if computed is None else computed
    result = solve_qap(W, costs, method=method, seconds=seconds, iterations=iterations, seed=seed)
    return replace(result, mapping=usable[result.mapping])


def optimised(problem: MappingProblem, criterion: str, limits: tuple[str, ...] = LIMITS) -> QapResult:
    """Return the mapping of least cost found; `limits` are the keywords allowed in the option."""
    label = f"mapping {criterion}"
    options = read_option(problem.option, limits, f"{label}: limit", "method", METHODS)
    return optimise(
        problem.traffic(label),
        problem.topology,
        nodes=problem.nodes,
        seed=int(problem.rng.integers(2**62)),
        **{"criterion": criterion, **options},
    )


def classic(problem: MappingProblem) -> QapResult:
    """Return a mapping for which the sum of bytes times hops is small.

    With the option ``criterion=oversubscription``, hops of a tree are weighted by the number of nodes that
    share a link.
    """
    return optimised(problem, "classic", (*LIMITS, "criterion"))


def td(problem: MappingProblem) -> QapResult:
    """Return a mapping for which the sum of bytes times the TD cost is small."""
    return optimised(problem, "td")


# The rules that are tried besides random permutations, and the kind of network that each is defined on.
CANDIDATES: dict[str, tuple[Callable[[MappingProblem], Nodes | QapResult], type[Topology]]] = {
    "consecutive": (consecutive, Topology),
    "column": (column, Grid),
    "shuffle": (shuffle, Tree),
    "classic": (classic, Topology),
    "td": (td, Grid),
    "link-load": (link_load, Topology),
}
MOST_RANDOM = 10_000  # each is simulated
RANDOM = 5  # random permutations, unless the option says otherwise


def best(problem: MappingProblem) -> QapResult:
    """Return the candidate with which the program, alone on the network, takes the fewest cycles.

    Of equally fast candidates, it takes the first, and also if no candidate reaches its end. The cost of the
    result is that number of cycles, its method is the name of the winner, and its iterations are the number
    of candidates.
    """
    if problem.run_time is None:
        raise ValueError(
            "mapping best: simulates a program on every candidate, but no program or simulator was given"
        )
    began = time.thread_time()
    tried: set[bytes] = set()
    winner: QapResult | None = None
    for name, nodes in _candidates(problem):
        if nodes.tobytes() in tried:
            continue
        tried.add(nodes.tobytes())
        limit = None if winner is None or winner.cost == np.inf else int(winner.cost)
        cycles = problem.run_time(nodes, limit)
        if cycles is not None or winner is None:
            winner = QapResult(nodes, np.inf if cycles is None else cycles, name, 0, 0.0)
    assert winner is not None, "there is a candidate on every network"
    return replace(winner, iterations=len(tried), seconds=time.thread_time() - began)


def _candidates(problem: MappingProblem) -> Iterator[tuple[str, Nodes]]:
    label = "mapping best: random permutations"
    randoms = check_int(problem.option, label, 0, MOST_RANDOM) if problem.option else RANDOM
    plain = replace(problem, option="")
    for name, (rule, kind) in CANDIDATES.items():
        if not isinstance(problem.topology, kind):
            continue
        try:
            placed = rule(plain)
        except ValueError:
            if name == "link-load":  # the network is too large for a table of the links between all pairs
                continue
            raise
        yield name, placed.mapping if isinstance(placed, QapResult) else placed
    for number in range(randoms):
        yield f"random {number + 1}", permuted(plain)


# TreeMatch: tasks that talk most go below the same switch, level by level from the leaves of a tree up.
#
# Source: E. Jeannot, G. Mercier, "Near-optimal placement of MPI processes on hierarchical NUMA
# architectures", Euro-Par 2010, section 3, as it is commonly described: of all groups of as many tasks as a
# switch has ports those with the least traffic to others are taken first, as long as they share no task; then
# a group becomes one task of the next level. The details were not checked against the paper. Where the groups
# are too many to list, they grow one by one from the pair of tasks with most traffic, which is ours.

_LISTED = 50_000  # groups
Floats = NDArray[np.float64]


def treematch(problem: MappingProblem) -> Nodes:
    """Return the nodes of the tasks on the partition, whose nodes fill equal subtrees at every level."""
    label = "mapping treematch"
    known = hierarchy(problem.topology)
    if known is None:
        raise ValueError(f"{label}: is defined on trees, not on {problem.topology}")
    places = np.sort(np.argsort(known.order)[problem.nodes])
    arities = _arities(places, known.starts, label)
    source, target, size = flows(problem.traffic(label), problem.tasks)
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


def _arities(places: NDArray[np.int64], starts: tuple[NDArray[np.int64], ...], label: str) -> list[int]:
    """Return how many parts a subtree of each level has, the lowest level first; all of a level alike."""
    arities, parts = [], len(places)
    for level in starts[1:]:
        _, counts = np.unique(np.searchsorted(level, places, side="right"), return_counts=True)
        if len(set(counts.tolist())) > 1:
            raise ValueError(
                f"{label}: subtrees hold {counts.min()} to {counts.max()} nodes of the partition, expected "
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
