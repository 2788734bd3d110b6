"""Mappings that minimize traffic times cost: the classic and the TD mapping, and similar ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from netplace.placement.mapping.cost import Criterion, cost_locations, cost_matrix
from netplace.placement.mapping.problem import MappingProblem, read_option
from netplace.placement.mapping.qap import METHODS, QapResult, solve_qap
from netplace.topologies import Topology

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
