"""Faults at a cycle: the remaining network, and reports; see docs/background/model-faults.md."""

from __future__ import annotations

from dataclasses import dataclass, replace

from netplace.netsim.config import Config
from netplace.netsim.fault_text import Fault
from netplace.netsim.table_router import TableRouter, make_table_router
from netplace.topologies import Graph, Topology
from netplace.topologies.faults import failing


@dataclass(frozen=True)
class FaultReport:
    """The effects of a fault.

    Attributes
    ----------
    at : int
        Cycle of the fault.
    links, routers : int
        Numbers of links that failed in this fault, and of routers that have been down or cut off since then.
    slow : int
        Number of links whose cycles per phit changed.
    nodes : tuple of int
        Nodes that were cut off.
    jobs : tuple of int
        Jobs with a task on one of these nodes, which were stopped.
    lost, again : int
        Numbers of packets lost, and of packets that a router sends again.
    losers : tuple of int
        Jobs that continue and have lost packets; tasks that wait for these packets wait forever.
    routing : str
        Routing after the fault.
    """

    at: int
    links: int
    routers: int
    slow: int
    nodes: tuple[int, ...]
    jobs: tuple[int, ...]
    lost: int
    again: int
    losers: tuple[int, ...]
    routing: str

    def __str__(self) -> str:
        slower = f"{self.slow} links change speed"
        if not (self.links or self.routers):
            return f"cycle {self.at}: {slower}; routing {self.routing}"
        down = f"{self.links} links and {self.routers} routers down"
        words = [f"cycle {self.at}: {down}" + (f", {slower}" if self.slow else "")]
        if self.nodes:
            shown = ", ".join(map(str, self.nodes[:8])) + (", .." if len(self.nodes) > 8 else "")
            words.append(f"nodes cut off: {shown}")
        if self.jobs:
            words.append(f"jobs stopped: {', '.join(map(str, self.jobs))}")
        words.append(f"{self.lost} packets lost, {self.again} sent again")
        if self.losers:
            words.append(f"jobs that lost packets: {', '.join(map(str, self.losers))}")
        return "; ".join([*words, f"routing {self.routing} from then on"])


def after_fault(topology: Topology, fault: Fault) -> Graph:
    try:
        return failing(
            topology,
            down=fault.link,
            off=fault.router,
            slowed=fault.slow_link,
            links=fault.links,
            routers=fault.routers,
            slow=fault.slow,
            seed=fault.seed,
            slow_cycles=fault.cycles,
        )
    except ValueError as error:
        raise ValueError(f"faults at cycle {fault.at}: {error}") from None


def rerouted(topology: Graph, config: Config) -> TableRouter:
    """Return the routing for the remaining network: the same as before, or one that is free of deadlock.

    The previous routing is replaced if it is not defined any more, does not lead everywhere, needs more
    virtual channels than there are, or is not free of deadlock. The replacement is shortest ways with an
    escape channel, or up*/down* with a single virtual channel.
    """
    try:
        table = make_table_router(topology, replace(config, allow_deadlock=False))
    except ValueError:
        anywhere = "adaptive" if config.vcs > 1 else "up-down"
        table = make_table_router(topology, replace(config, routing=anywhere, vc_discipline="default"))
    return _from_any_switch(table)


def _from_any_switch(table: TableRouter) -> TableRouter:
    """Return a routing in which packets can also start at switches on their way."""
    # From there ways may be longer than from any node; beyond the highest level a packet stays on it.
    more = 3 * int(table.hops.max())  # through a group, to an intermediate switch, and on
    return replace(table, low=table.low + table.low[-1:] * more, high=table.high + table.high[-1:] * more)
