"""Hilbert's curve through boxes of any sides and any number of dimensions.

The curve of a box goes from its corner at the origin to the corner at the far end of one axis, its length.
A long box is cut across its length. Any other is cut in two along its length and along the *fold*, the
largest other axis, and along the other axes that are about as large; the parts are visited as in Hilbert's
curve: a Gray code of the halves, two parts in line being one box. In a square this is up, across, down.

Such a curve can do without jumps only if its length is even, or all sides are odd: color the nodes like a
chessboard, every step changes the color. Cuts keep to that: lengths are cut to an even part and the rest, the
fold to an even part first, and only even axes are cut in addition. Since every box has an even side or none,
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

from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["hilbert"]

_Box = tuple[int, ...]
_Walk = NDArray[np.int32]


def hilbert(topology: Topology) -> Nodes:
    """Return the nodes along Hilbert's curve; each is a neighbor of the one before it.

    It starts at node 0 and ends at the far corner of the longest even side, or of the longest if all are odd.
    """
    grid = grid_of(topology, "order hilbert")
    sizes = grid.sizes
    length = max(range(grid.dims), key=lambda axis: (sizes[axis] % 2 == 0, sizes[axis], -axis))
    axes = [length, *(axis for axis in range(grid.dims) if axis != length)]
    walk = _walk(tuple(sizes[axis] for axis in axes), {})
    return grid.node(walk[:, np.argsort(axes)])


def _walk(box: _Box, known: dict[_Box, _Walk]) -> _Walk:
    """Return the coordinates along the curve of a box, shape (nodes, axes)."""
    # The curve starts at the origin, and its length is axis 0. `known` keeps the curves of boxes seen before:
    # there are few different ones.
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
    for low, sides, length in _parts(box):
        at = np.clip(at, low, np.add(low, sides) - 1)
        axes = [length, *(axis for axis in range(len(box)) if axis != length)]
        part = _walk(tuple(sides[axis] for axis in axes), known)[:, np.argsort(axes)]
        walk[done : done + len(part)] = at + np.where(at == low, 1, -1) * part
        done += len(part)
        at = walk[done - 1]
    return walk


def _parts(box: _Box) -> Iterator[tuple[list[int], list[int], int]]:
    """Yield the parts of a box in the order of the curve: lowest corner, sides, and axis of the length."""
    fold = max(range(1, len(box)), key=lambda axis: box[axis])
    if 2 * box[0] > 3 * box[fold] and box[0] >= 4:
        cut = _even_half(box[0])
        yield [0] * len(box), [cut, *box[1:]], 0
        yield [cut] + [0] * (len(box) - 1), [box[0] - cut, *box[1:]], 0
        return
    cuts = {axis: box[axis] // 2 for axis in _others(box, fold)}
    upper = dict.fromkeys([fold, *cuts], False)

    def part(length: int, whole: bool = True) -> tuple[list[int], list[int], int]:
        """Return the part in the half boxes at `upper`, or in both along its length."""
        low, sides = [0] * len(box), list(box)
        for axis, cut in (cuts | {fold: _even_half(box[fold])}).items():
            if axis != length or not whole:
                low[axis] = cut if upper[axis] else 0
                sides[axis] = box[axis] - cut if upper[axis] else cut
        return low, sides, length

    yield part(fold, whole=False)
    # The other axes go through their halves by a Gray code; a part leads from one to the next, in the upper
    # half of the fold and in the lower in turns.
    for count in range(1, 2 ** len(cuts)):
        axis = list(cuts)[(count & -count).bit_length() - 1]
        upper[fold] = count % 2 == 1
        yield part(axis)
        upper[axis] = not upper[axis]
    upper[fold] = False
    yield part(fold, whole=False)


def _others(box: _Box, fold: int) -> list[int]:
    """Return the axes that are cut besides the fold: even ones about as large, and the length as the last."""
    near = [axis for axis in range(1, len(box)) if box[axis] % 2 == 0 and 4 * box[axis] >= 3 * box[fold]]
    return [axis for axis in near if axis != fold] + [0]


def _even_half(size: int) -> int:
    """Return the even number nearest to half of `size` and less than it, the larger of two; 1 for 2."""
    if size == 2:
        return 1
    half = size // 2 + size // 2 % 2
    return half if half < size else half - 2
