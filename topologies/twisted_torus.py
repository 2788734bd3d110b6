"""Twisted torus: a 2-D torus whose shorter rings are joined to the next ones along the longer side."""

from __future__ import annotations

from collections.abc import Sequence

from checks import whole
from topologies.grid import Grid, check_sides, grid, spell

__all__ = ["twisted_torus"]


def twisted_torus(sizes: Sequence[int], twist: int | None = None) -> Grid:
    """Return the twisted torus of two sides.

    J. M. Cámara, M. Moretó, E. Vallejo, R. Beivide, J. Miguel-Alonso, C. Martínez and J. Navaridas,
    "Twisted torus topologies for enhanced interconnection networks", IEEE Transactions on Parallel and
    Distributed Systems 21 (2010) 1765-1778. Where the shorter coordinate passes its end, the longer one
    is shifted by the twist. On 2a x a nodes a twist of a, the shorter side, loads the links of both
    dimensions equally.

    Parameters
    ----------
    sizes : sequence of two int
        Nodes along X and Y, each at least 2. Of equal sides X counts as the longer.
    twist : int, optional
        The shift, less than the longer side. Default: the shorter side. On a square that would be no twist at
        all, so there it has to be given.

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
    text = spell("twisted", sizes)
    sides = check_sides(sizes, text)
    if len(sides) != 2:
        raise ValueError(f"{text}: {len(sides)} sides given, a twisted torus has two")
    if min(sides) < 2:
        raise ValueError(f"{text}: a side of 1 has no ring to twist, expected sides of at least 2")
    if twist is None:
        twist = min(sides)
        if twist == max(sides):
            raise ValueError(
                f"{text}: twisted by its side a square is a plain torus, "
                f"expected a twist such as {text}+{(twist + 1) // 2}"
            )
    else:
        twist = whole(twist, f"{text}: twist")
    if twist >= max(sides):
        raise ValueError(
            f"{text}: twist {twist} is too large, expected less than the longer side {max(sides)}"
        )
    if twist != min(sides):
        text = f"{text}+{twist}"
    return grid(text, sides, wraps=True, twist=twist)
