"""Partitions of a dragonfly: nodes of one switch, of one group or of all, as of the subtrees of a tree."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner import Paging, PartitionerKind, Subtrees, read_threshold
from netplace.topologies import Graph, Hierarchy, Topology


def levels_of_groups(topology: Topology, name: str) -> Hierarchy:
    """Return the nodes of each switch, of each group and of all as levels of a tree."""
    if not isinstance(topology, Graph) or topology.group is None:
        raise ValueError(f"partitioner {name}: is defined on networks of groups, not on {topology}")
    switch = topology.home - topology.first_switch
    group = topology.group[switch]
    order = np.lexsort((np.arange(topology.nodes), switch, group))
    begin = [np.flatnonzero(np.diff(label[order], prepend=-1)) for label in (switch, group)]
    ends = [np.append(first, topology.nodes) for first in begin]
    return Hierarchy(order, (np.arange(topology.nodes + 1), *ends, np.array([0, topology.nodes])))


def _groups(topology: Topology, option: str = "", seed: int = 0) -> Subtrees:
    levels = levels_of_groups(topology, "groups")
    if not option:
        return Subtrees(levels)
    return Subtrees(levels, read_threshold("groups", option), one_up=True)


def _switches(topology: Topology, option: str = "", seed: int = 0) -> Paging:
    levels = levels_of_groups(topology, "switches")
    page = np.empty(topology.nodes, np.int64)
    page[levels.order] = np.searchsorted(levels.starts[1], np.arange(topology.nodes), side="right") - 1
    return Paging(page, np.argsort(levels.order))


GROUPS = PartitionerKind(
    _groups,
    "groups:20",
    "one switch or group of a dragonfly, with up to a given percentage of the nodes from one level above",
    "QCT",
)
SWITCHES = PartitionerKind(_switches, "switches", "the first free whole switches of a dragonfly")
