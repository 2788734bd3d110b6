"""Expected bytes on each link of a mesh or torus, flow by flow: a flow loads only the links of its box."""

from __future__ import annotations

import numpy as np

from netplace.native import placement as native
from netplace.placement.rule import Nodes
from netplace.topologies import Grid

__all__ = ["grid_loads"]

_AT_ONCE = 4096  # flows of a call, after which an interrupt is seen


def grid_loads(grid: Grid, source: Nodes, target: Nodes, size: np.ndarray) -> np.ndarray:
    """Return the load of the link of each port, shape (nodes, ports), for equally likely minimal routes.

    A flow over g_d hops in dimension d passes the place o hops from its source, and from there on along d, by
    ``m(o) * m(g - o - e_d)`` of its ``m(g)`` minimal routes, where m are multinomial coefficients. If both
    ways around a ring have the same length, half of the flow takes each.

    Parameters
    ----------
    grid : Grid
        Grid without twist, with a diameter of at most 150, because factorials are stored as float64.
    source, target : ndarray of int64
        Nodes of each flow.
    size : ndarray of float64
        Bytes of each flow.
    """
    load = np.zeros((grid.nodes, 2 * grid.dims))
    factorial = np.cumprod(np.concatenate(([1.0], np.arange(1.0, grid.diameter + 1)))).astype(np.float64)
    starts, ends = grid.coordinates(source), grid.coordinates(target)
    size, sides = np.asarray(size, float), np.array(grid.sizes)
    for first in range(0, len(size), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        native.add_grid_loads(starts[part], ends[part], size[part], sides, grid.wraps, factorial, load)
    return load
