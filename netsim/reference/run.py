"""The reference engine: nodes, jobs and open-loop traffic around a fabric, cycle by cycle."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Never

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.config import Config
from netplace.netsim.delays import BINS, bin_of
from netplace.netsim.engine import Blocked, Counters, Exit, JobRecord, Traffic
from netplace.netsim.fabric_texts import read_congestion
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.failing import Outage
from netplace.netsim.reference.graphs import RoutedPacket
from netplace.netsim.reference.grids import GridRouting
from netplace.netsim.reference.interface import Interface
from netplace.netsim.reference.job import Job
from netplace.netsim.reference.messages import JobLoad
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.packet_life import PacketLife
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.rates import ControlledNode, Feedback
from netplace.netsim.reference.router import Link, Output, make_routers
from netplace.netsim.reference.routing import Routing
from netplace.netsim.reference.sources import Sources
from netplace.netsim.reference.stall_attribution import StallAttribution
from netplace.netsim.reference.table_fabric import TableFabric
from netplace.netsim.reference.trees import TreeRouting
from netplace.netsim.reference.wormhole import WormholeFabric
from netplace.netsim.table_router import TableRouter, make_table_router, uses_table_router
from netplace.topologies import Grid, Topology, Tree


def make_fabric(
    topology: Topology, config: Config, seed: int, deliver: Callable[[Packet, int], None]
) -> Fabric:
    """Return the routers, links and routing of a network; `deliver` receives packets and cycles."""
    if uses_table_router(topology, config):
        kind = WormholeFabric if config.buffer_phits else TableFabric
        return kind(topology, make_table_router(topology, config), config, seed, deliver)
    ports = [topology.ports] * topology.routers
    if isinstance(topology, Tree):
        ports[: topology.nodes] = [1] * topology.nodes
    routers = make_routers(topology, config, ports, lambda outputs: Link(outputs, config.hop_delay))
    return Fabric(topology, routers, _routing_of(topology, config, seed), config, deliver)


def _routing_of(topology: Topology, config: Config, seed: int) -> Routing:
    if isinstance(topology, Grid):
        return GridRouting(topology, config, seed)
    if isinstance(topology, Tree):
        return TreeRouting(topology, config, seed)
    raise ValueError(f"network {topology}: no routing for this kind of network, expected a grid or a tree")


class ReferenceEngine:
    """A network simulated phit by phit; see `netplace.netsim.engine.Engine` for the interface.

    Time is counted in cycles from 0. In each cycle, tasks act (as SimPy processes), nodes create packets and
    fill their injection FIFOs, and then the fabric requests, grants and moves phits.
    """

    def __init__(
        self,
        topology: Topology,
        config: Config,
        seed: int,
        record_messages: bool = True,
        explain: bool = False,
    ) -> None:
        self.now = 0  # next cycle to simulate; while nothing happens, the caller can advance it
        self._topology = topology
        self._config = config
        self._seed = seed
        self._records = record_messages
        self._clock = Clock(self._cycle)
        self._active: dict[Node, None] = {}
        self._fabric = make_fabric(topology, config, seed, self._delivered)
        kind = ControlledNode if isinstance(self._fabric, TableFabric) else Interface
        self._nodes = [
            kind(number, self._fabric, self._clock, config, self._rouse) for number in range(topology.nodes)
        ]
        self._feedback = Feedback(self._nodes, read_congestion(config.congestion_control))
        self._attribution: StallAttribution | None = None
        if explain:
            self._attribution = self._fabric.observer = StallAttribution(topology.neighbor.shape)
        self._jobs: dict[int, Job] = {}
        self._installed = 0
        self._sources: Sources | None = None
        self._job_ended = False
        self._ended = 0  # packets consumed or thrown away
        self.reset_counters()

    repeats = False
    stands = False

    def follow(self, source: int, destination: int, number: int) -> PacketLife:
        """Return the life of a packet, which is recorded from now on; nothing else observes the fabric."""
        life = PacketLife(self._topology, self._nodes[source], destination, number)
        self._fabric.observer = life
        return life

    def install(
        self, program: Program, nodes: NDArray[np.int64], times: int = 1, identity: int | None = None
    ) -> int:
        job = Job(
            self._installed,
            self._installed if identity is None else identity,
            program,
            [self._nodes[node] for node in nodes.tolist()],
            self._clock,
            self._config,
            self.now,
            self._message_delivered,
            self._note_end,
            self._records,
        )
        self._jobs[job.number] = job
        self._installed += 1
        return job.number

    def end(self, number: int) -> int:
        return self._jobs[number].end

    def _unrepeated(self, number: int, *given: object) -> Never:
        raise ValueError(f"job {number}: the reference engine does not repeat programs")

    rounds = laps = skip = _unrepeated

    def stop(self, number: int) -> None:
        self._jobs[number].stop(self.now)

    def drained(self, number: int) -> bool:
        job = self._jobs[number]
        return job.end >= 0 and job.in_flight == 0 and not any(task.node.owes(number) for task in job.tasks)

    def forget(self, number: int) -> None:
        del self._jobs[number]

    def generate(self, traffic: Traffic | None) -> None:
        if self._sources is not None:
            self._sources.stop()
            self._sources = None
        if traffic is not None:
            self._sources = Sources(traffic, self._nodes, self._clock, self._seed)
            self._sources.start(self.now)

    def run(self, until: int) -> Exit:
        while not self._job_ended:
            if self._idle:
                return Exit.IDLE
            if self._clock.env.peek() >= until:
                self.now = max(self.now, until)
                return Exit.REACHED
            self.now = max(self.now, self._clock.step() + 1)
        self._job_ended = False
        return Exit.JOB_ENDED

    def job(self, number: int, before: int | None = None) -> JobRecord:
        return self._jobs[number].record(self.now if before is None else before)

    def counters(self) -> Counters:
        return dataclasses.replace(
            self._totals,
            created=self._created_ever - self._created_before,
            link_packets=self._fabric.link_packets.copy(),
            link_cycles=self._fabric.link_cycles.copy(),
            packet_delays=self._totals.packet_delays.copy(),
            message_delays=self._totals.message_delays.copy(),
            events=self._fabric.phits,
        )

    def reset_counters(self) -> None:
        self._created_before = self._created_ever
        self._fabric.link_packets[:] = self._fabric.link_cycles[:] = 0
        self._fabric.phits = 0
        self._fabric.observer.begins(self._fabric, self.now)
        if self._attribution is not None:
            self._attribution.reset()
        packet_delays, message_delays = np.zeros((2, BINS), np.int64)
        links = self._fabric.link_packets, self._fabric.link_cycles
        self._totals = Counters(0, 0, *links, packet_delays, message_delays)

    @property
    def in_flight(self) -> int:
        return self._created_ever - self._ended

    @property
    def _created_ever(self) -> int:
        return sum(node.created for node in self._nodes)

    def blocked(self) -> Blocked:
        tasks = [
            (job.number, task.number, task.step.operation, task.waits_for)
            for job in self._jobs.values()
            for task in job.tasks
            if task.end < 0
        ]
        fifos = []
        for fifo in self._fabric.waiting:
            outputs = fifo.head.candidates if fifo.head else []
            wants = [(o.fifo.router.number, o.fifo.number) for o in outputs if o.fifo is not None]
            fifos.append((fifo.router.number, fifo.number, len(fifo.packets), wants))
        return Blocked(tasks, sorted(fifos))

    def _outputs(self) -> list[Output]:
        return [output for router in self._fabric.routers for output in (*router.outputs, router.consumption)]

    def pointers(self) -> tuple[NDArray[np.int16], ...]:
        outputs = [output.pointer for output in self._outputs()]
        links = [pointer for link in self._fabric.links for pointer in link.state]
        return np.array(outputs, np.int16), np.array(links, np.int16)

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        outputs, links = (iter(numbers.tolist()) for numbers in pointers)
        for output in self._outputs():
            output.pointer = next(outputs)
        for link in self._fabric.links:
            link.state = [next(links) for _ in link.state]

    @property
    def quiet_since(self) -> int:
        return self._clock.quiet_since

    @property
    def _idle(self) -> bool:
        """Whether nothing will happen again without a new job."""
        return not (self._clock.ticking or self._clock.runnable)

    def _cycle(self, now: int) -> bool:
        """Move nodes and network through cycle `now`; return whether they can do anything in the next one."""
        self._feedback.arrive(now)
        for node in list(self._active):
            node.act(now)
            if not node.active:
                del self._active[node]
        goes_on = self._fabric.cycle(now)
        if self._fabric.moved:
            self._clock.stir(now)
        return goes_on or self._feedback.due(now) or any(node.hopeful for node in self._active)

    def _rouse(self, node: Node) -> None:
        self._active[node] = None
        self._clock.wake()

    def fail(
        self, table: TableRouter, dead: NDArray[np.bool_], down: NDArray[np.bool_], again: bool
    ) -> tuple[int, int, list[int]]:
        assert isinstance(self._fabric, TableFabric)
        self._fabric.observer.begins(self._fabric, self.now)
        outage = Outage(self._fabric, table, dead, down, again)
        for node in self._nodes:
            for packet in [packet for injector in node.injectors for packet in injector.buffer]:
                if outage.nowhere(packet, node.number):
                    outage.lose(packet)
        self._fabric.route(self._config, table)
        self._clock.wake(self.now - self._clock.now)
        return outage.lost, outage.again, [number for number in self._jobs if number in outage.losers]

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        assert isinstance(self._fabric, TableFabric)
        self._fabric.pace(cycles, delay)

    def _delivered(self, packet: Packet, now: int) -> None:
        if isinstance(packet, RoutedPacket):
            self._ended += packet.counted
            if packet.gone:
                if packet.counted and isinstance(packet.load, JobLoad):
                    packet.load.thrown_away()
                return
            self._feedback.consumed(packet, now)
        else:
            self._ended += 1
        totals = self._totals
        totals.delivered += 1
        totals.last_delivery = now
        totals.packet_delays[bin_of(now - packet.created)] += 1
        totals.packet_delay_sum += now - packet.created
        packet.load.consumed(now)

    def _message_delivered(self, delay: int) -> None:
        self._totals.message_delays[bin_of(delay)] += 1
        self._totals.message_delay_sum += delay

    def waiting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        return self._charged().counts(self._installed)

    def watch(self, number: int) -> None:
        self._charged().watch(number)

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        return self._charged().watched()

    def _charged(self) -> StallAttribution:
        """Return the attribution of all waiting before the next cycle."""
        assert self._attribution is not None
        self._attribution.begins(self._fabric, self.now)
        return self._attribution

    def _note_end(self) -> None:
        self._job_ended = True
