"""Times of packets through an empty network, by the first way of the routing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.table_router import make_table_router, uses_table_router
from netplace.topologies import Topology

Int = NDArray[np.int64]


def empty_cycles(topology: Topology, config: Config, sources: Int, targets: Int) -> Int:
    """Return the cycles from creation to consumption of the tail, for pairs of different nodes.

    If the table router simulates the network, this includes cables, pipelines and slow links, on the way of
    the first ports in the tables.
    """
    if not uses_table_router(topology, config):
        return np.asarray(topology.distance(sources, targets) * config.hop_delay + config.packet_phits - 1)
    table = make_table_router(topology, config)
    first, home = table.switches.first, table.switches.home
    here, there = home[sources].astype(np.int64), home[targets].astype(np.int64)
    cycles = np.full(len(sources), table.injected + config.packet_phits - 1)
    if not table.switches.direct:
        cycles += table.delay[sources, 0] + table.delay[first + there, table.node_port[targets]]
    under_way = np.flatnonzero(here != there)
    while len(under_way):
        switch = here[under_way]
        port = table.routes.ports[switch, there[under_way], 0]
        cycles[under_way] += table.delay[first + switch, port]
        here[under_way] = table.switches.neighbor[switch, port]
        under_way = under_way[here[under_way] != there[under_way]]
    return cycles
