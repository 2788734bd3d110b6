"""The subtrees of a tree of any shape: the nodes below the same switches, level by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.graph import Graph
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The subtrees of a tree, each of which is an interval of the nodes in the tree's order.

    Attributes
    ----------
    order : ndarray of int64, shape (nodes,)
        All nodes, with those of a subtree next to each other.
    starts : tuple of ndarray of int64
        For each level, the positions in `order` where its subtrees begin, followed by the number of nodes. At
        level 0, each subtree is a node; at level 1, the nodes below a leaf switch; and at the last level, the
        whole tree.
    """

    order: Int
    starts: tuple[Int, ...]

    @property
    def levels(self) -> int:
        """Number of levels of switches."""
        return len(self.starts) - 1


def hierarchy(topology: Topology) -> Hierarchy | None:
    """Return the subtrees of a network whose switches form levels; None for other networks.

    A subtree of level l is a set of connected switches up to level l, with their nodes. Several switches at
    the top of a subtree therefore count as one.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> [starts.tolist() for starts in hierarchy(parse("xgft:2;2,3;1,2")).starts[1:]]
    [[0, 2, 4, 6], [0, 6]]
    """
    if isinstance(topology, Tree):
        steps = (topology.down**level for level in range(topology.stages + 1))
        below = tuple(np.arange(0, topology.nodes + 1, step) for step in steps)
        return Hierarchy(np.arange(topology.nodes), below)
    if not isinstance(topology, Graph) or topology.places is None:
        return None
    if topology.axis is not None or topology.group is not None or not topology.first_switch:
        return None
    labels = _labels(topology, topology.places[:, 0])
    if len(np.unique(labels[-1])) > 1:
        return None
    order = np.lexsort((np.arange(topology.nodes), *labels))
    starts = [np.arange(topology.nodes + 1)]
    for label in labels:
        begin = np.flatnonzero(np.diff(label[order], prepend=-1))
        starts.append(np.append(begin, topology.nodes))
    return Hierarchy(order, tuple(starts))


def _labels(network: Graph, level: Int) -> list[Int]:
    """Return, level by level, for each node the lowest node of its subtree."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = network.first_switch
    here, port = np.nonzero(network.neighbor[first:] >= first)
    end = network.neighbor[first:][here, port] - first
    labels = []
    for highest in range(int(level.min()), int(level.max()) + 1):
        kept = (level[here] <= highest) & (level[end] <= highest)
        links = coo_array((np.ones(int(kept.sum()), bool), (here[kept], end[kept])), (len(level),) * 2)
        part = connected_components(links, directed=False)[1][network.home - first]
        lowest = np.full(int(part.max()) + 1, network.nodes)
        np.minimum.at(lowest, part, np.arange(network.nodes))
        labels.append(lowest[part])
    return labels


def levels_of(switches: int, above: list[tuple[int, int]], names: list[str], text: str) -> Int:
    """Return the level of each switch in a tree (1 if it is above none), and its number in the level.

    `above`: pairs of switches, of which the second is above the first.
    """
    import networkx as nx

    tree: nx.DiGraph[int] = nx.DiGraph()
    tree.add_nodes_from(range(switches))
    tree.add_edges_from(above)
    level = np.zeros(switches, np.int64)
    try:
        for height, members in enumerate(nx.topological_generations(tree), 1):
            level[members] = height
    except nx.NetworkXUnfeasible:
        circle = sorted(child for child, _ in nx.find_cycle(tree))
        shown = ", ".join(names[switch] for switch in circle[:4])
        raise ValueError(f"{text}: not a tree, switches form a cycle: {shown}") from None
    return numbered(level)


def numbered(level: Int) -> Int:
    """Return the level of each switch, and its number among those of its level."""
    number = np.zeros(len(level), np.int64)
    for height in np.unique(level):
        number[level == height] = np.arange(int((level == height).sum()))
    return np.stack((level, number), axis=1)
