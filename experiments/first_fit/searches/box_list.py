"""Searches that look at a list of the boxes that are held."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.contiguous.search import Account, Shape
from netplace.topologies import Grid

__all__ = ["BoxList"]


class BoxList(Account):
    """A list of the boxes that are held, in the order of the last coordinate of their bases.

    Attributes
    ----------
    boxes : ndarray of int64, shape (boxes, 2 * dims)
        Coordinates of the base and sides of each box.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._room = np.empty((16, 2 * grid.dims), np.int64)
        self.boxes = self._room[:0]

    def take(self, base: int, shape: Shape) -> None:
        """Put a free box on the list."""
        count = len(self.boxes)
        if count == len(self._room):
            self._room = np.concatenate((self._room, np.empty_like(self._room)))
        box = np.array(self._place(base) + list(shape))
        at = int(np.searchsorted(self.boxes[:, len(shape) - 1], box[len(shape) - 1], side="right"))
        self._room[at + 1 : count + 1] = self._room[at:count].copy()
        self._room[at] = box
        self.boxes = self._room[: count + 1]

    def release(self, base: int, shape: Shape) -> None:
        """Take a held box off the list."""
        count = len(self.boxes)
        at = int((self.boxes[:, : len(shape)] == self._place(base)).all(axis=1).argmax())
        self._room[at : count - 1] = self._room[at + 1 : count].copy()
        self.boxes = self._room[: count - 1]

    def _place(self, base: int) -> list[int]:
        """Return the coordinates of a node."""
        place = []
        for size in self._sizes.tolist():
            base, x = divmod(base, size)
            place.append(x)
        return place
