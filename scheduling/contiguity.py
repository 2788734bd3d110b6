"""Which jobs are contiguous: by where their nodes lie, whoever chose them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Graph, Grid, Hierarchy, Topology, hierarchy

# mypy: disable-error-code="untyped-decorator"

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
            self._tell, self._tables = _is_box, (np.array(machine.sizes, np.int64), np.array(rings))
        elif tree is not None:
            self._tell, self._tables = _is_in_its_subtree, _subtrees(tree)
        elif isinstance(machine, Graph):
            first = machine.routers - machine.compute_nodes  # compute nodes of several tasks hang on switches
            self._tell, self._tables = _is_connected, (machine.home, machine.neighbor, first)
        else:
            raise ValueError(f"contiguity: is defined on grids, trees and graphs, not on {machine}")

    def of(self, nodes: Nodes) -> bool:
        """Tell whether these nodes, each once, are contiguous."""
        return len(nodes) < 2 or bool(self._tell(nodes, *self._tables))


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


@njit(cache=True)
def _is_box(nodes: Any, sizes: Any, rings: Any) -> bool:
    volume = 1
    stride = 1
    for axis in range(len(sizes)):
        size = sizes[axis]
        used = np.zeros(size + 1, np.uint8)
        for node in nodes:
            used[node // stride % size] = 1
        if rings[axis]:
            used[size] = used[0]
        side = 0
        ends = 0  # of runs of places in use
        for place in range(size):
            side += used[place]
            ends += used[place] > used[place + 1]
        if ends > 1:
            return False
        volume *= side
        stride *= size
    return volume == len(nodes)


@njit(cache=True)
def _is_in_its_subtree(nodes: Any, subtree: Any, part: Any) -> bool:
    for level in range(len(subtree)):
        here = subtree[level, nodes[0]]
        together = True
        for node in nodes:
            if subtree[level, node] != here:
                together = False
                break
        if together:
            return bool(part[level, nodes[0]] < len(nodes))
    return False


@njit(cache=True)
def _is_connected(nodes: Any, home: Any, neighbor: Any, first: int) -> bool:
    wanted = np.zeros(len(neighbor), np.uint8)
    count = 0
    for node in nodes:
        count += 1 - wanted[home[node]]
        wanted[home[node]] = 1
        if home[node] >= first:
            for other in neighbor[home[node]]:
                if other >= 0 and wanted[other] == 0:
                    wanted[other] = 2  # may lead on, and need not be reached
    reached = np.empty(len(neighbor), np.int64)
    reached[0] = home[nodes[0]]
    found = count - 1
    wanted[reached[0]] = 0
    end = 1
    at = 0
    while at < end and found:
        for other in neighbor[reached[at]]:
            if other >= 0 and wanted[other] > 0:
                found -= wanted[other] == 1
                wanted[other] = 0
                reached[end] = other
                end += 1
        at += 1
    return found == 0
