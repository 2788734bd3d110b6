"""Arrays of which ranges of rows are given out and taken back; they begin with a line of cache."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.memory import aligned

__all__ = ["Pool"]


class Pool:
    """Rows of words. It grows at its end, and what is given back is given out again.

    Parameters
    ----------
    kind : type
        Of the words.
    width : int
        Words of a row.

    Attributes
    ----------
    words : ndarray, shape (rows * width,)
        All words, those that nobody has included. Another array after it has grown.
    """

    def __init__(self, kind: type[np.generic], width: int = 1) -> None:
        self.words: NDArray[Any] = np.zeros(0, kind)
        self._width = width
        self._end = 0  # no row from here on is in use
        self._free: list[tuple[int, int]] = []  # ranges of free rows before, sorted, none touches another

    def take(self, count: int) -> int:
        """Return the first of `count` neighbouring rows that nobody has; what is in them may be anything."""
        for place, (begin, end) in enumerate(self._free):
            if end - begin >= count:
                if end - begin == count:
                    del self._free[place]
                else:
                    self._free[place] = begin + count, end
                return begin
        begin = self._end
        self._end += count
        needed = self._end * self._width
        if needed > len(self.words):
            size = max(needed, 2 * len(self.words)) * self.words.itemsize
            words = aligned(size).view(self.words.dtype)
            words[: len(self.words)] = self.words
            self.words = words
        return begin

    def give(self, begin: int, count: int) -> None:
        """Take back rows that were given out."""
        if count == 0:
            return
        end = begin + count
        place = bisect_left(self._free, (begin, end))
        if place < len(self._free) and self._free[place][0] == end:
            end = self._free.pop(place)[1]
        if place > 0 and self._free[place - 1][1] == begin:
            place -= 1
            begin = self._free.pop(place)[0]
        if end == self._end:
            self._end = begin
        else:
            self._free.insert(place, (begin, end))

    def rows(self, begin: int, count: int) -> NDArray[Any]:
        """Return rows as a view, shape (count, width)."""
        return self.words[begin * self._width : (begin + count) * self._width].reshape(count, self._width)

    @property
    def size(self) -> int:
        """Rows up to the last one in use."""
        return self._end
