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
    stride, repeat, rest = 1, 1, base
    for d in range(len(sizes)):
        start, rest = rest % sizes[d], rest // sizes[d]
        for i in range(count):
            nodes[i] += (start + i // repeat % shape[d]) % sizes[d] * stride
        stride *= sizes[d]
        repeat *= shape[d]
    return nodes
