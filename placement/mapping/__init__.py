"""Mappings: the node of each task in its partition.

To add a rule, write a function in a new file and add a line to `MAPPINGS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from netplace.apps import Program
from netplace.inputs import abbreviate, check_int
from netplace.placement.mapping.cost import CRITERIA, cost_between, cost_locations, cost_matrix
from netplace.placement.mapping.hosts import by_hosts, from_file
from netplace.placement.mapping.link_load import OPTION as LINK_LOAD_OPTION
from netplace.placement.mapping.link_load import link_load
from netplace.placement.mapping.problem import MappingProblem, RunTime
from netplace.placement.mapping.qap import METHODS, QapResult, solve_qap
from netplace.placement.mapping.rules import (
    OPTION,
    best,
    classic,
    column,
    consecutive,
    optimise,
    permuted,
    shuffle,
    td,
    treematch,
)
from netplace.placement.rule import Nodes, Rule, find_rule, own_rule
from netplace.registry import Registry
from netplace.topologies import Topology

__all__ = [
    "CRITERIA",
    "MAPPINGS",
    "METHODS",
    "MappingProblem",
    "QapResult",
    "RunTime",
    "cost_between",
    "cost_locations",
    "cost_matrix",
    "find_mapping",
    "map_tasks",
    "optimise",
    "solve_qap",
]

_Rule = Rule[MappingProblem, Nodes | QapResult]

_MAPPINGS: dict[str, _Rule] = {
    "best": _Rule(
        best,
        "best:10",
        "the fastest of all other mappings and a number of random ones, by simulation",
        "RANDOM",
        is_random=True,
    ),
    "classic": _Rule(
        classic,
        "classic:grasp",
        "minimizes bytes times hops, by search",
        f"{OPTION},criterion=C",
        is_random=True,
    ),
    "column": _Rule(column, "column", "column order: the last dimension varies fastest (meshes and tori)"),
    "consecutive": _Rule(consecutive, "consecutive", "order of the partition: row order, X varies fastest"),
    "file": _Rule(
        from_file, "file:nodes.csv", "from a file: lines task,node, or the nodes of tasks 0, 1, ..", "FILE"
    ),
    "hosts": _Rule(by_hosts, "hosts:alloc.csv", "the hosts that a file lists in the order of ranks", "FILE"),
    "link-load": _Rule(
        link_load,
        "link-load:max",
        "minimizes the load of links under the routing: the sum of squares, or the maximum (any network)",
        LINK_LOAD_OPTION,
        is_random=True,
    ),
    "random": _Rule(permuted, "random", "random permutation of the partition", is_random=True),
    "shuffle": _Rule(shuffle, "shuffle", "deals tasks in turn to the leaf switches (trees)"),
    "td": _Rule(
        td,
        "td:seconds=1",
        "minimizes bytes times hops and asymmetry (meshes and tori)",
        OPTION,
        is_random=True,
    ),
    "treematch": _Rule(
        treematch, "treematch", "puts tasks that communicate most below the same switch (trees)"
    ),
}

MAPPINGS: Registry[_Rule] = Registry("mapping", "netplace.mappings", Rule, _MAPPINGS, own_rule)


def find_mapping(
    rule: str | Callable[[MappingProblem], ArrayLike | QapResult],
    topology: Topology,
    tasks: int,
    *,
    nodes: ArrayLike | None = None,
    program: Program | None = None,
    W: Any = None,
    run_time: RunTime | None = None,
    seed: int = 0,
    job: int = 0,
) -> QapResult:
    """Return the node of each task, and the effort to find the nodes.

    Parameters
    ----------
    rule : str or callable
        A key of `MAPPINGS`, with a colon and an option if the rule takes one; or your own rule: a function
        that takes a `MappingProblem` and returns the nodes.
    nodes : array of int, optional
        Available nodes, in the order of the partition; all nodes by default.
    program, W, run_time : optional
        Input for rules that use traffic or simulation; see `MappingProblem`.
    job : int
        Number of the job; each job has its own random numbers.

    Returns
    -------
    QapResult
        Its `cost` is the quantity that the rule minimized, or nan. Its `method` is the name of the rule if
        the rule does not search.
    """
    if isinstance(rule, str):
        known, option = find_rule(rule, MAPPINGS)
        text = rule if not MAPPINGS.is_built_in(rule) else rule.partition(":")[0]
        choose: Callable[[MappingProblem], ArrayLike | QapResult] = known.choose
    else:
        text, choose, option = getattr(rule, "__name__", "given"), rule, ""
    usable = topology.computing if nodes is None else topology.check_nodes(nodes)
    if usable.ndim != 1:
        raise ValueError(f"mapping {text}: nodes: {abbreviate(nodes)} is not a list of nodes")
    check_int(tasks, f"mapping {text}: tasks")
    if tasks > len(usable):
        raise ValueError(f"mapping {text}: {tasks} tasks are more than the {len(usable)} available nodes")
    rng = np.random.default_rng([check_int(seed, "seed", 0), 1, check_int(job, "job", 0)])
    began = time.thread_time()
    chosen = choose(MappingProblem(topology, usable, tasks, rng, option, program, W, run_time))
    if not isinstance(chosen, QapResult):
        took = time.thread_time() - began
        chosen = QapResult(topology.check_nodes(chosen), np.nan, text, 0, took)
    mapping = chosen.mapping
    if mapping.shape != (tasks,) or not _one_each(mapping, usable, topology.nodes):
        raise ValueError(f"mapping {text}: the rule did not assign a different node to each of {tasks} tasks")
    return chosen


def _one_each(mapping: Nodes, usable: Nodes, nodes: int) -> bool:
    if mapping.dtype.kind not in "iu" or mapping.min(initial=0) < 0 or mapping.max(initial=0) >= nodes:
        return False
    # Counted, as NumPy's functions for sets import masked arrays, which takes longer than a small run.
    tasks_on = np.bincount(mapping, minlength=nodes)
    return bool(tasks_on.max(initial=0) <= 1 and tasks_on[usable].sum() == len(mapping))


def map_tasks(
    rule: str | Callable[[MappingProblem], ArrayLike | QapResult],
    topology: Topology,
    tasks: int,
    *,
    nodes: ArrayLike | None = None,
    program: Program | None = None,
    seed: int = 0,
    job: int = 0,
) -> Nodes:
    """Return the node of each task, shape (tasks,): the mapping that `find_mapping` finds."""
    return find_mapping(rule, topology, tasks, nodes=nodes, program=program, seed=seed, job=job).mapping
