"""Torus: a grid in which every dimension is closed to a ring."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.checks.calls import checked
from netplace.topologies.grid import Grid, check_sides, grid, spell

__all__ = ["torus"]


@checked
def torus(sizes: Sequence[int]) -> Grid:
    """Return the torus of these sides.

    W. J. Dally and C. L. Seitz, "The torus routing chip", Distributed Computing 1 (1986) 187-196: a k-ary
    n-cube, here with links in both directions and a size for each side.

    Parameters
    ----------
    sizes : sequence of int
        Nodes along each dimension, X first; each at least 1. A side of 2 has two parallel links, a side
        of 1 has none.

    Raises
    ------
    ValueError
        If a side is not a whole number of at least 1, or the network is too large for memory.

    Examples
    --------
    >>> torus((4, 3)).neighbours(0).tolist()
    [1, 3, 4, 8]
    """
    sides = check_sides(sizes, spell("torus", sizes))
    return grid(spell("torus", sides), sides, wraps=True)
