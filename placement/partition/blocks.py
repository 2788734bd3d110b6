"""The nodes of a box of a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netplace.placement.rule import Nodes
from netplace.topologies import Grid

__all__ = ["block"]


def block(grid: Grid, corner: Sequence[int], sides: Sequence[int]) -> Nodes:
    """Return the nodes of the box of these `sides` whose lowest corner is `corner`, in row order."""
    axes = [np.arange(low, low + side) for low, side in zip(corner, sides, strict=True)]
    places = np.stack(np.meshgrid(*axes[::-1], indexing="ij")[::-1], axis=-1)
    return grid.node(places.reshape(-1, grid.dims))
