"""What an algorithm that looks at distances chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["Choose", "Selection"]


@dataclass(frozen=True, eq=False)
class Selection:
    """Nodes for a job, and why.

    Attributes
    ----------
    nodes : ndarray of int64, shape (size,)
        The nodes, in increasing order.
    cost : int
        What the algorithm minimized: a sum of shell numbers, or of distances over pairs.
    centre : int or None
        Node around which they lie; it may be held by another job.
    """

    nodes: Nodes
    cost: int
    centre: int | None = None


Choose = Callable[[Space, Nodes, int], Selection]
"""Takes the network, the free nodes in increasing order, and how many of them are needed."""
