"""Which jobs are contiguous: by where their nodes lie, anyone who chose them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Graph, Grid, Hierarchy, Topology, hierarchy

__all__ = ["Contiguity"]


class Contiguity:
    """Tells whether the nodes of a job lie side by side on a machine.

    A set of nodes is contiguous

    * on a mesh, torus, hypercube or twisted torus if it is a full *box*: every combination of an interval of
      each dimension, which may pass the end of a ring. On minimal ways no message of the job then leaves its
      nodes. On a twisted torus a box passes no end of Y, where X is shifted;
    * on a tree if it lies in one subtree that is no larger than it must be: no part of it has room for as
      many nodes. Other jobs may have the rest of that subtree;
    * on any other network if its routers are connected by links among themselves: the switches of the job's
      nodes, or the nodes where they are routers.

    A single node is contiguous.

    Parameters
    ----------
    machine : Topology
        The machine.

    Raises
    ------
    ValueError
        If it is none of these.
    """

    def __init__(self, machine: Topology) -> None:
        tree = hierarchy(machine)
        self._tell: Callable[..., bool]
        self._tables: tuple[Any, ...]
        if isinstance(machine, Grid):
            rings = [machine.wraps and not (machine.twist and axis == 1) for axis in range(machine.dims)]
            self._tell, self._tables = native.fill_box, (np.array(machine.sizes, np.int64), np.array(rings))
        elif tree is not None:
            self._tell, self._tables = native.fit_subtree, _subtrees(tree)
        elif isinstance(machine, Graph):
            first = machine.routers - machine.compute_nodes  # compute nodes of several tasks hang on switches
            wires = np.ascontiguousarray(machine.neighbor, np.int32)
            self._tell, self._tables = native.are_connected, (machine.home, wires, first)
        else:
            raise ValueError(f"contiguity: is defined on grids, trees and graphs, not on {machine}")

    def of(self, nodes: Nodes) -> bool:
        """Return whether these nodes, each once, are contiguous."""
        return len(nodes) < 2 or self._tell(nodes, *self._tables)


def _subtrees(tree: Hierarchy) -> tuple[Any, Any]:
    """Return by level and node the node's subtree, and the nodes of the largest part of that."""
    subtree = np.empty((len(tree.starts), len(tree.order)), np.int64)
    part = np.zeros_like(subtree)
    largest = np.zeros(len(tree.order), np.int64)
    for level, starts in enumerate(tree.starts):
        sizes = np.diff(starts)
        if level:
            largest = np.maximum.reduceat(largest, starts[:-1])
            part[level, tree.order] = np.repeat(largest, sizes)
        subtree[level, tree.order] = np.repeat(np.arange(len(sizes)), sizes)
        largest = np.repeat(sizes, sizes)
    return subtree, part
