"""A choice improved by swaps of a chosen for a free node, each the best there is, to a local minimum.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
section 5, where MM is so improved (MM+Inc); which swap is made is not said there: the best, ours.
"""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.nearest import improve
from netplace.scheduling.partitioner.centres.selection import Choose, Selection
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["improved"]


def improved(choose: Choose) -> Choose:
    """Return the algorithm that improves what `choose` chooses; its center stays that of the beginning."""

    def choose_and_swap(space: Space, free: Nodes, size: int) -> Selection:
        first = choose(space, free, size)
        nodes, others = first.nodes.copy(), np.setdiff1d(free, first.nodes, assume_unique=True)
        gain = improve(space.axes, nodes, others)
        return Selection(nodes, first.cost - int(gain), first.centre)

    return choose_and_swap
