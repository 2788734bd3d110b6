"""Quasi-contiguous partitions of trees as published: first fit, other nodes no further than one level up.

Source: J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009 (LNCS 5798); J. A. Pascual, thesis, UPV/EHU 2013, section on trees.
"""

from __future__ import annotations

import math

from netplace.scheduling.partitioner.any_tree import SubtreesOfAnyShape
from netplace.scheduling.partitioner.tree import Subtrees, read_threshold, subtrees_of
from netplace.topologies import Topology, Tree

__all__ = ["OneLevelUp", "quasi_contiguous"]


class OneLevelUp(Subtrees):
    """Gives a job nodes of one subtree of its level, but for a few from under the switch above.

    It takes the first subtree in node order with room for the whole job. If there is none, it takes the first
    in which no more nodes are missing than may lie outside it, if the subtree one level above has room for
    the whole job; the missing nodes are the first free ones there, in node order. No node is further away.
    They stand last among the job's nodes.

    Parameters
    ----------
    tree : Tree
        The machine.
    threshold : float
        Percent of a job's nodes, rounded up to whole nodes, that may lie outside its subtree: of two nodes
        one may be outside it at 10 %. With 0 every job is contiguous.
    """

    _one_up = True

    def __init__(self, tree: Tree, threshold: float = 0):
        super().__init__(tree, threshold)
        self.by_count = False

    def most_outside(self, nodes: int) -> int:
        """Return how many nodes of a job may lie outside its subtree."""
        return math.ceil(nodes * self._threshold / 100)


def quasi_contiguous(topology: Topology, option: str, seed: int) -> OneLevelUp | SubtreesOfAnyShape:
    """Return the quasi-contiguous partitioner of a tree; `option` is its threshold in percent."""
    tree = subtrees_of(topology, "quasi-contiguous")
    threshold = read_threshold("quasi-contiguous", option)
    if isinstance(topology, Tree):
        return OneLevelUp(topology, threshold)
    return SubtreesOfAnyShape(tree, threshold, one_up=True)
