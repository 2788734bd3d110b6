"""Nodes of a box, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

__all__ = ["box_nodes"]


@njit(cache=True)
def box_nodes(sizes: Any, base: int, shape: Any) -> Any:
    """Return the nodes of a box, with X fastest, from the base on and round the rings.

    Parameters
    ----------
    sizes, shape : ndarray of int64, shape (dims,)
        Sides of the network and of the box.
    base : int
        Node from which the box extends upwards in every dimension.
    """
    count = 1
    for s in shape:
        count *= s
    nodes = np.zeros(count, np.int64)
    stride, filled = 1, 1  # the box of the dimensions so far
    for d in range(len(sizes)):
        start, base = base % sizes[d], base // sizes[d]
        for step in range(shape[d] - 1, -1, -1):
            place = start + step if start + step < sizes[d] else start + step - sizes[d]
            for i in range(filled):
                nodes[step * filled + i] = nodes[i] + place * stride
        stride *= sizes[d]
        filled *= shape[d]
    return nodes
