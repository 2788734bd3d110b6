"""Meshes, tori and HyperX with several nodes per switch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.grid import check_sides, spell
from netplace.topologies.limits import check_size

__all__ = ["concentrated", "hyperx"]


def concentrated(kind: str, sizes: Sequence[int], c: int) -> Graph:
    """Return the mesh or torus of these sides (in switches, X first), with `c` nodes at each switch.

    J. Balfour and W. J. Dally, "Design tradeoffs for tiled CMP on-chip networks", ICS 2006. Each node has its
    own link to its switch, and there is no bubble flow control; see the section on the table router in
    docs/background/model.md.

    Examples
    --------
    >>> concentrated("torus", (8, 8), 4).nodes
    256
    """
    sides = check_sides(sizes, spell(kind, sizes))
    c = check_int(c, f"{spell(kind, sides)}: c")
    text = f"{spell(kind, sides)},c={c}"
    place = _places(text, sides, c, 2 * len(sides) + c)
    ends, axis, closes = [], [], []
    for d, size in enumerate(sides):
        stride = math.prod(sides[:d])
        last = place[:, d] == size - 1
        start = np.flatnonzero(~last | (kind == "torus" and size > 1))
        end = np.where(last[start], start - (size - 1) * stride, start + stride)
        ends.append(np.stack((start, end), axis=1))
        axis.append(np.full(len(start), d))
        closes.append(last[start])
    cables = Cables(np.concatenate(ends), axis=np.concatenate(axis), closes=np.concatenate(closes))
    return graph(text, cables, np.full(len(place), c), places=place, usual="dor")


def hyperx(sizes: Sequence[int], c: int) -> Graph:
    """Return the HyperX of these sides (in switches, X first), with `c` nodes at each switch.

    J. H. Ahn, N. Binkert, A. Davis, M. McLaren and R. S. Schreiber, "HyperX: topology, routing, and packaging
    of efficient large-scale networks", SC 2009. Switches form a grid; two switches are connected if they
    differ in exactly one coordinate.

    Examples
    --------
    >>> hyperx((4, 4), 2).diameter
    4
    """
    sides = check_sides(sizes, spell("hyperx", sizes))
    c = check_int(c, f"{spell('hyperx', sides)}: c")
    text = f"{spell('hyperx', sides)},c={c}"
    place = _places(text, sides, c, sum(sides) - len(sides) + c)
    ends, axis = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)]
    for d, size in enumerate(sides):
        stride = math.prod(sides[:d])
        for x, y in itertools.combinations(range(size), 2):
            start = np.flatnonzero(place[:, d] == x)
            ends.append(np.stack((start, start + (y - x) * stride), axis=1))
            axis.append(np.full(len(start), d))
    cables = Cables(np.concatenate(ends), axis=np.concatenate(axis))
    return graph(text, cables, np.full(len(place), c), places=place, usual="dor")


def _places(text: str, sides: tuple[int, ...], c: int, ports: int) -> NDArray[np.int64]:
    check_size(text, math.prod(sides) * (1 + c), ports)
    switch = np.arange(math.prod(sides))
    strides = np.cumprod([1, *sides[:-1]], dtype=np.int64)
    return np.asarray(switch[:, None] // strides % sides)
