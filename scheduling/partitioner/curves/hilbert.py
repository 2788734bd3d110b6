"""Hilbert's curve through boxes of any sides and any number of dimensions.

The curve of a box goes from its corner at the origin to the corner at the far end of one axis, its length.
A long box is cut across its length. Any other is cut in two along its length and along the *fold*, the
largest other axis, and along the other axes that are about as large; the parts are visited as in Hilbert's
curve: a Gray code of the halves, two parts in line being one box. In a square this is up, across, down.

Such a curve can do without jumps only if its length is even, or all sides are odd: colour the nodes like a
chessboard, every step changes the colour. Cuts keep to that: lengths are cut to an even part and the rest,
the fold to an even part first, and only even axes are cut besides. Since every box has an even side or none,
the whole curve has no jump in any box. In boxes of sides 2^k it is Hilbert's.

Sources: D. Hilbert, "Über die stetige Abbildung einer Linie auf ein Flächenstück", Math. Annalen 38 (1891);
J. Alber, R. Niedermeier, "On multidimensional Hilbert indexings", COCOON 1998 (Gray code of the halves). The
rules for sides that are no powers of two are our own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scheduling.partitioner.allocation import Nodes
from topologies import Grid

__all__ = ["hilbert"]

_Box = tuple[int, ...]
_Walk = NDArray[np.int32]


def hilbert(grid: Grid) -> Nodes:
    """Return the nodes along Hilbert's curve; each is a neighbour of the one before it.

    It starts at node 0 and ends at the far corner of the longest even side, or of the longest if all are odd.
    """
    sizes = grid.sizes
    length = max(range(grid.dims), key=lambda axis: (sizes[axis] % 2 == 0, sizes[axis], -axis))
    axes = [length, *(axis for axis in range(grid.dims) if axis != length)]
    walk = _walk(tuple(sizes[axis] for axis in axes), {})
    return grid.node(walk[:, np.argsort(axes)])


def _walk(box: _Box, known: dict[_Box, _Walk]) -> _Walk:
    """Return the coordinates along the curve of a box, shape (nodes, axes).

    The curve starts at the origin, and its length is axis 0. `known` keeps the curves of boxes seen before:
    there are few different ones.
    """
    if box not in known:
        if max(box[1:], default=1) == 1:
            walk = np.zeros((box[0], len(box)), np.int32)
            walk[:, 0] = np.arange(box[0])
        else:
            walk = _joined(box, known)
        known[box] = walk
    return known[box]


def _joined(box: _Box, known: dict[_Box, _Walk]) -> _Walk:
    """Return the curve of a box as that of its parts, each starting beside the end of the one before."""
    walk = np.empty((math.prod(box), len(box)), np.int32)
    at = np.zeros(len(box), np.int32)
    done = 0
    for low, sides, axis, step in _parts(box):
        axes = [axis, *(other for other in range(len(box)) if other != axis)]
        part = _walk(tuple(sides[other] for other in axes), known)[:, np.argsort(axes)]
        towards = np.where(at == low, 1, -1)
        walk[done : done + len(part)] = at + towards * part
        done += len(part)
        at = walk[done - 1].copy()
        at[abs(step) - 1] += np.sign(step)
    return walk


def _parts(box: _Box) -> Iterator[tuple[list[int], list[int], int, int]]:
    """Yield the parts of a box in order: lowest corner, sides, axis of its length, and the step to the next.

    The step is the number of its axis plus 1, negative if backwards; after the last part it means nothing.
    """
    length, fold = box[0], max(range(1, len(box)), key=lambda axis: box[axis])
    if 2 * length > 3 * box[fold] and length >= 4:
        half = _even_half(length)
        yield [0] * len(box), [half, *box[1:]], 0, 1
        yield [half] + [0] * (len(box) - 1), [length - half, *box[1:]], 0, 1
        return
    cut = {fold: _even_half(box[fold]) if box[fold] > 2 else 1}
    for axis in range(1, len(box)):
        if axis != fold and box[axis] % 2 == 0 and 4 * box[axis] >= 3 * box[fold]:
            cut[axis] = box[axis] // 2
    others = [axis for axis in cut if axis != fold] + [0]
    cut[0] = length // 2
    upper = dict.fromkeys(cut, False)

    def part(along: int) -> tuple[list[int], list[int]]:
        """Return the corner and sides of the half box at `upper`; of the whole length of axis `along`."""
        low, sides = [0] * len(box), list(box)
        for axis in set(cut) - {along}:
            low[axis] = cut[axis] if upper[axis] else 0
            sides[axis] = box[axis] - cut[axis] if upper[axis] else cut[axis]
        return low, sides

    yield _half(part(-1), fold, fold + 1)
    for count in range(1, 2 ** len(others)):
        # The halves of the other axes follow a Gray code; from one to the next both lie on one side of the
        # fold, above it and below it in turns.
        axis = others[(count & -count).bit_length() - 1]
        upper[fold] = count % 2 == 1
        yield _half(part(axis), axis, -fold - 1 if upper[fold] else fold + 1)
        upper[axis] = not upper[axis]
    upper[fold] = False
    yield _half(part(-1), fold, fold + 1)


def _half(
    corner_and_sides: tuple[list[int], list[int]], axis: int, step: int
) -> tuple[list[int], list[int], int, int]:
    """Return a part, flat."""
    return *corner_and_sides, axis, step


def _even_half(size: int) -> int:
    """Return the even number nearest to half of `size`, the larger of two, less than `size`, which is > 2."""
    half = size // 2 + size // 2 % 2
    return half if half < size else half - 2
