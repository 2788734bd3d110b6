"""Meshes, tori, twisted tori and hypercubes, also with several nodes at a switch; HyperX."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid, check_sides, grid, spell
from netplace.topologies.limits import check_size


def mesh(sizes: Sequence[int]) -> Grid:
    """Return the mesh of these sides, X first.

    W. J. Dally and B. Towles, "Principles and practices of interconnection networks", Morgan
    Kaufmann, 2004, chapter 5: a k-ary n-mesh, here with a size for each side.

    Examples
    --------
    >>> mesh((4, 3)).neighbours(5).tolist()
    [1, 4, 6, 9]
    """
    sides = check_sides(sizes, spell("mesh", sizes))
    return grid(spell("mesh", sides), sides, wraps=False)


def torus(sizes: Sequence[int]) -> Grid:
    """Return the torus of these sides, X first. A side of 2 has two parallel links, and a side of 1 has none.

    W. J. Dally and C. L. Seitz, "The torus routing chip", Distributed Computing 1 (1986) 187-196: a k-ary
    n-cube, here with links in both directions and a size for each side.

    Examples
    --------
    >>> torus((4, 3)).neighbours(0).tolist()
    [1, 3, 4, 8]
    """
    sides = check_sides(sizes, spell("torus", sizes))
    return grid(spell("torus", sides), sides, wraps=True)


def twisted_torus(sizes: Sequence[int], twist: int | None = None) -> Grid:
    """Return the twisted torus of two sides or more, X first, each at least 2.

    J. M. Cámara, M. Moretó, E. Vallejo, R. Beivide, J. Miguel-Alonso, C. Martínez and J. Navaridas, "Twisted
    torus topologies for enhanced interconnection networks", IEEE Transactions on Parallel and Distributed
    Systems 21 (2010) 1765-1778. A packet that crosses the end of Y, Z, .. is shifted along X by the twist,
    which is less than X. On 2a x a or 2a x a x a nodes (the prismatic doubly twisted torus), a twist of a
    loads the links of all dimensions equally. The default twist is Y; if X is not longer than Y, the twist is
    required.

    Examples
    --------
    >>> twisted_torus((8, 4)).diameter
    4
    """
    sides = check_sides(sizes, spell("twisted", sizes))
    text = spell("twisted", sides)
    if len(sides) < 2:
        raise ValueError(f"{text}: {len(sides)} side given, expected at least two for a twisted torus")
    if min(sides) < 2:
        raise ValueError(f"{text}: a side of 1 has no ring, expected sides of at least 2")
    width, height = sides[:2]
    if twist is None and width <= height:
        raise ValueError(
            f"{text}: twisted by its shorter side needs X longer than Y, "
            f"expected a twist such as {text}+{(width + 1) // 2}"
        )
    twist = height if twist is None else check_int(twist, f"{text}: twist")
    if twist >= width:
        raise ValueError(f"{text}: twist {twist} is too large, expected less than the {width} nodes along X")
    if twist != height:
        text = f"{text}+{twist}"
    return grid(text, sides, wraps=True, twist=twist)


def hypercube(n: int) -> Grid:
    """Return the binary hypercube of `n` dimensions, a mesh with sides of 2.

    H. Sullivan and T. R. Bashkow, "A large scale, homogeneous, fully distributed parallel machine", ISCA
    1977.

    Examples
    --------
    >>> hypercube(10).nodes, hypercube(10).diameter
    (1024, 10)
    """
    n = check_int(n, "hypercube: n")
    check_size(f"hypercube:{n}", 2 ** min(n, 64), 2 * n)
    return grid(f"hypercube:{n}", (2,) * n, wraps=False)


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
    return graph(text, cables, np.full(len(place), c), places=place, default_routing="dor")


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
    return graph(text, cables, np.full(len(place), c), places=place, default_routing="dor")


def _places(text: str, sides: tuple[int, ...], c: int, ports: int) -> NDArray[np.int64]:
    check_size(text, math.prod(sides) * (1 + c), ports)
    switch = np.arange(math.prod(sides))
    strides = np.cumprod([1, *sides[:-1]], dtype=np.int64)
    return np.asarray(switch[:, None] // strides % sides)
