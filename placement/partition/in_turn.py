"""Parts of a network for one job after the other, passing over those with too few nodes that compute."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["in_turn"]


def in_turn(request: PartitionRequest, parts: Iterable[Nodes]) -> list[Nodes]:
    """Return the first of `parts` that is left for each job, leaving those that service nodes make too small.

    May end early, if there are no more. A part that would be too small without service nodes is taken.
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
