"""Twisted torus: a 2-D torus whose Y rings continue in other rings further along X."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.checks import check_int
from netplace.checks.calls import checked
from netplace.topologies.grid import Grid, check_sides, grid, spell

__all__ = ["twisted_torus"]


@checked
def twisted_torus(sizes: Sequence[int], twist: int | None = None) -> Grid:
    """Return the twisted torus of two sides.

    J. M. Cámara, M. Moretó, E. Vallejo, R. Beivide, J. Miguel-Alonso, C. Martínez and J. Navaridas, "Twisted
    torus topologies for enhanced interconnection networks", IEEE Transactions on Parallel and Distributed
    Systems 21 (2010) 1765-1778. A packet that passes the end of Y is shifted along X by the twist. On 2a x a
    nodes, a twist of a, the shorter side, loads the links of both dimensions equally.

    Parameters
    ----------
    sizes : sequence of two int
        Nodes along X and Y, each at least 2.
    twist : int, optional
        The shift, less than X. The default is Y, the shorter side; if X is not longer than Y, the twist is
        required.

    Raises
    ------
    ValueError
        If there are not two sides of at least 2, the twist is out of range, or the network is too large for
        memory.

    Examples
    --------
    >>> twisted_torus((8, 4)).diameter
    4
    """
    sides = check_sides(sizes, spell("twisted", sizes))
    text = spell("twisted", sides)
    if len(sides) != 2:
        raise ValueError(f"{text}: {len(sides)} sides given, a twisted torus has two")
    if min(sides) < 2:
        raise ValueError(f"{text}: a side of 1 has no ring to twist, expected sides of at least 2")
    width, height = sides
    if twist is None and width <= height:
        raise ValueError(
            f"{text}: twisted by its shorter side needs X longer than Y, "
            f"expected a twist such as {text}+{(width + 1) // 2}"
        )
    twist = height if twist is None else check_int(twist, f"{text}: twist")
    if twist >= width:
        raise ValueError(f"{text}: twist {twist} is too large, expected less than the {width} nodes along X")
    if twist != height:
        text = f"{text}+{twist}"
    return grid(text, sides, wraps=True, twist=twist)
