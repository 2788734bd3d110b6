"""The reference engine: nodes, jobs and open-loop traffic around a fabric, cycle by cycle."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray
from simpy.events import ProcessGenerator

from netplace.apps import Program
from netplace.netsim.chance import GAP, HOT_SPOT, TARGET, draw, gap, pick
from netplace.netsim.config import Config
from netplace.netsim.congestion import read_congestion
from netplace.netsim.delays import BINS, bin_of
from netplace.netsim.engine import Blocked, Counters, Exit, JobRecord, Traffic
from netplace.netsim.laps import Laps
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.failing import Outage
from netplace.netsim.reference.graphs import GraphRouting
from netplace.netsim.reference.job import Job
from netplace.netsim.reference.messages import Load, Packet
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.stall_attribution import StallAttribution
from netplace.netsim.reference.wormhole import WormholeFabric
from netplace.netsim.table_router import TableRouter
from netplace.topologies import Topology


class Sources:
    """The sources of one kind of traffic.

    After the process of a node succeeds, a packet waits for the injector, with one try per cycle, and no
    packet is drawn meanwhile. It is created in the cycle in which the injector takes it; the next draw counts
    from the cycle after.
    """

    def __init__(self, traffic: Traffic, nodes: list[Node], clock: Clock, seed: int) -> None:
        self._traffic = traffic
        self._nodes = len(nodes)
        self._clock = clock
        self._seed = seed
        self._log_stay = math.log1p(-traffic.chance) if traffic.chance < 1 else -math.inf
        self._stopped = False
        # The nodes that create packets.
        self.active = [node for node in nodes if traffic.chance > 0 and self._sends(node.number)]

    def start(self, cycle: int) -> None:
        self._clock.runnable += len(self.active)
        for node in self.active:
            self._clock.env.process(self._life(node, cycle))

    def stop(self) -> None:
        """Stop drawing, and drop the packets that still wait for an injector."""
        self._stopped = True
        for node in self.active:
            self._clock.runnable -= node.traffic is None
            node.traffic = None

    def _sends(self, node: int) -> bool:
        target = int(self._traffic.target[node])
        return target != node and not (target < 0 and self._nodes == 1)

    def _life(self, node: Node, cycle: int) -> ProcessGenerator:
        while True:
            cycle += int(gap(draw(self._seed, GAP, node.number, 0, cycle), self._log_stay))
            yield self._clock.until(cycle)
            if self._stopped:
                return
            load = Load(self._clock.env, self._destination(node.number, cycle), 1)
            node.offer(load)
            self._clock.stir(self._clock.now)
            self._clock.runnable -= 1
            yield load.over
            self._clock.runnable += 1
            cycle = self._clock.now + 1

    def _destination(self, node: int, cycle: int) -> int:
        """Return the destination of the packet drawn in `cycle`."""
        traffic = self._traffic
        if traffic.hot_share > 0 and node != traffic.hot_node:
            share = int(draw(self._seed, HOT_SPOT, node, 0, cycle)) / 2**64
            if share < traffic.hot_share:
                return traffic.hot_node
        target = int(traffic.target[node])
        if target >= 0:
            return target
        among = range(self._nodes) if traffic.among is None else traffic.among
        place = pick(self._seed, TARGET, node, 0, cycle, len(among) - 1)
        return int(among[place + (among[place] >= node)])


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
        fabric = WormholeFabric if config.buffer_phits else Fabric
        self._fabric = fabric(topology, config, seed, self._delivered)
        if explain:
            self._fabric.blame = StallAttribution(topology.neighbor.shape)
        self._control = read_congestion(config.congestion_control)
        self._acks: dict[int, list[tuple[int, int]]] = {}  # pairs of nodes, by cycle
        self._notices: dict[int, list[tuple[int, int]]] = {}
        self._active: dict[Node, None] = {}
        self._nodes = [
            Node(number, self._fabric, self._clock, config, self._rouse) for number in range(topology.nodes)
        ]
        self._jobs: dict[int, Job] = {}
        self._installed = 0
        self._sources: Sources | None = None
        self._job_ended = False
        self._delivered_ever = 0
        self._gone_ever = 0
        self.reset_counters()

    repeats = False
    stands = False

    def install(
        self, program: Program, nodes: NDArray[np.int64], times: int = 1, identity: int | None = None
    ) -> int:
        seats = self._seats(program, np.asarray(nodes))
        job = Job(
            self._installed,
            self._installed if identity is None else identity,
            program,
            seats,
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
        return self._find(number).end

    def rounds(self, number: int) -> NDArray[np.float64]:
        raise ValueError(f"job {number}: the reference engine does not repeat programs")

    def laps(self, number: int) -> Laps:
        raise ValueError(f"job {number}: the reference engine does not repeat programs")

    def skip(self, number: int, counts: NDArray[np.int64]) -> None:
        raise ValueError(f"job {number}: the reference engine does not repeat programs")

    def stop(self, number: int) -> None:
        self._find(number).stop(self.now)

    def drained(self, number: int) -> bool:
        job = self._find(number)
        return job.end >= 0 and job.in_flight == 0 and not any(task.node.owes(job) for task in job.tasks)

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
        return self._find(number).record(self.now if before is None else before)

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
        self._fabric.charge_up_to(self.now)
        if self._fabric.blame is not None:
            self._fabric.blame.reset()
        packet_delays, message_delays = np.zeros((2, BINS), np.int64)
        links = self._fabric.link_packets, self._fabric.link_cycles
        self._totals = Counters(0, 0, *links, packet_delays, message_delays)

    @property
    def in_flight(self) -> int:
        return self._created_ever - self._delivered_ever - self._gone_ever

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
        return Blocked(tasks, self._fabric.blocked())

    def pointers(self) -> tuple[NDArray[np.int16], ...]:
        return self._fabric.pointers()

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        self._fabric.set_pointers(pointers)

    @property
    def quiet_since(self) -> int:
        return self._clock.quiet_since

    @property
    def _idle(self) -> bool:
        """Whether nothing will happen again without a new job."""
        return not (self._clock.ticking or self._clock.runnable)

    def _cycle(self, now: int) -> bool:
        """Move nodes and network through cycle `now`; return whether they can do anything in the next one."""
        for source, destination in self._acks.pop(now, ()):
            self._nodes[source].under_way[destination] -= 1
        for source, destination in self._notices.pop(now, ()):
            self._nodes[source].rates[destination].notified(now)
        for node in list(self._active):
            node.act(now)
            if not node.active:
                del self._active[node]
        goes_on = self._fabric.cycle(now)
        if self._fabric.moved:
            self._clock.stir(now)
        if goes_on or self._acks or self._notices or any(node.hopeful for node in self._active):
            return True
        # A node looks again when its rate allows it, even if what waited has been taken away.
        return bool(self._control.rate) and any(node.wake > now + 1 for node in self._nodes)

    def _rouse(self, node: Node) -> None:
        self._active[node] = None
        self._clock.wake()

    def fail(
        self, table: TableRouter, dead: NDArray[np.bool_], down: NDArray[np.bool_], again: bool
    ) -> tuple[int, int, list[int]]:
        self._fabric.charge_up_to(self.now)
        outage = Outage(self._fabric, self._config.packet_phits, table, dead, down, again)
        for node in self._nodes:
            for packet in node.buffered:
                if outage.nowhere(packet, node.number):
                    outage.lose(packet)
        self._fabric.route(self._config, table)
        self._clock.wake(self.now - self._clock.now)
        return outage.lost, outage.again, [number for number in self._jobs if number in outage.losers]

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        self._fabric.pace(cycles, delay)

    def _delivered(self, packet: Packet, now: int) -> None:
        if packet.gone:
            if packet.counted:
                self._gone_ever += 1
                packet.load.thrown_away()
            return
        self._delivered_ever += 1
        pair, known = (packet.source, packet.destination), now + 1 + self._control.ack
        if self._control.window:
            self._acks.setdefault(known, []).append(pair)
        if isinstance(self._fabric.routing, GraphRouting):
            self._fabric.routing.consumed(packet)
        if packet.marked and self._nodes[packet.source].rates[packet.destination].tells(now):
            self._notices.setdefault(known, []).append(pair)
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
        assert self._fabric.blame is not None
        self._fabric.charge_up_to(self.now)
        return self._fabric.blame.counts(self._installed)

    def watch(self, number: int) -> None:
        assert self._fabric.blame is not None
        self._fabric.charge_up_to(self.now)
        self._fabric.blame.watch(number)

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        assert self._fabric.blame is not None
        self._fabric.charge_up_to(self.now)
        return self._fabric.blame.watched()

    def _find(self, number: int) -> Job:
        if number not in self._jobs:
            raise ValueError(f"job {number}: no such job, {self._installed} were installed")
        return self._jobs[number]

    def _note_end(self) -> None:
        self._job_ended = True

    def _seats(self, program: Program, nodes: NDArray[np.int64]) -> list[Node]:
        """Return the nodes of a job's tasks."""
        job = f"job {self._installed}"
        if len(nodes) != program.tasks:
            raise ValueError(f"{job}: {len(nodes)} nodes for {program.tasks} tasks, expected one for each")
        seats: dict[int, Node] = {}
        for number in nodes.tolist():
            if not 0 <= number < len(self._nodes):
                raise ValueError(
                    f"{job}: node {number} is not in {self._topology}, expected 0 to {len(self._nodes) - 1}"
                )
            if number in seats:
                raise ValueError(f"{job}: node {number} appears twice, expected at most one task per node")
            seats[number] = self._nodes[number]
            task = seats[number].task
            if task is not None and task.end < 0:
                raise ValueError(f"{job}: node {number} is occupied by a task that has not ended")
        return list(seats.values())
