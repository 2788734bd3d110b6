"""Domains of a network, each of which one thread simulates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies import Graph, Grid, Topology, Tree

DAWDLE = 0  # 1: threads lose time by chance, which tests let them do


def cut(topology: Topology, count: int) -> NDArray[np.int8]:
    """Return the domain of each router: slabs of a grid, subtrees, or ranges of switches with their nodes."""
    if isinstance(topology, Grid):
        layers = topology.sizes[-1]
        if layers >= 2 * count:
            layer = np.arange(topology.routers) // (topology.routers // layers)
            return _shares(layer, layers, count)
        return _shares(np.arange(topology.routers), topology.routers, count)
    if isinstance(topology, Tree):
        stages = [_shares(np.arange(switches), switches, count) for switches in topology.switches_per_stage]
        leaf = np.arange(topology.nodes) // topology.down
        return np.concatenate([stages[0][leaf], *stages])
    assert isinstance(topology, Graph)
    switches = topology.routers - topology.first_switch
    share = _shares(np.arange(switches), switches, count)
    if topology.first_switch == 0:
        return share
    return np.concatenate([share[topology.home - topology.first_switch], share])


def _shares(place: NDArray[np.int64], places: int, count: int) -> NDArray[np.int8]:
    return (place * count // places).astype(np.int8)
