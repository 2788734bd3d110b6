"""The routers of a network, their links, and its routing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.reference.graphs import GraphRouting
from netplace.netsim.reference.grids import GridRouting
from netplace.netsim.reference.router import Link, Router
from netplace.netsim.reference.routing import Routing
from netplace.netsim.reference.trees import TreeRouting
from netplace.netsim.table_router import TableRouter, make_table_router, uses_table_router
from netplace.topologies import Grid, Topology, Tree


def routing_of(topology: Topology, config: Config, seed: int) -> Routing:
    if isinstance(topology, Grid):
        return GridRouting(topology, config, seed)
    if isinstance(topology, Tree):
        return TreeRouting(topology, config, seed)
    raise ValueError(f"network {topology}: no routing for this kind of network, expected a grid or a tree")


def make_routers(
    topology: Topology, config: Config, seed: int
) -> tuple[Routing, list[Router], NDArray[np.int64], NDArray[np.int64]]:
    """Return the routing, the routers, and the cycles per phit and the delay of each link."""
    if uses_table_router(topology, config):
        table = make_table_router(topology, config)
        routers = _routers(topology, config.of_all_classes, table.ports)
        _delay_credits(routers, topology, config.of_all_classes, table)
        return GraphRouting(table, config, seed, routers), routers, table.cycles, table.delay
    ports = np.full(topology.routers, topology.ports)
    if isinstance(topology, Tree):
        ports[: topology.nodes] = 1
    shape = topology.neighbor.shape
    routers = _routers(topology, config, ports)
    return (
        routing_of(topology, config, seed),
        routers,
        np.ones(shape, np.int64),
        np.full(shape, config.hop_delay, np.int64),
    )


def _routers(topology: Topology, config: Config, ports: NDArray[np.int64]) -> list[Router]:
    """Return the routers of a network, not yet wired, with the given numbers of ports."""
    return [
        Router(number, count, config.injectors if number < topology.nodes else 0, config)
        for number, count in enumerate(ports.tolist())
    ]


def _delay_credits(routers: list[Router], topology: Topology, config: Config, table: TableRouter) -> None:
    """Tell every FIFO the delay after which the previous router knows about room."""
    for number, port, end, entry in topology.links().tolist():
        for vc in range(config.vcs):
            routers[end].fifos[entry * config.vcs + vc].lag = int(table.lag[number, port])


def join(
    routers: list[Router],
    topology: Topology,
    config: Config,
    cycles: NDArray[np.int64],
    delay: NDArray[np.int64],
) -> None:
    """Connect outputs to the FIFOs at the other ends of their links."""
    rings = isinstance(topology, Grid) and not uses_table_router(topology, config)
    for number, port in np.argwhere(topology.neighbor >= 0).tolist():
        neighbor = routers[topology.neighbor[number, port]]
        entry = int(topology.entry[number, port]) * config.vcs
        outputs = routers[number].outputs[port * config.vcs : (port + 1) * config.vcs]
        for output in outputs:
            output.fifo = neighbor.fifos[entry + output.vc]
            output.ring = rings and (output.vc == 0 or config.vc_policy == "oblivious")
        Link(
            outputs, int(cycles[number, port]), int(delay[number, port]), read_classes(config.traffic_classes)
        )
