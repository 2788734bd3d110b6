"""Parts of a network for one job after the other, without those with too few compute nodes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["in_turn"]


def in_turn(request: PartitionRequest, parts: Iterable[Nodes]) -> list[Nodes]:
    """Return the next of `parts` for each job, without those that service nodes make too small.

    The result can be shorter if there are no more parts. A part that would be too small even without service
    nodes is used.
    """
    left = list(parts)
    parts_taken: list[Nodes] = []
    for size in request.sizes:
        fits = (n for n, part in enumerate(left) if len(part) < size or _computing(request, part) >= size)
        place = next(fits, None)
        if place is None:
            break
        parts_taken.append(left.pop(place))
    return parts_taken


def _computing(request: PartitionRequest, part: Nodes) -> int:
    service = request.topology.service
    return len(part) - int(np.isin(part, service).sum() if len(service) else 0)
