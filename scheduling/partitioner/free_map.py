"""Which places of a line are free: a byte a place, looked at eight at a time."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Keeper

Places = NDArray[np.int64]


class FreeMap:
    """Places 0..size-1, all of them free at first; `visited` counts the words of eight places searched."""

    def __init__(self, size: int):
        self._map = native.FreeMap(size)
        self.size = size
        self.free = size
        self.visited = 0

    def first(self, wanted: int) -> Places:
        places, visited = self._map.first(wanted)
        self.visited += visited
        return places

    def intervals(self) -> tuple[Places, Places]:
        """Return where each longest run of free places starts, in increasing order, and its length."""
        starts, lengths = self._map.intervals()
        self.visited += self._map.words
        return starts, lengths

    def mark(self, places: Places, free: bool) -> None:
        wrong = self._map.mark(places, free)
        if wrong >= 0:
            place = int(places[wrong])
            known = 0 <= place < self.size
            raise ValueError(
                f"place {place} is {'free' if free else 'occupied'} already"
                if known
                else f"place {place} is not in 0..{self.size - 1}"
            )
        self.free = self._map.free

    def copy(self) -> FreeMap:
        twin = copy.copy(self)
        twin._map = copy.copy(self._map)
        return twin


class OnFreeMap(Keeper):
    """Marks nodes as held and as free; a partitioner adds the choice."""

    _changing = ("_map",)

    def __init__(self, nodes: int):
        self._map = FreeMap(nodes)
        self.free = nodes

    def _mark(self, nodes: Places, free: bool) -> None:
        self._map.mark(np.asarray(nodes), free)
        self.free = self._map.free
