"""Hypercube: a mesh of two nodes along each dimension."""

from __future__ import annotations

from netplace.checks import check_int
from netplace.checks.calls import checked
from netplace.topologies.grid import Grid, grid
from netplace.topologies.limits import check_size

__all__ = ["hypercube"]


@checked
def hypercube(n: int) -> Grid:
    """Return the binary hypercube of `n` dimensions, a mesh with sides of 2.

    H. Sullivan and T. R. Bashkow, "A large scale, homogeneous, fully distributed parallel machine", ISCA
    1977.

    Parameters
    ----------
    n : int
        Dimensions, at least 1.

    Raises
    ------
    ValueError
        If `n` is out of range, or the network is too large for memory.

    Examples
    --------
    >>> hypercube(10).nodes, hypercube(10).diameter
    (1024, 10)
    """
    n = check_int(n, "hypercube: n")
    check_size(f"hypercube:{n}", 2 ** min(n, 64), 2 * n)
    return grid(f"hypercube:{n}", (2,) * n, wraps=False)
