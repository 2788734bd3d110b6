"""Partitions: the nodes of each job.

To add a rule, write a function in its own file and a line in `PARTITIONS`. A rule returns, for each job, at
least as many nodes as it has tasks, in the order of the consecutive mapping.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netplace.checks import check_int
from netplace.extensions import Registry
from netplace.placement.partition.boxes import (
    bands,
    boxes,
    columns,
    planes,
    quadrants,
    sub_cubes,
    whole_network,
)
from netplace.placement.partition.explicit import explicit, scattered
from netplace.placement.partition.switches import across_groups, whole_groups, whole_switches
from netplace.placement.rule import Nodes, PartitionRequest, Rule, find_rule, own_rule
from netplace.topologies import Topology

__all__ = ["PARTITIONS", "PartitionRequest", "partition"]

_Rule = Rule[PartitionRequest, list[Nodes]]

_PARTITIONS: dict[str, _Rule] = {
    "across-groups": _Rule(across_groups, "across-groups", "nodes from all groups in turn"),
    "bands": _Rule(bands, "bands", "whole rows along X, as many as a job needs, or R rows per job", "R"),
    "boxes": _Rule(
        boxes,
        "boxes:4x4@0,0/4x4@4,0",
        "boxes packed from node 0, or with given lowest corners",
        "AxB or AxB@x,y/..",
    ),
    "columns": _Rule(columns, "columns", "whole columns, as many as a job needs, or C columns per job", "C"),
    "groups": _Rule(whole_groups, "groups", "whole groups of a dragonfly, as many as a job needs"),
    "nodes": _Rule(
        explicit, "nodes:0-3,8/4-7,9", "a list of nodes for each job, or a file", "LIST/LIST.. or FILE"
    ),
    "planes": _Rule(planes, "planes", "whole XY planes, as many as a job needs, or P planes per job", "P"),
    "quadrants": _Rule(
        quadrants, "quadrants", "quarters of a 2-D grid; quarters of quarters for more than four jobs"
    ),
    "random": _Rule(scattered, "random", "random nodes of the network", "SEED", by_chance=True),
    "sub-cubes": _Rule(
        sub_cubes, "sub-cubes", "halves along every dimension; halves of halves for more jobs"
    ),
    "switches": _Rule(whole_switches, "switches", "all nodes of as many switches as a job needs"),
    "whole": _Rule(whole_network, "whole", "all nodes for one job; consecutive nodes for several"),
}

PARTITIONS: Registry[_Rule] = Registry("partition", "netplace.partitions", Rule, _PARTITIONS, own_rule)


def partition(text: str, topology: Topology, sizes: Sequence[int], *, seed: int = 0) -> list[Nodes]:
    """Return the nodes of each job, at least as many as it has tasks; no node belongs to two jobs.

    Parameters
    ----------
    text : str
        A key of `PARTITIONS`, with a colon and an option if the rule takes one.
    sizes : sequence of int
        Number of tasks of each job.

    Raises
    ------
    ValueError
        If there is no such rule, or if the jobs do not fit, overlap or use nodes outside the network.
    """
    rule, option = find_rule(text, PARTITIONS)
    tasks = tuple(check_int(size, f"partition {text}: tasks of job {job}") for job, size in enumerate(sizes))
    usable = topology.nodes - len(topology.service)
    if sum(tasks) > usable:
        raise ValueError(
            f"partition {text}: {sum(tasks)} tasks are more than the {usable} nodes of {topology}"
        )
    rng = np.random.default_rng([check_int(seed, "seed", 0), 0])
    chosen = rule.choose(PartitionRequest(topology, tasks, rng, option))
    parts = [topology.check_nodes(nodes) for nodes in chosen] if not PARTITIONS.is_built_in(text) else chosen
    if len(topology.service):
        parts = [nodes[~np.isin(nodes, topology.service)] for nodes in parts]
    _check(parts, tasks, topology, f"partition {text}")
    return parts


def _check(parts: Sequence[Nodes], tasks: Sequence[int], topology: Topology, what: str) -> None:
    """Raise ValueError if the parts overlap, leave the network, or are too small."""
    if len(parts) != len(tasks):
        raise ValueError(f"{what}: gives nodes to {len(parts)} jobs, expected {len(tasks)}")
    holder = np.full(topology.nodes, -1)
    for job, (nodes, size) in enumerate(zip(parts, tasks, strict=True)):
        outside = nodes[(nodes < 0) | (nodes >= topology.nodes)]
        if len(outside):
            raise ValueError(f"{what}: node {outside[0]} is not in 0..{topology.nodes - 1} of {topology}")
        if len(nodes) < size:
            computing = " that compute" if len(topology.service) else ""
            raise ValueError(
                f"{what}: the {size} tasks of job {job} do not fit its {len(nodes)} nodes{computing}"
            )
        values, counts = np.unique(nodes, return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"{what}: node {values[counts > 1][0]} appears twice in job {job}")
        taken = values[holder[values] >= 0]
        if len(taken):
            raise ValueError(
                f"{what}: node {taken[0]} is assigned to both job {holder[taken[0]]} and job {job}"
            )
        holder[values] = job
