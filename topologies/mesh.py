"""Mesh: a grid with open borders."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.checks.calls import checked
from netplace.topologies.grid import Grid, check_sides, grid, spell

__all__ = ["mesh"]


@checked
def mesh(sizes: Sequence[int]) -> Grid:
    """Return the mesh of these sides.

    W. J. Dally and B. Towles, "Principles and practices of interconnection networks", Morgan
    Kaufmann, 2004, chapter 5: a k-ary n-mesh, here with a size for each side.

    Parameters
    ----------
    sizes : sequence of int
        Nodes along each dimension, X first; each at least 1.

    Raises
    ------
    ValueError
        If a side is not a whole number of at least 1, or the network is too large for memory.

    Examples
    --------
    >>> mesh((4, 3)).neighbours(5).tolist()
    [1, 4, 6, 9]
    """
    sides = check_sides(sizes, spell("mesh", sizes))
    return grid(spell("mesh", sides), sides, wraps=False)
