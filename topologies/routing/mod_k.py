"""D-mod-K: on trees the way up is by the destination's number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.minimal import all_minimal
from netplace.topologies.routing.routes import table
from netplace.topologies.routing.switches import Switches

__all__ = ["d_mod_k"]


def d_mod_k(switches: Switches) -> NDArray[np.int16]:
    """Return the table in which a packet goes up by port ⌊destination / parents below⌋ mod parents.

    E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
    collectives", J. Parallel Distrib. Comput. 72 (2012) 1423-1432. Tables are by destination switch here, so
    all nodes of a leaf switch share the way up; the destination counts among the leaf switches. Going down,
    where there are several links to the next switch, it is number destination mod how many.

    Raises
    ------
    ValueError
        If the network is no tree of levels.
    """
    if switches.places is None or switches.axis is not None or switches.group is not None:
        raise ValueError(f"{switches.text}: no tree of levels, which routing d-mod-k needs; use up-down")
    level = switches.places[:, 0]
    every = all_minimal(switches)
    count = np.maximum(1, (every >= 0).sum(axis=2))
    leaf = np.zeros(switches.count, np.int64)
    leaf[switches.with_nodes] = np.arange(len(switches.with_nodes))
    parents = [
        max(
            1,
            int(
                ((switches.neighbor >= 0) & (level[switches.neighbor] > step))
                .sum(axis=1)[level == step]
                .max()
            ),
        )
        for step in range(1, int(level.max()) + 1)
    ]
    reach = np.cumprod([1, *parents])[level - 1]
    which = leaf[None, :] // reach[:, None] % count
    return table(np.take_along_axis(every, which[:, :, None], axis=2))
