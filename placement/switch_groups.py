"""Tasks that share a switch or a compute node."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from netplace.topologies import Topology

__all__ = ["switch_groups"]


def switch_groups(topology: Topology, nodes: ArrayLike) -> tuple[int, ...]:
    """Return the switch (or the compute node with several tasks) to which each of `nodes` belongs.

    The result is empty if nodes are routers themselves, as on meshes and tori.
    """
    chosen = topology.check_nodes(nodes)
    if topology.routers == topology.nodes:
        return ()
    # Of several links the first one: a node has one to each switch of its rail or plane.
    first = np.argmax(topology.neighbor[chosen] >= 0, axis=1)
    return tuple(topology.neighbor[chosen, first].tolist())
