"""Lists of boxes for a 3-D torus, in the format of Slurm's ``torus3d``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

__all__ = ["shape_lists"]

_MOST = 12  # shapes of a list


def shape_lists(sides: tuple[int, ...], sizes: Mapping[int, int]) -> list[str]:
    """Return lists of placements: powers of two at fixed places, the same closer, and the log's sizes.

    Parameters
    ----------
    sides : tuple of int
        Of the torus.
    sizes : mapping of int to int
        Number of jobs of each number of nodes.

    Returns
    -------
    list of str
        Text for `netplace.scheduling.partitioner.slurm_placements.read_placements`.

    Examples
    --------
    >>> shape_lists((4, 4, 2), {3: 10, 4: 5})[0]
    '1x1x1+2x1x1+2x2x1+2x2x2+4x2x2+4x4x2'
    """
    whole = sides[0] * sides[1] * sides[2]
    powers = [1 << power for power in range(whole.bit_length()) if 1 << power < whole]
    doubling = [shape for size in powers if (shape := _cubic(size, sides))]
    usual = sorted(sizes, key=lambda size: -sizes[size] * size)[: _MOST - 1]
    rounded = {_least(size, sides) for size in usual if size <= whole}
    asked = sorted({*rounded, sides}, key=lambda shape: shape[0] * shape[1] * shape[2])
    apart = [*doubling, sides]
    return [
        *dict.fromkeys("+".join(_written(shape, close) for shape in shapes) for shapes, close in (
            (apart, False), (apart, True), (asked, True),
        ))
    ]  # fmt: skip


def _written(shape: tuple[int, ...], close: bool) -> str:
    text = "x".join(map(str, shape))
    steps = tuple(max(1, side // 2) for side in shape)
    return f"{text}/{'x'.join(map(str, steps))}" if close and steps != shape else text


def _cubic(size: int, sides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the sides of the box of exactly that size that is most like a cube; None if there is none."""
    boxes = [
        (x, y, size // (x * y))
        for x, y in product(range(1, sides[0] + 1), range(1, sides[1] + 1))
        if size % (x * y) == 0 and size // (x * y) <= sides[2]
    ]
    return min(boxes, key=lambda box: (sum(box), [-side for side in box]), default=None)


def _least(size: int, sides: tuple[int, ...]) -> tuple[int, ...]:
    """Return the smallest box that holds so many nodes and is no more than four times as long as wide."""
    for room in range(size, sides[0] * sides[1] * sides[2] + 1):
        box = _cubic(room, sides)
        if box and (max(box) <= 4 * min(box) or room < 8):
            return box
    return sides
