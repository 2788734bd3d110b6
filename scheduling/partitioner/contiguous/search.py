"""What a search for a free box is asked, and how an array of nodes keeps account of what is held."""

from __future__ import annotations

import copy
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.topologies import Grid

__all__ = ["Account", "NodeArray", "Search", "Shape", "mesh_2d"]

Shape = tuple[int, ...]


class Search(Protocol):
    """Finds boxes of free nodes on a mesh or torus, and keeps account of those that are held.

    A box is named by its base, the node from which it extends upwards in every dimension (round the ring on a
    torus), and its shape, its sides in the order of the dimensions. A search is exact if it returns the first
    base in the order of node numbers.

    Attributes
    ----------
    visited : int
        Nodes, words of nodes or boxes looked at so far; each search says what it counts.
    """

    visited: int

    def granted(self, shape: Shape) -> Shape:
        """Return the shape of the box that a request for `shape` gets: the same, unless it is rounded up."""

    def first(self, shape: Shape) -> int:
        """Return the base of a free box of a granted shape, or -1; the shape fits the empty machine."""

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""

    def copy(self) -> Search:
        """Return an independent copy."""


def mesh_2d(grid: Grid, what: str) -> Grid:
    """Return `grid` if it is a mesh of two dimensions."""
    if grid.dims != 2 or grid.wraps:
        raise ValueError(f"{what}: is defined on 2-D meshes, not on {grid}")
    return grid


class Account:
    """What all searches of this package have in common."""

    def __init__(self, grid: Grid) -> None:
        self._sizes = np.array(grid.sizes, np.int64)
        self._wraps = grid.wraps
        self.visited = 0

    def granted(self, shape: Shape) -> Shape:
        """Return the same shape."""
        return shape

    def copy(self) -> Self:
        """Return an independent copy."""
        return copy.deepcopy(self)


class NodeArray(Account):
    """A flag for every node of a mesh or torus.

    Attributes
    ----------
    held : ndarray of bool, shape (nodes,)
        Whether a node is held.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self.held: NDArray[np.bool_] = np.zeros(grid.nodes, np.bool_)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.held = self.held.copy()
        return twin

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""
        self.held[native.box_nodes(self._sizes, base, np.array(shape))] = True

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""
        self.held[native.box_nodes(self._sizes, base, np.array(shape))] = False
