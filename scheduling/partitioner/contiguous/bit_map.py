"""A bit map of the free nodes of a mesh or torus, and boxes in it, compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from netplace.compiled import njit

__all__ = ["Arrays", "BitMap", "bit_map", "fill", "opened"]

_CHUNK = 1024  # Units of 16 bits: two kilobytes amortise what a pass costs to start.


Arrays = tuple[Any, Any, Any, Any, Any, Any]


class BitMap(NamedTuple):
    """Free nodes, the planes of them that were eroded, and room to erode in.

    A plane, the nodes of one coordinate of the last dimension, takes `units` units of 16 bits, a multiple
    of four; a row along X takes 1, 2 or 4 of them or whole words of four, and may end in bits that are
    never set. Arrays come as units and, named ``.._words``, as the same memory in words of 64 bits.

    Attributes
    ----------
    free, eroded : ndarray of uint16, shape (planes * units,)
        Free nodes; bases of a box's section in each plane, where `state` is not 0.
    state : ndarray of uint8, shape (planes,)
        What is known of `eroded`.
    a, b : ndarray of uint16
        Room for all planes, and for `chunk` planes of rows twice as long.
    sizes, asked : ndarray of int64, shape (dims,)
        Sides of the network, two at least, and of the box for which `state` holds.
    units, width, chunk : int
        Units of a plane and of a row; planes that are eroded together.
    wraps : bool
        Whether the network is a torus.
    """

    free: Any
    free_words: Any
    eroded: Any
    eroded_words: Any
    state: Any
    a: Any
    a_words: Any
    b: Any
    b_words: Any
    sizes: Any
    asked: Any
    units: int
    width: int
    chunk: int
    wraps: bool


def bit_map(sizes: Sequence[int], wraps: bool) -> Arrays:
    """Return the arrays of the map of a network none of whose nodes is free.

    Returns
    -------
    tuple of ndarray
        What `opened` takes: plain arrays enter compiled code in half the time that a `BitMap` takes.
    """
    side, planes, rows = sizes[0], sizes[-1], math.prod(sizes[1:-1])
    # Rows of up to 64 nodes share words, longer ones are whole words, on a mesh with a bit to spare.
    long = 4 * (-(-side // 64) if wraps else side // 64 + 1)
    width = next((units for units in (1, 2, 4) if side <= 16 * units), long)
    units = -(-rows * width // 4) * 4
    chunk = max(1, min(planes, _CHUNK // units))
    stretched = chunk * rows * (2 * width + 4) + 2 * width + 8
    free, eroded = np.zeros((2, planes * units), np.uint16)
    a, b = np.zeros((2, max(planes * units, -(-stretched // 4) * 4)), np.uint16)
    numbers = np.array([units, width, chunk, wraps, *sizes, *[0] * len(sizes)], np.int64)
    return free, eroded, np.zeros(planes, np.uint8), a, b, numbers


@njit()
def opened(free: Any, eroded: Any, state: Any, a: Any, b: Any, numbers: Any) -> BitMap:
    """Return the map that is kept in arrays."""
    dims = (len(numbers) - 4) // 2
    return BitMap(
        free,
        free.view(np.uint64),
        eroded,
        eroded.view(np.uint64),
        state,
        a,
        a.view(np.uint64),
        b,
        b.view(np.uint64),
        numbers[4 : 4 + dims],
        numbers[4 + dims :],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3] != 0,
    )


@njit()
def _fill_row(units: Any, first: int, begin: int, end: int, value: bool) -> None:
    """Set or clear the bits from `begin` to `end` - 1 of the row whose first unit is `first`."""
    for i in range(begin >> 4, (end + 15) >> 4):
        mask = (1 << min(end - 16 * i, 16)) - (1 << max(begin - 16 * i, 0))
        old = units[first + i]
        units[first + i] = old | mask if value else old & (0xFFFF ^ mask)


@njit(cache=True)
def fill(free: Any, state: Any, numbers: Any, shape: Any, base: int, value: bool) -> None:
    """Mark the nodes of a box as free or held, and its planes as changed.

    Parameters
    ----------
    free, state, numbers : ndarray
        Three of the arrays of the map.
    shape : ndarray of int64, shape (dims,)
        Sides of the box; where it leaves the network it comes in again on the other side.
    base : int
        Node with the lowest coordinates.
    value : bool
        Whether the nodes are free.
    """
    dims, width = len(shape), numbers[1]
    sizes = numbers[4 : 4 + dims]
    side, planes = sizes[0], sizes[-1]
    x, row = base % side, base // side
    end = x + shape[0]
    rows, lines = 1, 1
    for d in range(1, dims - 1):
        rows *= sizes[d]
        lines *= shape[d]
    start, row = row // rows, row % rows
    for line in range(lines):
        # Coordinates of the row, digit by digit.
        rest, left, place, stride = line, row, 0, 1
        for d in range(1, dims - 1):
            place += (left + rest % shape[d]) % sizes[d] * stride
            left //= sizes[d]
            rest //= shape[d]
            stride *= sizes[d]
        for j in range(shape[-1]):
            plane = start + j if start + j < planes else start + j - planes
            state[plane] = 0
            first = plane * numbers[0] + place * width
            _fill_row(free, first, x, min(end, side), value)
            if end > side:
                _fill_row(free, first, 0, end - side, value)
