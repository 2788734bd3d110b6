"""Mappings by a plain order, by least traffic times cost, and the best of several by simulation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from netplace.inputs import check_int
from netplace.placement.mapping.cost import Criterion, cost_locations, cost_matrix
from netplace.placement.mapping.link_load import link_load
from netplace.placement.mapping.problem import MappingProblem, read_option
from netplace.placement.mapping.qap import METHODS, QapResult, solve_qap
from netplace.placement.rule import Nodes, grid_of
from netplace.topologies import Grid, Topology, Tree


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
_TABULATED = 1024  # nodes up to which all costs among them are tabulated
LIMITS = ("iterations", "seconds")


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
    what = f"mapping {criterion}"
    options = read_option(problem.option, limits, f"{what}: limit", "method", METHODS)
    return optimise(
        problem.traffic(what),
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
    what = "mapping best: random permutations"
    randoms = check_int(problem.option, what, 0, MOST_RANDOM) if problem.option else RANDOM
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
