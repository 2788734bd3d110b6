"""The compiled engine: the kernel takes networks and programs as plain numbers and returns records."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.native import netsim as compiled
from netplace.netsim.config import Config
from netplace.netsim.description import described, links_described, numbers_of, routing_described
from netplace.netsim.engine import Blocked, Counters, Exit, JobRecord, Traffic
from netplace.netsim.fabric_texts import read_classes
from netplace.netsim.laps import IterationCounts
from netplace.netsim.lower import KIND_BITS, LOOP, Lowered, looped, lower
from netplace.netsim.table_router import TableRouter, make_table_router, uses_table_router
from netplace.topologies import Topology

_REASONS = {  # of a word at which a task stands
    1: "receive", 6: "rendezvous", 7: "rendezvous", 10: "outstanding", 11: "outstanding", 12: "injector",
}  # fmt: skip
_NONE, _NO_PLACES, _NO_RATES = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0)


class _Job:
    def __init__(self, program: Program, lowered: Lowered, nodes: NDArray[np.int64], times: int) -> None:
        self.program, self.lowered, self.nodes, self.times = program, lowered, nodes, times


class KernelEngine:
    """A network in the compiled kernel (netsim/kernel); see `netplace.netsim.engine.Engine`."""

    def __init__(
        self,
        topology: Topology,
        config: Config,
        seed: int = 0,
        record_messages: bool = False,
        explain: bool = False,
        threads: int = 1,
    ) -> None:
        if config.buffer_phits:
            raise ValueError(
                f"buffer_phits: {config.buffer_phits} is wormhole switching, which only the reference "
                f"engine simulates; expected engine reference"
            )
        self.topology, self.config = topology, config
        self.stands = False
        self._record = record_messages
        self._general = uses_table_router(topology, config)
        table = make_table_router(topology, config) if self._general else None
        self._classes = read_classes(config.traffic_classes)
        every = config.of_all_classes
        self._network = compiled.network(
            *described(topology, every, seed, record_messages, explain, table, threads)
        )
        self._codes: WeakKeyDictionary[Program, dict[bool, tuple[Any, Lowered]]] = WeakKeyDictionary()
        self._jobs: dict[int, _Job] = {}
        self._started = 0  # jobs so far
        shape = topology.neighbor.shape
        self._cycles_a_packet = np.full(shape, config.packet_phits, np.int64)
        if table is not None:
            self._cycles_a_packet *= table.cycles
        self._created_before = self._delivered_before = 0
        self._crossing_before = np.zeros(shape, np.int64)
        self._cycles_before = np.zeros(shape, np.int64)  # of packets from when links had another speed,
        self._packets_before = np.zeros(shape, np.int64)  # and how many these were
        self._restored_until = np.zeros(shape, np.int64)  # by packets that were sent again

    # --- time ---------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        return int(self._network.now)

    @now.setter
    def now(self, cycle: int) -> None:
        self._network.now = cycle

    @property
    def quiet_since(self) -> int:
        return int(self._network.quiet_since)

    def run(self, until: int) -> Exit:
        try:
            return Exit(self._network.run(int(until)))
        except RuntimeError as error:  # threads that the system does not begin
            raise ValueError(str(error)) from None
        except BaseException:  # an interrupt, heard when the kernel is back, which ends between two cycles
            self.stands = True
            raise

    # --- jobs ---------------------------------------------------------------------------------------

    @property
    def repeats(self) -> bool:
        return not self._record

    def _code(self, program: Program, repeated: bool) -> tuple[Any, Lowered]:
        """Return a program in the form of the kernel; the result is cached while the program exists."""
        known = self._codes.setdefault(program, {})
        if repeated not in known:
            lowered = lower(program, self.config)
            if repeated:
                lowered = looped(program, lowered)
            key = lowered.key
            source, target = (np.ascontiguousarray(key[:, column], np.int32) for column in (0, 1))
            packets, first = (np.ascontiguousarray(key[:, column]) for column in (2, 3))
            code = compiled.code(
                np.ascontiguousarray(lowered.op),
                np.ascontiguousarray(lowered.first, np.int64),
                source,
                target,
                packets,
                first,
                len(lowered.message),
                lowered.by_rendezvous,
                lowered.interleaved,
            )
            known[repeated] = code, lowered
        return known[repeated]

    def install(
        self, program: Program, nodes: NDArray[np.int64], times: int = 1, identity: int | None = None
    ) -> int:
        code, lowered = self._code(program, times > 1)
        nodes = np.asarray(nodes, np.int64)
        classes = _NONE
        if self._classes.count > 1:
            known = self._started if identity is None else identity
            packets = self.config.packet_bytes
            of_keys = [self._classes.of_message(known, n, packets) for n in lowered.key[:, 2].tolist()]
            classes = np.array(of_keys, np.int32)
        number = int(self._network.install(code, nodes.astype(np.int32), times, classes))
        self._started = number + 1
        self._jobs[number] = _Job(program, lowered, nodes, times)
        return number

    def end(self, number: int) -> int:
        return int(self._network.end(number))

    def stop(self, number: int) -> None:
        self._network.stop(number)

    def drained(self, number: int) -> bool:
        return bool(self._network.drained(number))

    def forget(self, number: int) -> None:
        self._network.forget(number)
        del self._jobs[number]

    def job(self, number: int, before: int | None = None) -> JobRecord:
        now = self.now if before is None else before
        start, end, stopped, task_end, lost, began, ended = self._network.record(number, now)
        messages = self._jobs[number].lowered.message
        start_of, end_of = (times[messages] if self._record else None for times in (began, ended))
        return JobRecord(start, end, task_end, lost, start_of, end_of, stopped=stopped)

    def rounds(self, number: int) -> NDArray[np.float64]:
        job = self._jobs[number]
        pc, left, *_ = self._network.progress(number)
        op = job.lowered.op
        works = np.diff(job.lowered.first) > 0
        loop = np.flatnonzero(op & ((1 << KIND_BITS) - 1) == LOOP)
        length = op[loop] >> KIND_BITS
        begun = (pc[works] - (loop - length)) / length
        rounds: NDArray[np.float64] = job.times - 2 - left[works] + np.clip(begun, 0, 1)
        return rounds

    def laps(self, number: int) -> IterationCounts:
        job = self._jobs[number]
        _, left, lapped, runs, spare = self._network.progress(number)
        runs = runs.astype(bool)
        return IterationCounts(
            done=np.where(runs, job.times - 2 - left, job.times).astype(np.int64),
            last=lapped.copy(),
            left=np.where(runs, np.maximum(0, left), 0).astype(np.int64),
            source=job.lowered.key[:, 0],
            target=job.lowered.key[:, 1],
            sent=job.lowered.sent,
            used=job.lowered.used,
            asked=job.lowered.asked,
            posted=job.lowered.posted,
            spare=spare.copy(),
        )

    def skip(self, number: int, counts: NDArray[np.int64]) -> None:
        spare = self.laps(number).spare_after(counts)
        self._network.skip(number, np.ascontiguousarray(counts, np.int64), np.ascontiguousarray(spare))

    def generate(self, traffic: Traffic | None) -> None:
        if traffic is None or traffic.chance == 0:
            self._network.generate(_NO_RATES, _NONE, _NONE, _NO_PLACES, _NONE, _NO_RATES, -1, 0.0, False)
            return
        among = _NONE if traffic.among is None else np.ascontiguousarray(traffic.among, np.int32)
        target = np.ascontiguousarray(traffic.target, np.int32)
        pairs, rates = (_NO_PLACES, _NONE, _NO_RATES), traffic.rates
        if rates is not None:
            pairs = rates.indptr.astype(np.int64), rates.indices.astype(np.int32), np.cumsum(rates.data)
        hot, share = int(traffic.hot_node), float(traffic.hot_share)
        asks_for_source = self._general or self.config.tree_routing == "static"
        self._network.generate(traffic.chances, target, among, *pairs, hot, share, asks_for_source)

    # --- totals -------------------------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        created, delivered, gone, *_ = self._network.totals()
        return int(created - delivered - gone)

    def counters(self) -> Counters:
        totals = self._network.totals()
        created, delivered, _, events, packet_delay, message_delay, last, packets, messages = totals
        links = self._link_packets()
        return Counters(
            created=created - self._created_before,
            delivered=delivered - self._delivered_before,
            link_packets=links,
            link_cycles=self._cycles_begun() - (self._still_crossing() - self._crossing_before),
            packet_delays=packets,
            message_delays=messages,
            packet_delay_sum=packet_delay,
            message_delay_sum=message_delay,
            events=events,
            last_delivery=last,
        )

    def _link_packets(self) -> NDArray[np.int64]:
        """Return the packets that crossed each link, shape (routers, ports)."""
        packets: NDArray[np.int64] = self._network.link_packets().reshape(self.topology.neighbor.shape)
        return packets

    def _cycles_begun(self) -> NDArray[np.int64]:
        """Return the cycles for which the packets that have begun to cross each link hold it."""
        since = self._link_packets() - self._packets_before
        return np.asarray(self._cycles_before + since * self._cycles_a_packet, np.int64)

    def _still_crossing(self) -> NDArray[np.int64]:
        """Return the cycles from `now` on for which the packet that crosses each link will hold it."""
        cycles = self._network.still_crossing().reshape(self.topology.neighbor.shape)
        return np.maximum(cycles, self._restored_until - self.now)

    def reset_counters(self) -> None:
        self._created_before, self._delivered_before, *_ = self._network.totals()
        self._crossing_before = self._still_crossing()
        self._cycles_before[:] = self._packets_before[:] = 0
        self._network.reset_totals()

    # --- faults ---------------------------------------------------------------------------------------

    def fail(
        self, table: TableRouter, dead: NDArray[np.bool_], down: NDArray[np.bool_], again: bool
    ) -> tuple[int, int, list[int]]:
        before = self._still_crossing()
        settings, arrays = routing_described(table)
        parts = {"dead": dead, "down": down, "hops": table.hops}
        outcome = self._network.fail(settings, arrays | numbers_of(parts), again)
        # Packets that have begun to cross a link continue, even if they are sent again.
        self._restored_until = np.maximum(self._restored_until, self.now + before - self._still_crossing())
        lost, sent_again, losers = outcome
        return lost, sent_again, losers

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        self._cycles_before, self._packets_before = self._cycles_begun(), self._link_packets()
        self._network.pace(links_described(cycles, delay))
        self._cycles_a_packet = self.config.packet_phits * cycles

    # --- residues and waiting ---------------------------------------------------------------------------

    def pointers(self) -> tuple[NDArray[np.int16], ...]:
        return tuple(self._network.pointers())

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        self._network.set_pointers([np.asarray(given).ravel().tolist() for given in pointers])

    def blocked(self) -> Blocked:
        tasks = []
        for number, task, pc, at_injector, kind in self._network.standing_tasks():
            source_op = self._jobs[number].lowered.source_op
            why = "injector" if at_injector else _REASONS.get(kind, "compute")
            tasks.append((number, task, int(source_op[min(pc, len(source_op) - 1)]), why))
        return Blocked(tasks=tasks, fifos=[tuple(fifo) for fifo in self._network.blocked_fifos()])

    def waiting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        by_job, by_link, waited = self._network.waiting()
        return by_job.reshape(self._started + 1, -1), by_link.reshape(*self._ways, 2), waited

    def watch(self, number: int) -> None:
        self._network.watch(number)

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        counts = self._network.watched()
        cycles = np.zeros((*self._ways, len(counts)), np.int64)
        for column, (_, charged) in enumerate(counts):
            cycles[:, :, column] = charged.reshape(self._ways)
        return cycles, [job for job, _ in counts]

    @property
    def _ways(self) -> tuple[int, int]:
        """Routers, and their ports and consumption."""
        routers, ports = self.topology.neighbor.shape
        return routers, ports + 1
