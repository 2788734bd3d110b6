"""Which places of a line are free: a byte a place, looked at eight at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit

# mypy: disable-error-code="untyped-decorator"

__all__ = ["FreeMap"]

Places = NDArray[np.int64]

# A word of no free places and one of eight; typed, since compiled code compares other integers as floats.
_NONE, _ALL = np.uint64(0), np.uint64(0x0101010101010101)


class FreeMap:
    """Places 0..size-1, all of them free at first.

    Parameters
    ----------
    size : int
        Number of places.

    Attributes
    ----------
    free : int
        Free places.
    visited : int
        Words of eight places that were looked at, all searches together.
    """

    def __init__(self, size: int):
        self._bytes = np.zeros(-(-size // 8) * 8, np.uint8)
        self._bytes[:size] = 1
        self._words = self._bytes.view(np.uint64)
        self.size = size
        self.free = size
        self.visited = 0

    def first(self, wanted: int) -> Places:
        """Return the first `wanted` free places; no more than `free` may be asked for."""
        places, visited = _first(self._bytes, self._words, wanted)
        self.visited += visited
        return np.asarray(places)

    def intervals(self) -> tuple[Places, Places]:
        """Return where each longest run of free places starts, in increasing order, and its length."""
        starts, lengths = _intervals(self._bytes, self._words)
        self.visited += len(self._words)
        return starts, lengths

    def mark(self, places: Places, free: bool) -> None:
        """Make `places` free, or held.

        Raises
        ------
        ValueError
            If there is no such place, or it is so already; nothing is changed then.
        """
        wrong = _mark(self._bytes[: self.size], places, free)
        if wrong >= 0:
            place = int(places[wrong])
            known = 0 <= place < self.size
            raise ValueError(
                f"place {place} is {'free' if free else 'held'} already"
                if known
                else f"place {place} is not in 0..{self.size - 1}"
            )
        self.free += len(places) if free else -len(places)

    def copy(self) -> FreeMap:
        """Return an independent copy."""
        twin = FreeMap(0)
        twin._bytes = self._bytes.copy()
        twin._words = twin._bytes.view(np.uint64)
        twin.size, twin.free, twin.visited = self.size, self.free, self.visited
        return twin


@njit(cache=True)
def _first(free: Any, words: Any, wanted: int) -> Any:
    """Return the first free places, and how many words were read."""
    places = np.empty(wanted, np.int64)
    count, word = 0, 0
    while count < wanted:
        if words[word]:
            for place in range(8 * word, 8 * word + 8):
                if free[place] and count < wanted:
                    places[count] = place
                    count += 1
        word += 1
    return places, word


@njit(cache=True)
def _intervals(free: Any, words: Any) -> Any:
    """Return starts and lengths of the longest runs of free places."""
    most = len(free) // 2 + 1
    starts, lengths = np.empty(most, np.int64), np.empty(most, np.int64)
    count, begin = 0, -1  # begin: where the run that is open starts, -1 if none is
    for word in range(len(words)):
        if words[word] == (_ALL if begin >= 0 else _NONE):
            continue  # the run, or the gap, goes on
        for place in range(8 * word, 8 * word + 8):
            if free[place] and begin < 0:
                begin = place
            elif not free[place] and begin >= 0:
                starts[count], lengths[count] = begin, place - begin
                count += 1
                begin = -1
    if begin >= 0:
        starts[count], lengths[count] = begin, len(free) - begin
        count += 1
    return starts[:count], lengths[:count]


@njit(cache=True)
def _mark(free: Any, places: Any, value: bool) -> int:
    """Set the places; return the index of the first that cannot be, with nothing changed, or -1."""
    for i in range(len(places)):
        place = places[i]
        if place < 0 or place >= len(free) or free[place] == value:
            for undone in range(i):
                free[places[undone]] = not value
            return i
        free[place] = value
    return -1
