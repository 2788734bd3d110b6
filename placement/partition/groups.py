"""Whole groups or whole switches for every job, or nodes dealt over all groups in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes
from netplace.topologies import Graph

__all__ = ["across_groups", "whole_groups", "whole_switches"]


def whole_groups(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many groups as it needs, first come first served.

    Raises
    ------
    ValueError
        If the network has no groups, or there are too few of them.
    """
    return _whole(request, _owner(request, "groups", by_group=True), "groups")


def whole_switches(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many switches as it needs, first come first served.

    Raises
    ------
    ValueError
        If nodes are no ends of links, or there are too few switches.
    """
    return _whole(request, _owner(request, "switches", by_group=False), "switches")


def across_groups(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the next nodes where they are dealt to the groups in turn, as spread as can be.

    Raises
    ------
    ValueError
        If the network has no groups.
    """
    owner = _owner(request, "across-groups", by_group=True)
    rank = np.empty(len(owner), np.int64)
    order = np.argsort(owner, kind="stable")
    size = np.bincount(owner)
    rank[order] = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    dealt = np.lexsort((owner, rank))
    ends = np.cumsum(request.sizes)
    return [dealt[end - size : end] for end, size in zip(ends, request.sizes, strict=True)]


def _owner(request: PartitionRequest, name: str, by_group: bool) -> NDArray[np.int64]:
    """Return the group or switch of each node."""
    topology = request.topology
    if not isinstance(topology, Graph) or not topology.first_switch or (by_group and topology.group is None):
        what = "groups of switches" if by_group else "nodes that hang at switches"
        raise ValueError(f"partition {name}: needs {what}, {topology} has none")
    at = topology.home - topology.first_switch
    if not by_group:
        return at
    assert topology.group is not None
    return topology.group[at]


def _whole(request: PartitionRequest, owner: NDArray[np.int64], name: str) -> list[Nodes]:
    """Return whole sets of nodes for each job."""
    left = [np.flatnonzero(owner == one) for one in np.unique(owner)]
    parts = []
    for job, size in enumerate(request.sizes):
        mine: list[Nodes] = []
        while sum(map(len, mine)) < size:
            if not left:
                raise ValueError(f"partition {name}: no {name} left for the {size} tasks of job {job}")
            mine.append(left.pop(0))
        parts.append(np.concatenate(mine) if mine else np.zeros(0, np.int64))
    return parts
