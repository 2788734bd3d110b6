"""Partitions: the nodes of each job.

To add a rule, write a function in its own file and a line in `PARTITIONS`. A rule returns, for each job, at
least as many nodes as it has tasks, in the order of the consecutive mapping.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_int, check_ranges
from netplace.placement.partition.boxes import (
    bands,
    boxes,
    columns,
    planes,
    quadrants,
    sub_cubes,
    whole_network,
)
from netplace.placement.rule import Nodes, PartitionRequest, Rule, find_rule, own_rule, read_lines
from netplace.registry import Registry
from netplace.topologies import Graph, Topology

__all__ = ["PARTITIONS", "PartitionRequest", "partition"]


def scattered(request: PartitionRequest) -> list[Nodes]:
    """Return random nodes for each job, as many as it has tasks, in increasing order.

    The option is a seed of its own, with which the partition stays the same while the seed of the run
    changes.
    """
    rng = request.rng
    if request.option:
        rng = np.random.default_rng([check_int(request.option, "partition random: seed", 0), 2])
    drawn = rng.permutation(request.topology.computing)[: sum(request.sizes)]
    return [np.sort(part) for part in np.split(drawn, np.cumsum(request.sizes)[:-1])]


def explicit(request: PartitionRequest) -> list[Nodes]:
    """Return the nodes listed in the option, in the order listed.

    The option is a list such as ``0-3,8`` for each job, separated by slashes, or the path of a file with such
    a list on a line for each job, in which blank lines and text after a ``#`` are ignored.
    """
    if not request.option:
        raise ValueError("partition nodes: no nodes given, expected a form such as nodes:0-3,8 or nodes:FILE")
    inline = re.fullmatch(r"[-\d,/\s]+", request.option)
    if inline:
        named = [("partition nodes", word) for word in request.option.split("/")]
    else:
        named = read_lines(Path(request.option))
    if len(named) != len(request.sizes):
        where = "partition nodes" if inline else request.option
        raise ValueError(f"{where}: {len(named)} lists given for {len(request.sizes)} jobs")
    maximum = request.topology.nodes - 1
    return [np.concatenate(check_ranges(text, f"{label}: node", maximum)) for label, text in named]


def _owner_of_nodes(request: PartitionRequest, name: str, by_group: bool) -> NDArray[np.int64]:
    topology = request.topology
    if not isinstance(topology, Graph) or not topology.first_switch or (by_group and topology.group is None):
        label = "groups of switches" if by_group else "nodes at switches"
        raise ValueError(f"partition {name}: needs {label}, {topology} has none")
    at = topology.home - topology.first_switch
    if not by_group:
        return at
    assert topology.group is not None
    return topology.group[at]


def _whole_sets(request: PartitionRequest, owner: NDArray[np.int64], name: str) -> list[Nodes]:
    usable = request.topology.computing
    left = [usable[owner[usable] == set_number] for set_number in np.unique(owner[usable])]
    parts = []
    for job, size in enumerate(request.sizes):
        mine: list[Nodes] = []
        while sum(map(len, mine)) < size:
            if not left:
                raise ValueError(f"partition {name}: no {name} left for the {size} tasks of job {job}")
            mine.append(left.pop(0))
        parts.append(np.concatenate(mine) if mine else np.zeros(0, np.int64))
    return parts


def whole_groups(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many groups as it needs, first come first served."""
    return _whole_sets(request, _owner_of_nodes(request, "groups", by_group=True), "groups")


def across_groups(request: PartitionRequest) -> list[Nodes]:
    """Return the next nodes for each job, dealt to the groups in turn so that jobs are spread widely."""
    owner = _owner_of_nodes(request, "across-groups", by_group=True)
    rank = np.empty(len(owner), np.int64)
    order = np.argsort(owner, kind="stable")
    size = np.bincount(owner)
    rank[order] = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    dealt = np.lexsort((owner, rank))
    dealt = dealt[~np.isin(dealt, request.topology.service)]
    ends = np.cumsum(request.sizes)
    return [dealt[end - size : end] for end, size in zip(ends, request.sizes, strict=True)]


def whole_switches(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many switches as it needs, first come first served."""
    return _whole_sets(request, _owner_of_nodes(request, "switches", by_group=False), "switches")


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
    "random": _Rule(scattered, "random", "random nodes of the network", "SEED", is_random=True),
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


def _check(parts: Sequence[Nodes], tasks: Sequence[int], topology: Topology, label: str) -> None:
    """Raise ValueError if the parts overlap, leave the network, or are too small."""
    if len(parts) != len(tasks):
        raise ValueError(f"{label}: gives nodes to {len(parts)} jobs, expected {len(tasks)}")
    holder = np.full(topology.nodes, -1)
    for job, (nodes, size) in enumerate(zip(parts, tasks, strict=True)):
        outside = nodes[(nodes < 0) | (nodes >= topology.nodes)]
        if len(outside):
            raise ValueError(f"{label}: node {outside[0]} is not in 0..{topology.nodes - 1} of {topology}")
        if len(nodes) < size:
            computing = " that compute" if len(topology.service) else ""
            raise ValueError(
                f"{label}: the {size} tasks of job {job} do not fit its {len(nodes)} nodes{computing}"
            )
        values, counts = np.unique(nodes, return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"{label}: node {values[counts > 1][0]} appears twice in job {job}")
        taken = values[holder[values] >= 0]
        if len(taken):
            raise ValueError(
                f"{label}: node {taken[0]} is assigned to both job {holder[taken[0]]} and job {job}"
            )
        holder[values] = job
