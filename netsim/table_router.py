"""The constants of the table router for both engines, see docs/background/model-tables.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.cable_cycles import (
    check_kinds,
    credit_lags,
    first_switch,
    further_cycles,
    pipeline_cycles,
)
from netplace.netsim.config import Config
from netplace.topologies import Graph, Grid, Topology
from netplace.topologies.routing import Routes, Switches, Verdict, barred, check, make_routes, reach, rises


def uses_table_router(topology: Topology, config: Config) -> bool:
    """Return whether the table router simulates a network: not a grid or tree with default settings."""
    return (
        isinstance(topology, Graph) or config.routing != "default" or bool(config.faults) or config.fabric_set
    )


@dataclass(frozen=True, eq=False)
class TableRouter:
    # Switches, numbered from 0, and the routing.
    switches: Switches
    routes: Routes
    # First virtual channel of each level, and the one after its last.
    low: tuple[int, ...]
    high: tuple[int, ...]
    # Shape (switches, ports): increase of the level on each link, and the class of the link.
    step: NDArray[np.int64]
    kind: NDArray[np.int64]
    anew: bool  # whether the level returns to 0 in another class
    base: int  # levels below those of a packet that heads for its destination
    via: NDArray[np.int32]  # shape (switches or 1, n): intermediate switches
    # Shape (switches,): place of each switch, or of its group, among them, or -1. A packet that chooses draws
    # neither its own nor its destination's.
    place: NDArray[np.int32]
    # Shape (routers,): number of ports of each router, including unwired ones below the last.
    ports: NDArray[np.int64]
    # Shape (nodes,): switch of each node, or of its compute node, in the first plane; -1 if it has been cut
    # off.
    gate: NDArray[np.int64]
    # Shape (nodes,): port of its switch to which each node is connected; -1 on a direct network.
    node_port: NDArray[np.int64]
    # Shape (routers, ports): cycles per phit of each link, and cycles from a header's departure to its first
    # request beyond it.
    cycles: NDArray[np.int64]
    delay: NDArray[np.int64]
    lag: NDArray[np.int64]  # shape (routers, ports): delay in cycles until room beyond each link is known
    injected: int  # cycles from a packet's creation to its first request
    ordered: bool  # whether packets of a flow keep their order

    @cached_property
    def hops(self) -> NDArray[np.int32]:
        """Links between switches on the longest way that the table allows, shape (switches, switches)."""
        return reach(self.switches, self.routes.ports, self.step, self.routes.name).hops

    @property
    def spread(self) -> str:
        """The rule by which a packet takes one of several ports; an ordered flow always takes the same."""
        return "flow" if self.ordered and self.routes.spread == "least" else self.routes.spread

    def leads(self, router: int, node: int) -> bool:
        """Return whether packets in a router can reach a node; in one of several planes they may not."""
        switch = router - self.switches.first
        return switch < 0 or bool(self.hops[switch, self.switches.home[node]] >= 0)


@lru_cache(maxsize=4)
def verdict_on(topology: Topology, routing: str, discipline: str) -> tuple[Switches, Routes, Verdict]:
    name, kind = ("" if word == "default" else word for word in (routing, discipline))
    switches, routes = make_routes(topology, name, kind)
    return switches, routes, check(switches, routes)


def vcs_that_do(topology: Topology, routing: str) -> int:
    """Return the number of virtual channels that makes a routing free of deadlock with one more per hop."""
    return verdict_on(topology, routing, "hop")[2].needed


def make_table_router(topology: Topology, config: Config) -> TableRouter:
    switches, routes, verdict = verdict_on(topology, config.routing, config.vc_discipline)
    if not verdict.free and not config.allow_deadlock:
        enough = vcs_that_do(topology, config.routing)
        raise ValueError(
            f"routing {routes.name} on {topology}: packets can deadlock in a cycle of {len(verdict.cycle)} "
            f"channels; {enough} VCs suffice (--vc-discipline hop --vcs {enough}); netplace check network "
            f"shows the cycle, and --allow-deadlock simulates the routing anyway"
        )
    if config.vcs < verdict.needed:
        raise ValueError(
            f"vcs: {config.vcs} virtual channels are too few for routing {routes.name} on {topology}, "
            f"which needs {verdict.needed} (--vcs {verdict.needed})"
        )
    if config.ordered_flows:
        _check_order(topology, routes)
    check_kinds(topology, config)
    step, kind = rises(switches, routes)
    bounds = _bounds(routes, verdict, config.vcs)
    via = np.arange(switches.count, dtype=np.int32)[None, :] if routes.via is None else routes.via
    cycles, delay = paces(topology, config)
    if config.buffer_phits and cycles.max() > 1:
        raise ValueError(
            f"buffer_phits: {topology} has links with {cycles.max()} cycles per phit, expected 1 under "
            f"wormhole switching"
        )
    return TableRouter(
        switches=switches,
        routes=routes,
        low=bounds[:-1],
        high=bounds[1:],
        step=step.astype(np.int64),
        kind=kind.astype(np.int64),
        anew=routes.anew,
        base=verdict.base,
        via=via,
        place=barred(switches, routes).astype(np.int32),
        ports=ports_of(topology),
        gate=switches.gate,
        node_port=_node_ports(topology, switches),
        cycles=cycles,
        delay=delay,
        lag=credit_lags(topology, config),
        injected=config.pipeline if first_switch(topology) == 0 else 0,
        ordered=config.ordered_flows,
    )


def _check_order(topology: Topology, routes: Routes) -> None:
    """Raise ``ValueError`` if packets of a flow could not keep their order because they choose."""
    escapes = "can change to the escape channel at any switch" if routes.escape is not None else ""
    turns = "can change their route at any switch of their group" if routes.choice == "par" else ""
    if escapes or turns:
        raise ValueError(
            f"ordered_flows: under routing {routes.name} on {topology} packets {escapes or turns} and "
            f"overtake each other; expected a routing that fixes the route at the first switch, such as "
            f"minimal"
        )


def _bounds(routes: Routes, verdict: Verdict, vcs: int) -> tuple[int, ...]:
    """Return the first virtual channel of every level, and the number of channels."""
    if routes.escape is not None:
        return (1, vcs)
    levels = verdict.needed
    return tuple(-(-level * vcs // levels) for level in range(levels + 1))


def paces(topology: Topology, config: Config) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cycles per phit and the delay of each link, as `TableRouter` stores them."""
    cycles = np.ones(topology.neighbor.shape, np.int64)
    if isinstance(topology, Graph):
        cycles = topology.cycles.astype(np.int64)
    delay = config.hop_delay + further_cycles(topology, config) + pipeline_cycles(topology, config)
    return cycles, delay + (cycles - 1) * (config.packet_phits - 1)


def ports_of(topology: Topology) -> NDArray[np.int64]:
    """Return the number of ports of each router; on a grid, it is the same everywhere."""
    if isinstance(topology, Grid):
        return np.full(topology.routers, topology.ports)
    ports = np.zeros(topology.routers, np.int64)
    router, port, end, entry = topology.links().T.astype(np.int64)
    np.maximum.at(ports, router, port + 1)
    np.maximum.at(ports, end, entry + 1)
    return ports


def _node_ports(topology: Topology, switches: Switches) -> NDArray[np.int64]:
    if switches.direct:
        return np.full(topology.nodes, -1, np.int64)
    return topology.entry[: topology.nodes, 0].astype(np.int64)
