"""Bytes expected on each link of a mesh or torus, flow by flow: a flow loads the links of its box alone."""

from __future__ import annotations

import numpy as np

from netplace.compiled import njit
from netplace.placement.rule import Nodes
from netplace.topologies import Grid

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__ = ["grid_loads"]

_AT_ONCE = 4096  # flows of a call, after which an interrupt is seen


def grid_loads(grid: Grid, source: Nodes, target: Nodes, size: np.ndarray) -> np.ndarray:
    """Return the load of the link out of each port, shape (nodes, ports), if minimal routes are alike.

    A flow over g_d hops in dimension d passes the place o hops from its source, and from there on along d, by
    ``m(o) * m(g - o - e_d)`` of its ``m(g)`` minimal routes, where m are multinomial coefficients. Where the
    other way round a ring is as short, half of the flow goes either way.

    Parameters
    ----------
    grid : Grid
        Without twist, of a diameter of at most 150: factorials are held as float64.
    source, target : ndarray of int64
        Nodes of each flow.
    size : ndarray of float64
        Bytes of each flow.
    """
    load = np.zeros((grid.nodes, 2 * grid.dims))
    factorial = np.cumprod(np.concatenate(([1.0], np.arange(1.0, grid.diameter + 1))))
    starts, ends = grid.coordinates(source), grid.coordinates(target)
    size, sides = np.asarray(size, float), np.array(grid.sizes)
    for first in range(0, len(size), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        _add(starts[part], ends[part], size[part], sides, grid.wraps, factorial, load)
    return load


@njit(cache=True)
def _add(starts, ends, size, sides, wraps, factorial, load):
    """Add the load of each flow from the coordinates `starts` to `ends`."""
    dims = len(sides)
    hops, sign, at = np.zeros(dims, np.int64), np.ones(dims, np.int64), np.zeros(dims, np.int64)
    ties = np.zeros(dims, np.int64)
    for flow in range(len(size)):
        count, total, ways = 0, 0, 1.0
        for d in range(dims):
            gap = ends[flow, d] - starts[flow, d]
            sign[d] = 1 if gap >= 0 else -1
            hops[d] = abs(gap)
            if wraps and 2 * hops[d] > sides[d]:
                hops[d], sign[d] = sides[d] - hops[d], -sign[d]
            elif wraps and 2 * hops[d] == sides[d]:
                ties[count] = d
                count += 1
            total += hops[d]
            ways *= factorial[hops[d]]
        ways = factorial[total] / ways
        for turn in range(1 << count):
            for tie in range(count):
                sign[ties[tie]] = 1 if turn >> tie & 1 else -1
            _add_box(
                starts[flow], hops, sign, at, total, size[flow] / ways / (1 << count), sides, factorial, load
            )


@njit(cache=True)
def _add_box(start, hops, sign, at, total, share, sides, factorial, load):
    """Add `share` for each minimal route in the box of these signed hops; `at` is zero before and after."""
    dims, gone = len(sides), 0
    while True:
        node, stride, routes, onward = 0, 1, factorial[gone], 1.0
        for d in range(dims):
            node += (start[d] + sign[d] * at[d]) % sides[d] * stride
            stride *= sides[d]
            routes /= factorial[at[d]]
            onward /= factorial[hops[d] - at[d]]
        for d in range(dims):
            left = hops[d] - at[d]
            if left > 0:
                on = onward * left * factorial[total - gone - 1]
                load[node, 2 * d + (0 if sign[d] > 0 else 1)] += share * routes * on
        d = 0
        while d < dims and at[d] == hops[d]:
            gone -= at[d]
            at[d] = 0
            d += 1
        if d == dims:
            return
        at[d] += 1
        gone += 1
