"""The engine that users run: lowers networks and programs to arrays and drives the compiled kernel."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.chance import GAP, draw, gap
from netplace.netsim.config import Config
from netplace.netsim.engine import Blocked, Counters, Exit, JobRecord, Traffic
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel.loop import loop, scalar_code
from netplace.netsim.layout import known, setting, state, tables_of
from netplace.netsim.lower import Lowered, lower
from netplace.topologies import Topology

__all__ = ["KernelEngine", "interpretable"]

FAR = (1 << 62) - 1


def interpretable(arrays: k.State) -> k.State:
    """Widen all integers when the kernel runs as plain Python (``NUMBA_DISABLE_JIT=1``).

    NumPy's scalars keep the width of their array where compiled code computes in 64 bits.
    """
    if not numba.config.DISABLE_JIT:
        return arrays
    wide: Any = (a if a.dtype.kind == "f" else a.astype(np.int64, copy=False) for a in arrays)
    return type(arrays)(*wide)


class _Growing:
    """An array that grows at its end; room is doubled, so growth costs little."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._room = np.zeros(0, kind)
        self.size = 0

    def extend(self, values: NDArray[Any]) -> int:
        """Append `values` and return where they begin."""
        begin = self.size
        self.size += len(values)
        if self.size > len(self._room):
            room = np.zeros(max(self.size, 2 * begin), self._room.dtype)
            room[:begin] = self._room[:begin]
            self._room = room
        self._room[begin : self.size] = values
        return begin

    @property
    def all(self) -> NDArray[Any]:
        """The array, room for more included."""
        return self._room


class _Job:
    """Where the words of a job are, to tell its story."""

    def __init__(
        self, start: int, first_task: int, lowered: Lowered, first_message: int, nodes: NDArray[np.int64]
    ) -> None:
        self.start = start
        self.tasks = slice(first_task, first_task + len(lowered.first) - 1)
        self.message = lowered.message + first_message
        self.source_op = lowered.source_op
        self.nodes = nodes
        self.first_op = 0


class KernelEngine:
    """The compiled engine on grids and trees; see `netplace.netsim.engine.Engine`."""

    def __init__(
        self, topology: Topology, config: Config, seed: int = 0, record_messages: bool = False
    ) -> None:
        self.topology = topology
        self.config = config
        self._lay_out(topology, config, seed, record_messages)
        self._jobs: list[_Job] = []
        kinds: dict[str, type[np.generic]] = {
            "op": np.int64, "key": np.int32, "deal": np.int32, "message_start": np.int64,
            "message_end": np.int64, "job": np.int64, "task_end": np.int64, "task_lost": np.int64,
            "due_order": np.int64, "due_time": np.int64, "due_next": np.int32,
        }  # fmt: skip
        wide = numba.config.DISABLE_JIT
        self._growing = {name: _Growing(np.int64 if wide else kind) for name, kind in kinds.items()}
        for name in ("due_order", "due_time", "due_next"):
            self._growing[name].extend(np.zeros(1, np.int64))

    def _lay_out(self, topology: Topology, config: Config, seed: int, record: bool) -> None:
        """Make the kernel's constants and arrays."""
        tables = tables_of(topology, config)
        self._setting = setting(topology, config, seed, record, tables)
        self._state = interpretable(state(topology, config, self._setting, tables))
        self._loop = loop(known(topology, config, self._setting))

    @property
    def now(self) -> int:
        """Next cycle to be simulated."""
        return int(self._state.clock[k.NOW])

    @now.setter
    def now(self, cycle: int) -> None:
        self._state.clock[k.NOW] = cycle

    def _act_now(self, nodes: NDArray[np.int64]) -> None:
        """Put nodes on the list of those to act in cycle `now`."""
        s = self._state
        task = s.task.reshape(-1, k.TASK_WORDS)
        side = 1 - int(s.clock[k.SIDE])
        fresh = nodes[(task[nodes, k.LISTED] >> side & 1) == 0]
        task[fresh, k.LISTED] |= 1 << side
        n = int(s.clock[k.TODO + side])
        begin = side * self.topology.nodes + n
        s.todo[begin : begin + len(fresh)] = fresh
        s.clock[k.TODO + side] = n + len(fresh)

    def _extend_keys(self, rows: NDArray[np.int64]) -> int:
        """Append rows of key words and return the number of the first."""
        begin = self._growing["key"].extend(rows.astype(np.int32).ravel()) // k.KEY_WORDS
        if self.config.rendezvous is not None:
            self._growing["deal"].extend(np.zeros(len(rows) * k.DEAL_WORDS, np.int32))
        if begin + len(rows) >= 1 << k.KEY_BITS:
            raise ValueError(
                f"{begin + len(rows)} kinds of message are more than the kernel's {1 << k.KEY_BITS}"
            )
        return begin

    def _extend_due(self, count: int) -> None:
        """Make `count` more entries for messages due at interfaces, and put them on the free list."""
        if count == 0:
            return
        begin = self._growing["due_order"].extend(np.zeros(count, np.int64))
        self._growing["due_time"].extend(np.zeros(count, np.int64))
        links = np.arange(begin + 1, begin + count + 1)
        self._growing["due_next"].extend(links)
        free = self._growing["due_next"].all
        free[begin + count - 1] = free[0]
        free[0] = begin

    def _renew(self) -> None:
        """Give the kernel the arrays as they have grown."""
        self._state = interpretable(
            self._state._replace(**{name: array.all for name, array in self._growing.items()})
        )

    def install(self, program: Program, nodes: NDArray[np.int64]) -> int:
        """Start a job whose task i sits on ``nodes[i]`` in cycle `now`, and return its number."""
        lowered = lower(program, self.config)
        nodes = np.asarray(nodes, np.int64)
        grow = self._growing
        keys = lowered.key
        first_message = grow["message_start"].extend(np.full(len(lowered.message), -1, np.int64))
        if self._setting.record:
            grow["message_end"].extend(np.full(len(lowered.message), -1, np.int64))
        rows = np.zeros((len(keys), k.KEY_WORDS), np.int64)
        rows[:, k.LENGTH] = rows[:, k.TO_GO] = keys[:, 2]
        rows[:, k.SOURCE], rows[:, k.TARGET] = nodes[keys[:, 0]], nodes[keys[:, 1]]
        rows[:, k.NEXT_START] = rows[:, k.NEXT_END] = keys[:, 3] + first_message
        first_key = self._extend_keys(rows)
        self._extend_due(lowered.by_rendezvous)
        kind = lowered.op & ((1 << k.KIND_BITS) - 1)
        computes = (kind == k.COMPUTE) | (kind == k.COMPUTE_LAST)
        if grow["op"].size + len(lowered.op) >= 1 << 31:
            raise ValueError(
                f"{program.name or 'program'}: {len(lowered.op)} operations are more than the kernel holds"
            )
        first_op = grow["op"].extend(np.where(computes, lowered.op, lowered.op + (first_key << k.KIND_BITS)))

        works = np.diff(lowered.first) > 0
        job = len(self._jobs)
        first_task = grow["task_end"].extend(np.where(works, -1, self.now))
        grow["task_lost"].extend(np.zeros(program.tasks, np.int64))
        grow["job"].extend(np.array([works.sum(), -1 if works.any() else self.now]))
        record = _Job(self.now, first_task, lowered, first_message, nodes)
        record.first_op = first_op
        self._jobs.append(record)
        self._renew()
        task = self._state.task.reshape(-1, k.TASK_WORDS)
        mine = nodes[works]
        task[mine, k.PC] = lowered.first[:-1][works] + first_op
        task[mine, k.STOP] = lowered.first[1:][works] + first_op
        task[mine, k.JOB] = job
        task[mine, k.TASK] = first_task + np.flatnonzero(works)
        task[mine, k.WAITS] = k.NOTHING
        when = self._state.when.reshape(-1, k.WHEN_WORDS)
        when[mine, k.BUSY_UNTIL] = 0
        when[mine, k.LOST] = 0
        when[mine, k.SINCE] = -1
        self._act_now(mine)
        if not works.any():
            self._state.clock[k.ENDED] = 1
        return job

    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic from cycle `now` on, or stop it; nodes with a task create it beside."""
        task = self._state.task.reshape(-1, k.TASK_WORDS)
        when = self._state.when.reshape(-1, k.WHEN_WORDS)
        was = when[:, k.NEXT_DRAW] >= 0
        when[was, k.NEXT_DRAW] = -1
        task[was, k.DRAWN] = 0
        computing = np.flatnonzero((task[:, k.JOB] >= 0) & (when[:, k.BUSY_UNTIL] >= self.now))
        timers = when[computing, k.BUSY_UNTIL], computing
        nodes = self.topology.nodes
        if traffic is None or traffic.chance <= 0 or nodes == 1:
            self._set_timers(*timers)
            return
        every = np.arange(nodes)
        rows = np.zeros((nodes, k.KEY_WORDS), np.int64)
        rows[:, k.SOURCE] = every
        rows[:, k.TARGET] = -1
        first_key = self._extend_keys(rows)
        self._renew()
        self._state = self._state._replace(target=traffic.target.astype(np.int32))
        s = self._state
        s.hot[:] = traffic.hot_node, first_key
        s.share[:] = math.log1p(-traffic.chance) if traffic.chance < 1 else -math.inf, traffic.hot_share
        sources = every[traffic.target != every]
        seed, now, log_stay = self._setting.seed, self.now, float(s.share[0])
        drawn = np.array([now + gap(draw(seed, GAP, int(n), 0, now), log_stay) for n in sources], np.int64)
        when[sources, k.NEXT_DRAW] = drawn
        self._set_timers(np.append(timers[0], drawn), np.append(timers[1], sources))

    def _set_timers(self, cycles: NDArray[Any], nodes: NDArray[Any]) -> None:
        """Replace all timers; a sorted list is a heap."""
        s = self._state
        order = np.argsort(cycles, kind="stable")
        s.timer[: len(order)] = cycles[order]
        s.timer_node[: len(order)] = nodes[order]
        s.clock[k.TIMERS] = len(order)

    def run(self, until: int = FAR) -> Exit:
        """Simulate cycles ``now .. until - 1``; return early when a job has ended, or when idle."""
        if self._state.clock[k.ENDED]:
            self._state.clock[k.ENDED] = 0
            return Exit.JOB_ENDED
        if numba.config.DISABLE_JIT:
            return Exit(self._loop(self._state, self._setting, int(until)))
        with scalar_code():  # the first call compiles, or reads the cache
            return Exit(self._loop(self._state, self._setting, int(until)))

    def job(self, number: int) -> JobRecord:
        """Return what is known of a job."""
        job, s = self._jobs[number], self._state
        lost = s.task_lost[job.tasks].copy()
        running = s.task_end[job.tasks] < 0
        when = s.when.reshape(-1, k.WHEN_WORDS)[job.nodes]
        blocked = np.where(when[:, k.SINCE] >= 0, self.now - when[:, k.SINCE], 0)
        lost[running] = (when[:, k.LOST] + blocked)[running]
        return JobRecord(
            start=job.start,
            end=int(s.job[2 * number + 1]),
            task_end=s.task_end[job.tasks].copy(),
            injection_blocked=lost,
            message_start=s.message_start[job.message] if self._setting.record else None,
            message_end=s.message_end[job.message] if self._setting.record else None,
        )

    def counters(self) -> Counters:
        """Return the totals."""
        s = self._state
        return Counters(
            created=int(s.clock[k.CREATED] - self._created_before),
            delivered=int(s.clock[k.DELIVERED] - self._delivered_before),
            link_packets=self._link_packets(),
            packet_delays=s.packet_delays.copy(),
            message_delays=s.message_delays.copy(),
            packet_delay_sum=int(s.clock[k.PACKET_DELAY]),
            message_delay_sum=int(s.clock[k.MESSAGE_DELAY]),
            events=int(s.clock[k.EVENTS]),
            last_delivery=int(s.clock[k.LAST_DELIVERY]),
        )

    def _link_packets(self) -> NDArray[np.int64]:
        """Return the packets that crossed each link, shape (routers, ports)."""
        carry = self._state.carry.astype(np.int64).reshape(-1, self._setting.ports)
        return (self._crossed().astype(np.int64) & 0xFFFFFFFF) + (carry << 32)

    def _crossed(self) -> NDArray[Any]:
        """Packets that crossed each link, modulo 2**32, as a view of the rows, shape (routers, ports)."""
        u = self._setting
        return self._state.row.reshape(-1, u.row)[:, u.crossed : u.crossed + u.ports]

    _created_before = 0
    _delivered_before = 0

    def reset_counters(self) -> None:
        """Start the totals anew; packets in flight stay."""
        s = self._state
        self._created_before = int(s.clock[k.CREATED])
        self._delivered_before = int(s.clock[k.DELIVERED])
        s.clock[[k.PACKET_DELAY, k.MESSAGE_DELAY, k.EVENTS]] = 0
        s.clock[k.LAST_DELIVERY] = -1
        for totals in (self._crossed(), s.carry, s.packet_delays, s.message_delays):
            totals[:] = 0

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail."""
        return int(self._state.clock[k.CREATED] - self._state.clock[k.DELIVERED])

    def blocked(self) -> Blocked:
        """Tell who waits for whom now."""
        return Blocked(tasks=self._blocked_tasks(), fifos=self._blocked_fifos())

    def _pointers(self) -> list[NDArray[np.int8]]:
        """Return views of the pointers of arbiters, of consumption and of links."""
        s, u = self._state, self._setting
        rows = s.byte.reshape(self.topology.routers, -1)[:, : u.row_bytes]
        return [rows[:, u.turn : u.turn_link], s.turn_home, rows[:, u.turn_link : u.turn_link + u.ports]]

    def pointers(self) -> tuple[NDArray[np.int8], ...]:
        """Return copies of all pointers of arbiters and links."""
        return tuple(view.astype(np.int8) for view in self._pointers())

    def set_pointers(self, pointers: tuple[NDArray[np.int8], ...]) -> None:
        """Set all pointers."""
        for view, values in zip(self._pointers(), pointers, strict=True):
            view[:] = values

    def _blocked_tasks(self) -> list[tuple[int, int, int, str]]:
        """Return (job, task, operation, what it waits for) of every task that is not at its end."""
        s = self._state
        task = s.task.reshape(-1, k.TASK_WORDS)
        found = []
        for node in np.flatnonzero(task[:, k.JOB] >= 0):
            number = int(task[node, k.JOB])
            job = self._jobs[number]
            pc = int(task[node, k.PC])
            word = int(s.op[pc]) & ((1 << k.KIND_BITS) - 1) if pc < task[node, k.STOP] else k.COMPUTE
            if s.when[node * k.WHEN_WORDS + k.SINCE] >= 0:
                why = "injector"
            else:
                why = {k.RECV: "receive", k.SENT: "rendezvous", k.SENT_LAST: "rendezvous"}.get(
                    word, "compute"
                )
            operation = int(job.source_op[min(pc - job.first_op, len(job.source_op) - 1)])
            found.append((number, int(task[node, k.TASK]) - job.tasks.start, operation, why))
        return found

    def _blocked_fifos(self) -> list[tuple[int, int, int, list[tuple[int, int]]]]:
        """Return (router, input, packets, FIFOs downstream it could ask for) of every waiting head."""
        s, u = self._state, self._setting
        found = []
        rows = s.row.reshape(-1, u.row)
        homing = s.homing & ~(1 << k.TAKEN) if u.single else 0
        for router in np.flatnonzero(rows[:, k.WAIT] | homing):
            row = [int(word) for word in rows[router]]
            for i in range(k.MOST_INPUTS):
                at_home = u.single and s.homing[router] >> i & 1
                if not (at_home or row[k.WAIT] >> i & 1):
                    continue
                wants = []
                for output in [] if at_home else self._outputs_wanted(row, i):
                    port, vc = divmod(output, u.vcs)
                    name = row[u.link + port] + vc
                    wants.append((name >> k.NAME_BITS, name & k.INPUT))
                packets = min(row[u.fifo + i] >> u.bits & u.field, u.queue)
                found.append((int(router), i, packets, wants))
        return found

    def _outputs_wanted(self, row: list[int], i: int) -> list[int]:
        """Return the outputs that the waiting head of an input could ask for."""
        s, u = self._state, self._setting
        ports = [port for port in range(u.ports) if row[u.want + port] >> i & 1]
        if u.dims == 0:
            if u.policy == k.TREE_ADAPTIVE and 0 in ports:
                ports = [port for port in range(int(s.up[1])) if row[u.link + port]]
            return [port * u.vcs + vc for port in ports for vc in range(u.vcs)]
        if u.policy == k.OBLIVIOUS:
            return [row[u.fifo + i] >> 2 * u.bits & k.OUTPUT]
        adaptive = [port * u.vcs + vc for port in ports for vc in range(1, u.vcs)]
        return sorted([ports[0] * u.vcs, *adaptive])
