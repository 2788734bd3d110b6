"""Which node of its partition each task gets. A new rule is a function in a file and a line in `MAPPINGS`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from apps import Program
from checks import whole
from placement.mapping.classic import classic
from placement.mapping.column import column
from placement.mapping.consecutive import consecutive
from placement.mapping.cost import CRITERIA, cost_matrix
from placement.mapping.from_file import from_file
from placement.mapping.optimised import OPTION, optimise
from placement.mapping.permuted import permuted
from placement.mapping.problem import MappingProblem
from placement.mapping.qap import METHODS, QapResult, solve_qap
from placement.mapping.shuffle import shuffle
from placement.mapping.td import td
from placement.rule import Nodes, Rule, find_rule
from topologies import Topology

__all__ = [
    "CRITERIA",
    "MAPPINGS",
    "METHODS",
    "MappingProblem",
    "QapResult",
    "cost_matrix",
    "map_tasks",
    "optimise",
    "solve_qap",
]

_Rule = Rule[MappingProblem, Nodes]

MAPPINGS: dict[str, _Rule] = {
    "classic": _Rule(
        classic, "classic:grasp", "bytes times hops least, found by search", OPTION, by_chance=True
    ),
    "column": _Rule(column, "column", "column order: the last dimension runs fastest (meshes and tori)"),
    "consecutive": _Rule(consecutive, "consecutive", "the order of the partition: row order, X fastest"),
    "file": _Rule(
        from_file, "file:nodes.csv", "from a file: lines task,node, or nodes of task 0, 1, ..", "FILE"
    ),
    "random": _Rule(permuted, "random", "a random permutation of the partition, by seed", by_chance=True),
    "shuffle": _Rule(shuffle, "shuffle", "switch first: tasks dealt in turn to the leaf switches (trees)"),
    "td": _Rule(
        td,
        "td:seconds=1",
        "bytes least times hops and their asymmetry (meshes and tori)",
        OPTION,
        by_chance=True,
    ),
}


def map_tasks(
    rule: str | Callable[[MappingProblem], ArrayLike],
    topology: Topology,
    tasks: int,
    *,
    nodes: ArrayLike | None = None,
    program: Program | None = None,
    seed: int = 0,
    job: int = 0,
) -> Nodes:
    """Return the node of each task.

    Parameters
    ----------
    rule : str or callable
        A key of `MAPPINGS`, with a colon and an option where the rule takes one; or a rule of your own, which
        takes a `MappingProblem` and returns the nodes.
    topology : Topology
        The network.
    tasks : int
        How many tasks.
    nodes : array of int, optional
        Nodes that may be used, in the order of the partition; all by default.
    program : Program, optional
        What the tasks do, for rules that look at it.
    seed, job : int
        Seed of rules by chance, and the number of the job, whose draws are its own.

    Returns
    -------
    ndarray of int64, shape (tasks,)

    Raises
    ------
    ValueError
        If there is no such rule, there are more tasks than nodes, or the rule refuses.
    """
    if isinstance(rule, str):
        text = rule
        known, option = find_rule(text, MAPPINGS, "mapping")
        choose: Callable[[MappingProblem], ArrayLike] = known.choose
    else:
        text, choose, option = getattr(rule, "__name__", "given"), rule, ""
    usable = np.arange(topology.nodes) if nodes is None else topology.check_nodes(nodes)
    whole(tasks, f"mapping {text}: tasks")
    if tasks > len(usable):
        raise ValueError(f"mapping {text}: {tasks} tasks are more than the {len(usable)} nodes they may use")
    rng = np.random.default_rng([whole(seed, "seed", 0), 1, whole(job, "job", 0)])
    chosen = topology.check_nodes(choose(MappingProblem(topology, usable, tasks, rng, option, program)))
    if chosen.shape != (tasks,) or len(np.unique(chosen)) != tasks or not np.isin(chosen, usable).all():
        raise ValueError(f"mapping {text}: the rule did not give each of {tasks} tasks a node of its own")
    return chosen
