"""The compiled part of `erosion`: find the first box in a bit map of free nodes.

To erode a row by s is to keep the bits from which s set bits follow. ANDing it with itself shifted by 1, 2,
4 .. does it in about log2(s) steps; along the other dimensions whole rows are shifted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.contiguous.bit_map import BitMap, opened
from netplace.scheduling.partitioner.contiguous.erosion_rows import (
    erode_lines,
    erode_rings,
    erode_short_rows,
    odd_steps,
)

__all__ = ["find"]

STALE, EMPTY, SOME = 0, 1, 2
_U = np.uint64
_ONE = np.uint64(1)


@njit()
def _and_ahead(out: Any, given: Any, n: Any, ahead: Any) -> None:
    """Put into `out` the first `n` of `given` ANDed with those `ahead` of them."""
    n, ahead = _U(n), _U(ahead)
    for i in range(n):
        out[i] = given[i] & given[i + ahead]


@njit()
def _close(out: Any, given: Any, start: int, end: int, block: int, ahead: int, wraps: bool) -> None:
    """Correct `out` at the end of each block of a dimension: what lies ahead is its beginning, or nothing."""
    inside = _U(block - ahead)
    for first in range(start, end, block):
        for i in range(_U(first) + inside, _U(first + block)):
            out[i] = given[i] & given[i - inside] if wraps else 0


@njit()
def _step(out: Any, given: Any, bits: BitMap, planes: int, block: int, ahead: int) -> None:
    """Put into `out` planes ANDed with themselves shifted along a dimension of `block` units by `ahead`."""
    used = planes * bits.units
    _and_ahead(out, given, used - ahead, ahead)
    for start in range(0, used, bits.units):
        # Units that fill up a plane are less than a block.
        blocks = bits.units // block * block
        _close(out, given, start, start + blocks, block, ahead, bits.wraps)


@njit()
def _keep(bits: BitMap, given: Any, plane: int, place: int) -> None:
    """Keep the eroded `plane` that is the one at `place` in the words of `given`."""
    n = _U(bits.units // 4)
    source, target, left = _U(place) * n, _U(plane) * n, _U(0)
    for i in range(n):
        bits.eroded_words[target + i] = given[source + i]
        left |= given[source + i]
    bits.state[plane] = EMPTY if left == 0 else SOME


@njit()
def _erode(bits: BitMap, shape: Any, low: int, high: int) -> None:
    """Erode planes `low` to `high` - 1 along all dimensions but the last."""
    sizes, side, s = bits.sizes, bits.sizes[0], shape[0]
    planes, words = high - low, bits.units // 4
    a, b, start, used = bits.a_words, bits.b_words, low * words, (high - low) * words
    if side <= 64:
        erode_short_rows(a, bits.free_words, start, used, 16 * bits.width, side, s, bits.wraps)
    elif bits.wraps:
        wide = bits.width // 4
        erode_rings(a, b, bits.free_words, start, used // wide, wide, side, s)
    else:
        erode_lines(a, b, bits.free_words, start, used, s)
    stride, in_a = bits.width, True
    for d in range(1, len(sizes) - 1):
        block, done = stride * sizes[d], 1
        while done < shape[d]:
            k = min(done, shape[d] - done)
            if in_a:
                _step(bits.b, bits.a, bits, planes, block, k * stride)
            else:
                _step(bits.a, bits.b, bits, planes, block, k * stride)
            in_a = not in_a
            done += k
        stride = block
    for place in range(planes):
        if in_a:
            _keep(bits, a, low + place, place)
        else:
            _keep(bits, b, low + place, place)


@njit()
def _erode_around(bits: BitMap, shape: Any, plane: int) -> int:
    """Erode the stale planes around the stale `plane`, at most a chunk; return how many."""
    least = plane - plane % bits.chunk
    most = min(least + bits.chunk, len(bits.state))
    low, high = plane, plane + 1
    while low > least and bits.state[low - 1] == STALE:
        low -= 1
    while high < most and bits.state[high] == STALE:
        high += 1
    _erode(bits, shape, low, high)
    return high - low


@njit()
def _gather(out: Any, bits: BitMap, z: int, planes: int) -> None:
    """Copy so many eroded planes from `z` on, round the ring."""
    words = bits.units // 4
    n, ring, start = _U(planes * words), _U(len(bits.state) * words), _U(z * words)
    inside = min(n, ring - start)
    for i in range(inside):
        out[i] = bits.eroded_words[start + i]
    for i in range(inside, n):
        out[i] = bits.eroded_words[i - inside]


@njit()
def _first_bit(bits: BitMap, z: int, count: int, s: int) -> int:
    """Return the first bit set in `s` planes from one of `count` on, counted from plane `z`, or -1."""
    in_a, words = not odd_steps(s), bits.units // 4
    if in_a:
        _gather(bits.a_words, bits, z, count + s - 1)
    else:
        _gather(bits.b_words, bits, z, count + s - 1)
    used, done = (count + s - 1) * words, 1
    while done < s:
        k = min(done, s - done)
        used -= k * words
        if in_a:
            _and_ahead(bits.b_words, bits.a_words, used, k * words)
        else:
            _and_ahead(bits.a_words, bits.b_words, used, k * words)
        in_a = not in_a
        done += k
    for i in range(used):
        word = bits.a_words[i]
        if word:
            bit = 64 * i
            while not word & _ONE:
                word >>= _ONE
                bit += 1
            return bit
    return -1


@njit()
def _node(bits: BitMap, z: int, bit: int) -> int:
    """Return the node at a bit counted from plane `z`."""
    rows = 1
    for d in range(1, len(bits.sizes) - 1):
        rows *= bits.sizes[d]
    plane, bit = z + bit // (16 * bits.units), bit % (16 * bits.units)
    row, x = bit // (16 * bits.width), bit % (16 * bits.width)
    return (plane * rows + row) * bits.sizes[0] + x


@njit()
def _forget(bits: BitMap, shape: Any) -> None:
    """Note that boxes of another shape are asked for: no plane is eroded for them.

    Element by element: to assign slices takes the compiler seconds, most of them for a sentence of NumPy's.
    """
    for d in range(len(shape)):
        bits.asked[d] = shape[d]
    for plane in range(len(bits.state)):
        bits.state[plane] = STALE


@njit()
def _search(bits: BitMap, shape: Any) -> tuple[int, int]:
    """Return what `find` returns."""
    for d in range(len(shape) - 1):
        if shape[d] != bits.asked[d]:
            _forget(bits, shape)
    planes, s = len(bits.state), shape[-1]
    last = planes - 1 if bits.wraps else planes - s
    looked, z, most = 0, 0, bits.chunk
    while z <= last:
        # From the far end: an empty plane there rules out all bases up to it.
        j = s - 1
        while j >= 0:
            plane = z + j if z + j < planes else z + j - planes
            if bits.state[plane] == STALE:
                looked += _erode_around(bits, shape, plane)
            if bits.state[plane] == EMPTY:
                break
            j -= 1
        if j >= 0:
            z += j + 1
            continue
        count, limit = 1, min(most, last - z + 1, planes - s + 1)
        while count < limit:
            plane = (z + s - 1 + count) % planes
            if bits.state[plane] == STALE:
                looked += _erode_around(bits, shape, plane)
            if bits.state[plane] == EMPTY:
                break
            count += 1
        looked += count + s - 1
        bit = _first_bit(bits, z, count, s)
        if bit >= 0:
            return _node(bits, z, bit), looked * bits.units // 4
        z += count
        # The longer the search, the more planes at a time.
        most = min(2 * most, max(bits.chunk, 2 * s))
    return -1, looked * bits.units // 4


@njit(cache=True)
def find(free: Any, eroded: Any, state: Any, a: Any, b: Any, numbers: Any, shape: Any) -> tuple[int, int]:
    """Return the first base of a box, or -1, and how many words of 64 nodes were looked at.

    Parameters
    ----------
    free, eroded, state, a, b, numbers : ndarray
        The arrays of a `BitMap`.
    shape : ndarray of int64, shape (dims,)
        Sides of the box, which fits the network.
    """
    return _search(opened(free, eroded, state, a, b, numbers), shape)
