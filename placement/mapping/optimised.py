"""Mappings that minimise traffic times cost: the classic and the TD mapping, and others of their kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from checks import one_of
from placement.mapping.cost import Criterion, cost_matrix
from placement.mapping.problem import MappingProblem
from placement.mapping.qap import METHODS, QapResult, solve_qap
from placement.rule import Nodes
from topologies import Topology

__all__ = ["OPTION", "optimise", "optimised"]

OPTION = "METHOD,iterations=N,seconds=S"


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
        Traffic in bytes, as `Program.traffic` gives it; zero diagonal.
    topology : Topology
        The network.
    nodes : array_like of int, optional
        Nodes of the partition, at least as many as tasks; all by default.
    criterion : str or callable
        Where the costs C between nodes come from, as in `cost_matrix`.
    method, seconds, iterations, seed
        As in `solve_qap`.

    Returns
    -------
    QapResult
        Its mapping gives the node of each task.

    Raises
    ------
    ValueError
        As `solve_qap` and `cost_matrix`.
    """
    usable = np.arange(topology.nodes) if nodes is None else topology.check_nodes(nodes)
    costs = cost_matrix(topology, usable, criterion)
    found = solve_qap(W, costs, method=method, seconds=seconds, iterations=iterations, seed=seed)
    return replace(found, mapping=usable[found.mapping])


def optimised(problem: MappingProblem, criterion: str) -> Nodes:
    """Return the mapping of least cost that is found by the method and within the limits of the option.

    Raises
    ------
    ValueError
        If there is no program, the option has another form, or the network does not define the criterion.
    """
    what = f"mapping {criterion}"
    if problem.program is None:
        raise ValueError(f"{what}: looks at the traffic of a program, and none was given")
    if problem.program.tasks != problem.tasks:
        raise ValueError(
            f"{what}: the program has {problem.program.tasks} tasks, expected {problem.tasks} to be placed"
        )
    method, limits = _read(problem.option, what)
    return optimise(
        problem.program.traffic().W,
        problem.topology,
        nodes=problem.nodes,
        criterion=criterion,
        method=method,
        seed=int(problem.rng.integers(2**62)),
        **limits,
    ).mapping


def _read(option: str, what: str) -> tuple[str, dict[str, Any]]:
    """Return the method and the limits that an option such as ``"grasp,iterations=50"`` names."""
    method, limits = "portfolio", {}
    for word in option.split(",") if option else []:
        key, equals, value = (part.strip() for part in word.partition("="))
        if equals:
            limits[one_of(key, ("iterations", "seconds"), f"{what}: limit")] = value
        else:
            method = one_of(key, METHODS, f"{what}: method")
    return method, limits
