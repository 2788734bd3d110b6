"""The free nodes of least sum over pairs, exactly, by branch and bound; for small machines.

What M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section
6, call greedy: the best for this job, blind to later ones. Of several choices it is the first in
lexicographic order.
"""

from __future__ import annotations

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.gen_alg import gen_alg
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import Space
from netplace.scheduling.partitioner.centres.swaps import improved

__all__ = ["MOST_FREE", "optimal"]

MOST_FREE = 128  # free nodes
_STEPS = 50_000_000  # of the search; some tens of seconds
_good = improved(gen_alg)


def optimal(space: Space, free: Nodes, size: int) -> Selection:
    """Return the best choice there is."""
    if len(free) > MOST_FREE:
        raise ValueError(
            f"partitioner optimal: {len(free)} nodes are free on {space.topology}, "
            f"expected at most {MOST_FREE}"
        )
    known = _good(space, free, size)
    distance = space.hops(free[:, None], free).astype(np.int64)
    # near[v, r]: the sum of the r least distances from v to other free nodes.
    near = np.cumsum(np.sort(distance, axis=1), axis=1)
    chosen, cost, steps = native.best_subset(distance, near, size, known.cost, _STEPS)
    if steps >= _STEPS:
        raise ValueError(
            f"partitioner optimal: gave up on {size} of {len(free)} free nodes after {_STEPS:,} steps, "
            "expected a smaller job or machine"
        )
    return Selection(free[chosen], cost)
