"""Consecutive layers of a grid, for bands and planes."""

from __future__ import annotations

import numpy as np

from netplace.checks import whole
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["slabs"]


def slabs(request: PartitionRequest, layer: int, name: str, layer_name: str) -> list[Nodes]:
    """Return consecutive layers of `layer` nodes each: as many as a job needs, or the number in the option.

    Raises
    ------
    ValueError
        If the option is not a whole number, or there are not enough layers.
    """
    needed = [-(-size // layer) for size in request.sizes]
    if request.option:
        needed = [whole(request.option, f"partition {name}: {layer_name} of a job")] * len(request.sizes)
    there = request.topology.nodes // layer
    if sum(needed) > there:
        raise ValueError(
            f"partition {name}: {len(needed)} jobs need {sum(needed)} {layer_name}, "
            f"but {request.topology} has {there} of {layer} nodes"
        )
    ends = np.cumsum(needed)
    return [
        np.arange((end - count) * layer, end * layer)
        for count, end in zip(needed, ends.tolist(), strict=True)
    ]
