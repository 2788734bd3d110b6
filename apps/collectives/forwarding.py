"""Recursive doubling among any number of ranks: how those without a partner get what they lack.

Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["forwards"]


def forwards(ranks: int, distance: int) -> Iterator[list[tuple[int, int]]]:
    """Yield, round by round, who passes on to whom what an exchange at `distance` brought.

    In the last group of twice `distance` ranks some of the lower half may have had no partner. The others
    pass on what they got by halving the half: at distances ``distance / 2``, .., 1. Before the round at
    distance d, the first ranks of each run of 2d have it, as many as had a partner.
    """
    start = ranks - ranks % (2 * distance)
    having = ranks - start - distance
    step = distance // 2
    while step and 0 < having < distance:
        yield [
            (start + p, start + p + step)
            for p in range(distance)
            if p % (2 * step) < min(step, having) and p % (2 * step) + step >= having
        ]
        step //= 2
