"""The engine that users run: lowers networks and programs to arrays and drives the compiled kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.blocked_fifos import blocked_on_grid
from netplace.netsim.config import Config
from netplace.netsim.domains import Domains
from netplace.netsim.engine import Blocked, Counters, JobRecord, Traffic
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel.constants import OPEN
from netplace.netsim.kernel_run import KernelRun, interpretable
from netplace.netsim.laps import Laps
from netplace.netsim.layout import known, setting, state, tables_of
from netplace.topologies import Topology

__all__ = ["KernelEngine"]


class KernelEngine(KernelRun):
    """The compiled engine on grids and trees; see `netplace.netsim.engine.Engine`."""

    _functions: tuple[str, ...] = ("grids-and-trees", "domains", "first-draws", "charging")

    @property
    def repeats(self) -> bool:
        """Whether `install` can let a program run several times: not where messages need numbers."""
        return not self._setting.record

    def _lay_out(
        self, topology: Topology, config: Config, seed: int, record: bool, explain: bool, threads: int
    ) -> None:
        """Make the kernel's constants and arrays."""
        tables = tables_of(topology, config)
        u = setting(topology, config, seed, record, tables, explain)
        s = interpretable(state(topology, config, u, tables))
        self._domains = Domains(topology, u, s, threads)
        self._setting, self._state = self._domains.first(u, s)
        self._known = known(topology, config, self._setting)

    def _waiting_now(self) -> int:
        """Return how many heads wait."""
        parked = self._state.stand.reshape(-1, k.STAND_SETS, self._setting.wide)[:, k.PARKED]
        return int(np.bitwise_count(parked.view(np.uint64)).sum())  # signed words would lose bit 63

    def watch(self, number: int) -> None:
        """Count from now on what one job waits by link and by the job that it is charged to."""
        self._charge()
        links = len(self._state.way) // (k.BLAMED + self._setting.wide)
        self._state = self._state._replace(watched=np.zeros(links * k.COLUMNS, np.int64))
        for clock in self._each("clock"):
            clock[[k.WATCHED, k.COLUMN]] = number + 1, 0
        self._change_each(lambda s: s._replace(column=np.full(len(s.column), -1, np.int32)))

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return what the watched job waited, (routers, ports + 1, columns), and the job of each column.

        Open-loop traffic is -1; the last column may be of several jobs, and is then -2.
        """
        self._charge()
        cycles = self._state.watched.reshape(self.topology.routers, -1, k.COLUMNS)
        by_job: dict[int, NDArray[np.int64]] = {}
        for domain, column in enumerate(self._each("column")):
            ours = self._domains.owner_of == domain
            for owner in np.flatnonzero(column >= 0).tolist():
                place = int(column[owner])
                job = owner - 1 if place < k.COLUMNS - 1 else -2
                of_job = by_job.setdefault(job, np.zeros(cycles.shape[:2], np.int64))
                of_job[ours] = cycles[ours, :, place]
        return np.stack([cycles[:, :, 0], *by_job.values()], axis=2)[:, :, 1:], [*by_job]

    def _charge(self) -> None:
        """Charge all waiting up to now."""
        every = (OPEN,) * len(self._setting)
        charging = self._function(self._functions[3], every)
        settings = self._domains.settings(self._setting)
        for s, u in zip(self._domains.states(self._state), settings, strict=True):
            charging(s, u, self.now)

    def waiting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return what was charged by jobs and by links, and how long heads have waited."""
        s = self._state
        self._charge()
        width, jobs = int(s.clock[k.JOBS]), self._charged
        every = np.sum(self._each("matrix"), axis=0).reshape(width, width)
        matrix = np.roll(every[:jobs, :jobs], (-1, -1), (0, 1))
        ways = s.way.reshape(self.topology.routers, -1, k.BLAMED + self._setting.wide)
        links = ways[:, :, k.FOR_OWN : k.FOR_OTHERS + 1]
        return matrix, links.copy(), self._sum(k.WAITED) + self.now * self._waiting_now()

    def install(self, program: Program, nodes: NDArray[np.int64], times: int = 1) -> int:
        """Start a job whose task i sits on ``nodes[i]`` in cycle `now`, and return its number."""
        number = self._jobs.start(program, np.asarray(nodes, np.int64), times, self.now)
        self._charged = number + 2
        self._renew()
        mine = self._jobs.seat(number)
        self._act_now(mine)
        if not len(mine):
            self._state.clock[k.ENDED] = 1
        return number

    def end(self, number: int) -> int:
        """Return the end of a job, -1 while it runs."""
        end = self._jobs.end(number)
        if end >= 0:
            self._jobs.ended(number)
        return end

    def rounds(self, number: int) -> NDArray[np.float64]:
        """Return how many iterations of a job that runs each of its tasks has behind it."""
        return self._jobs.rounds(number)

    def laps(self, number: int) -> Laps:
        """Return how far the tasks of a job that runs are with iterations that stand in a loop."""
        return self._jobs.laps(number)

    def skip(self, number: int, counts: NDArray[np.int64]) -> None:
        """Let each task of a job have done so many more iterations, and received what it is sent in them."""
        self._act_now(self._jobs.skip(number, counts))

    def stop(self, number: int) -> None:
        """Stop a job that runs: its tasks do nothing from cycle `now` on."""
        computing = self._jobs.stop(number, self.now)
        if len(computing):
            self._drop_timers(computing)

    def drained(self, number: int) -> bool:
        """Tell whether a job has ended and none of its packets is in flight."""
        return self._jobs.drained(number)

    def forget(self, number: int) -> None:
        """Drop all that is known of a job that has ended."""
        self._jobs.forget(number)

    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic from cycle `now` on, or stop it; nodes with a task create it beside."""
        task = self._state.task.reshape(-1, k.TASK_WORDS)
        when = self._state.when.reshape(-1, k.WHEN_WORDS)
        was = when[:, k.NEXT_DRAW] >= 0
        when[was, k.NEXT_DRAW] = -1
        task[was, k.DRAWN] = 0
        if self._source_keys[1]:
            self._jobs.drop_sources(*self._source_keys)
            self._source_keys = (0, 0)
        computing = np.flatnonzero((task[:, k.JOB] >= 0) & (when[:, k.BUSY_UNTIL] >= self.now))
        timers = when[computing, k.BUSY_UNTIL], 2 * computing
        nodes = self.topology.nodes
        if traffic is None or traffic.chance <= 0 or nodes == 1:
            self._set_timers(*timers)
            return
        every = np.arange(nodes)
        domains = self._domains.count
        by_node = self._asks_for_source()
        apart = k.KEYS_APART if domains > 1 and not by_node else 1
        sources, of_source = (nodes if by_node else domains), domains * apart
        keys = sources * of_source  # no two threads count with one key at a time
        first_key = self._jobs.words.take_keys(keys)
        self._source_keys = first_key, keys
        rows = self._jobs.words.keys(*self._source_keys)
        rows[:, k.SOURCE] = np.repeat(every[:sources], of_source)
        rows[:, k.TARGET] = -1
        self._renew()
        among = np.zeros(0, np.int32) if traffic.among is None else traffic.among
        target = np.concatenate((traffic.target, among)).astype(np.int32)
        self._state = self._state._replace(target=target)
        s = self._state
        for d, hot in enumerate(self._each("hot")):
            own_key, of_node = (first_key, of_source) if by_node else (first_key + d * of_source, 0)
            hot[:] = traffic.hot_node, own_key, len(among), of_node, apart
        s.share[:] = math.log1p(-traffic.chance) if traffic.chance < 1 else -math.inf, traffic.hot_share
        drawing = every[traffic.target != every]
        draw_first = self._function(self._functions[2], (OPEN,) * len(self._setting))
        draw_first(s, self._setting, self.now)
        drawn = when[drawing, k.NEXT_DRAW]
        self._set_timers(np.append(timers[0], drawn), np.append(timers[1], 2 * drawing + 1))

    def _asks_for_source(self) -> bool:
        """Tell whether routers ask where a packet is from, which its key says."""
        return self._setting.policy in (k.TREE_FAT, k.TREE_THIN)

    def job(self, number: int, before: int | None = None) -> JobRecord:
        """Return what is known of a job before a cycle since which nothing has happened, by default `now`."""
        return self._jobs.record(number, self.now if before is None else before)

    def counters(self) -> Counters:
        """Return the totals."""
        return Counters(
            created=self._sum(k.CREATED) - self._created_before,
            delivered=self._sum(k.DELIVERED) - self._delivered_before,
            link_packets=self._link_packets(),
            link_cycles=self._link_cycles(),
            packet_delays=np.sum(self._each("packet_delays"), axis=0),
            message_delays=np.sum(self._each("message_delays"), axis=0),
            packet_delay_sum=self._sum(k.PACKET_DELAY),
            message_delay_sum=self._sum(k.MESSAGE_DELAY),
            events=self._sum(k.EVENTS),
            last_delivery=max(int(clock[k.LAST_DELIVERY]) for clock in self._each("clock")),
        )

    def _link_packets(self) -> NDArray[np.int64]:
        """Return the packets that crossed each link, shape (routers, ports)."""
        carry = self._state.carry.astype(np.int64).reshape(-1, self._setting.ports)
        modulus = self._setting.modulus
        return (self._crossed().astype(np.int64) & modulus) + carry * (modulus + 1)

    def _link_cycles(self) -> NDArray[np.int64]:
        """Return for how many cycles each link has carried a phit, shape (routers, ports)."""
        crossing = self._still_crossing() - self._crossing_before
        return self._link_packets() * self._setting.phits - crossing

    def _still_crossing(self) -> NDArray[np.int64]:
        """Return for how many cycles from `now` on the packet that crosses each link will go on to."""
        cycles = np.zeros(self.topology.neighbor.shape, np.int64)
        settings = self._domains.settings(self._setting)
        for s, u in zip(self._domains.states(self._state), settings, strict=True):
            due = self.now + 1 + np.arange(u.phits)
            due = np.repeat(due, s.tail_count[due & (u.tail_cycles - 1)])
            name = s.tail[(int(s.clock[k.TAILS]) + np.arange(len(due))) % u.tail_words].astype(np.int64)
            router, i = name >> k.NAME_BITS, name & k.INPUT
            output = s.counts[router * u.row_counts + u.fifo + i].astype(np.int64) >> 2 * u.bits & k.OUTPUT
            links = output != k.HOME
            cycles[router[links], output[links] // u.vcs] = due[links] - self.now
        return cycles

    def _crossed(self) -> NDArray[Any]:
        """Packets that crossed each link, modulo a power of two, as a view, shape (routers, ports)."""
        u = self._setting
        return self._state.counts.reshape(-1, u.row_counts)[:, u.crossed : u.crossed + u.ports]

    _created_before = 0
    _delivered_before = 0
    _crossing_before: NDArray[np.int64] | int = 0

    def reset_counters(self) -> None:
        """Start the totals anew; packets in flight stay."""
        s = self._state
        self._created_before = self._sum(k.CREATED)
        self._delivered_before = self._sum(k.DELIVERED)
        self._crossing_before = self._still_crossing()
        for clock in self._each("clock"):
            clock[[k.PACKET_DELAY, k.MESSAGE_DELAY, k.EVENTS]] = 0
            clock[k.LAST_DELIVERY] = -1
        if self._setting.explain:
            self._charge()
            for matrix, clock in zip(self._each("matrix"), self._each("clock"), strict=True):
                matrix[:] = clock[k.WAITED] = 0
            s.way.reshape(-1, k.BLAMED + self._setting.wide)[:, k.FOR_OWN : k.FOR_OTHERS + 1] = 0
            s.clock[k.WAITED] = -self.now * self._waiting_now()
            s.watched[:] = 0
        own = *self._each("packet_delays"), *self._each("message_delays")
        for totals in (self._crossed(), s.carry, *own):
            totals[:] = 0

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail."""
        return self._sum(k.CREATED) - self._sum(k.DELIVERED)

    def blocked(self) -> Blocked:
        """Tell who waits for whom now."""
        return Blocked(tasks=self._jobs.blocked(), fifos=self._blocked_fifos())

    def _pointers(self) -> list[NDArray[Any]]:
        """Return views of the pointers of arbiters, of consumption and of links."""
        s, u = self._state, self._setting
        rows = s.byte.reshape(self.topology.routers, -1)[:, : u.row_bytes]
        return [rows[:, u.turn : u.turn_link], s.turn_home, rows[:, u.turn_link : u.turn_link + u.ports]]

    def pointers(self) -> tuple[NDArray[np.int16], ...]:
        """Return copies of all pointers of arbiters and links."""
        return tuple(view.astype(np.int16) for view in self._pointers())

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        """Set all pointers."""
        for view, values in zip(self._pointers(), pointers, strict=True):
            view[:] = values

    def _blocked_fifos(self) -> list[tuple[int, int, int, list[tuple[int, int]]]]:
        """Return (router, input, packets, FIFOs downstream it could ask for) of every waiting head."""
        return blocked_on_grid(self._state, self._setting)
