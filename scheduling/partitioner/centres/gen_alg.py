"""Gen-Alg: the free nodes nearest to the free node around which they lie closest together.

Source: S. O. Krumke et al., "Compact location problems", Theoretical Computer Science 181 (1997), as
described by M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
section 1. The sum over pairs is at most 2 - 2/k times the least.
"""

from __future__ import annotations

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.median import closest
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["gen_alg"]


def gen_alg(space: Space, free: Nodes, size: int) -> Selection:
    """Return what Gen-Alg chooses."""
    return closest(space, free, free, size)
