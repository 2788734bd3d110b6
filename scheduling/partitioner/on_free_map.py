"""What partitioners have in common that know a machine by its map of free nodes."""

from __future__ import annotations

import copy
from typing import Self

import numpy as np

from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.free_map import FreeMap

__all__ = ["OnFreeMap"]


class OnFreeMap:
    """Marks nodes as held and as free; a partitioner adds the choice.

    Parameters
    ----------
    nodes : int
        Nodes of the machine.
    """

    def __init__(self, nodes: int):
        self._map = FreeMap(nodes)
        self.free = nodes
        self.searches = 0
        self.visited = 0

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""
        self._map.mark(np.asarray(allocation.nodes), False)
        self.free = self._map.free

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""
        self._map.mark(np.asarray(allocation.nodes), True)
        self.free = self._map.free

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._map = self._map.copy()
        return twin
