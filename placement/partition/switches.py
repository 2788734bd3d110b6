"""Whole switches and groups of switches, and nodes dealt to all groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.rule import Nodes, PartitionRequest
from netplace.topologies import Graph


def _owner_of_nodes(request: PartitionRequest, name: str, by_group: bool) -> NDArray[np.int64]:
    topology = request.topology
    if not isinstance(topology, Graph) or not topology.first_switch or (by_group and topology.group is None):
        what = "groups of switches" if by_group else "nodes at switches"
        raise ValueError(f"partition {name}: needs {what}, {topology} has none")
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
