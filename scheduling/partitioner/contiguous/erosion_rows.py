"""Rows of bits, eroded along X: the first dimension in `erosion_kernel`.

Indices are unsigned and arrays are not sliced, so that the compiler makes vector instructions of the loops
and counts no references. Buffers come in pairs: a step reads one and writes the other; the result is in the
first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

__all__ = ["erode_lines", "erode_rings", "erode_short_rows", "odd_steps"]

_U = np.uint64
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@njit()
def odd_steps(s: int) -> bool:
    """Return whether shifts by 1, 2, 4 .., no longer than needed, reach `s` in an odd number of steps."""
    steps = 0
    while (1 << steps) < s:
        steps += 1
    return steps % 2 == 1


@njit()
def _and_shifted(out: Any, bits: Any, n: Any, k: int) -> None:
    """Put into `out` the first `n` words of `bits` ANDed with the same shifted by `k` bits."""
    n, q, right = _U(n), _U(k >> 6), _U(k & 63)
    if right:
        left = _U(64) - right
        for i in range(n):
            out[i] = bits[i] & ((bits[i + q] >> right) | (bits[i + q + _ONE] << left))
    else:
        for i in range(n):
            out[i] = bits[i] & bits[i + q]


@njit()
def _erode(a: Any, b: Any, n: Any, s: int) -> None:
    """Erode `n` words by `s`; they are in `b` if the steps are odd, else in `a`, and come out in `a`."""
    done, into_a = 1, odd_steps(s)
    while done < s:
        k = min(done, s - done)
        if into_a:
            _and_shifted(a, b, n, k)
        else:
            _and_shifted(b, a, n, k)
        into_a = not into_a
        done += k


@njit()
def _copy(out: Any, given: Any, start: Any, n: Any) -> None:
    """Fill the beginning of `out` with `n` words of `given` from `start` on."""
    n, start = _U(n), _U(start)
    for i in range(n):
        out[i] = given[start + i]


@njit()
def erode_lines(a: Any, b: Any, given: Any, start: int, n: Any, s: int) -> None:
    """Erode rows of whole words by `s`, the `n` words of `given` from `start` on, into `a`.

    The last bit of each row is never set, so that one pass shifts all rows at once.
    """
    if odd_steps(s):
        _copy(b, given, start, n)
    else:
        _copy(a, given, start, n)
    _erode(a, b, n, s)


@njit()
def _stretch(out: Any, given: Any, start: int, rows: int, wide: int, stretched: int, side: int) -> None:
    """Copy rows of `wide` words, each followed by its own beginning up to `stretched` words."""
    first, shift = side >> 6, _U(side & 63)
    for row in range(rows):
        source, target = start + row * wide, row * stretched
        for i in range(wide):
            out[target + i] = given[source + i]
        for i in range(wide, stretched):
            out[target + i] = 0
        for i in range(stretched - first):
            out[target + first + i] |= given[source + i] << shift
            if shift and first + i + 1 < stretched:
                out[target + first + i + 1] |= given[source + i] >> (_U(64) - shift)


@njit()
def erode_rings(a: Any, b: Any, given: Any, start: int, rows: int, wide: int, side: int, s: int) -> None:
    """Erode `rows` rings of `side` nodes, `wide` words each, by `s` from `given` at `start` into `a`."""
    stretched = (side + s + 62) >> 6
    if odd_steps(s):
        _stretch(b, given, start, rows, wide, stretched, side)
    else:
        _stretch(a, given, start, rows, wide, stretched, side)
    _erode(a, b, rows * stretched, s)
    rest = _ALL >> _U(-side & 63)
    for row in range(rows):
        # Rows move towards the beginning: nothing is overwritten before it is read.
        for i in range(wide):
            a[row * wide + i] = a[row * stretched + i]
        a[row * wide + wide - 1] &= rest


@njit()
def erode_short_rows(
    a: Any, given: Any, start: int, n: Any, bits: int, side: int, s: int, wraps: bool
) -> None:
    """Erode rows of at most 64 nodes by `s`, the `n` words of `given` from `start` on, into `a`.

    Every row takes `bits` bits of a word, 16, 32 or 64, of which the first `side` are nodes.
    """
    _copy(a, given, start, n)
    n = _U(n)
    lanes = _ALL // (_ALL >> _U(64 - bits))  # the lowest bit of each row
    done = 1
    while done < s:
        k = min(done, s - done)
        right, left = _U(k), _U(side - k)
        keep = lanes * ((_ONE << left) - _ONE)
        turn = lanes * (((_ONE << right) - _ONE) << left) if wraps else _U(0)
        for i in range(n):
            a[i] &= ((a[i] >> right) & keep) | ((a[i] << left) & turn)
        done += k
