"""The engine that users run: lowers networks and programs to arrays and drives the compiled kernel."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from apps import Program
from netsim import delays
from netsim.chance import GAP, draw, gap
from netsim.config import Config
from netsim.engine import Blocked, Counters, Exit, JobRecord, Traffic
from netsim.kernel import state as k
from netsim.kernel.loop import run, scalar_code
from netsim.lower import Lowered, lower
from netsim.memory import demand
from topologies import Grid, Topology, Tree

__all__ = ["KernelEngine"]

FAR = (1 << 62) - 1
_LARGE = 2048  # routers from which on asking for memory in advance pays
_AHEAD = 8
_POLICIES = {"smart": k.SMART, "shortest": k.SHORTEST, "random": k.RANDOM, "oblivious": k.OBLIVIOUS}
_ARBITERS = {
    "round-robin": k.ROUND_ROBIN,
    "fifo": k.FIRST_COME,
    "longest": k.LONGEST,
    "random": k.CHANCE,
    "age": k.AGE,
}
_Array = TypeVar("_Array", bound=NDArray[Any])


def _policy(topology: Topology, config: Config) -> int:
    """Return the kernel's number of the request policy or tree routing."""
    if isinstance(topology, Tree):
        if config.tree_routing == "adaptive":
            return k.TREE_ADAPTIVE
        return k.TREE_FAT if topology.text.startswith("tree:") else k.TREE_THIN
    if config.vcs == 1:
        return k.SHORTEST  # only the escape channel: every policy is DOR, and none has a memory
    return _POLICIES[config.policy]


def _exact(policy: int, config: Config) -> bool:
    """Tell whether decisions compare phits, so that starts of arrivals and departures must be kept."""
    return config.arbiter == "longest" or policy == k.TREE_ADAPTIVE or (policy == k.SHORTEST and config.vcs > 1)


def _setting(topology: Topology, config: Config, seed: int, record: bool, tables: dict[str, Any]) -> k.Setting:
    """Return the kernel's constants; `tables` are those of `_grid_tables`."""
    dims = len(topology.sizes) if isinstance(topology, Grid) else 0
    policy = _policy(topology, config)
    words = -(-topology.routers // k.WORD)
    links = int((topology.neighbor >= 0).sum())
    inputs = _check_size(topology, config)
    shift, field, group = tables["shift"], tables["field"], tables["group"]
    by_masks = config.vcs == 1 or (config.vcs == 2 and policy == k.SMART)
    return k.Setting(
        phits=config.packet_phits,
        queue=config.queue_packets,
        buffer=config.injection_packets,
        injectors=config.injectors,
        vcs=config.vcs,
        ports=topology.ports,
        dims=dims,
        nodes=topology.nodes,
        policy=policy,
        masks=int(dims > 0 and by_masks),
        arbiter=_ARBITERS[config.arbiter],
        single=int(config.consumption == "single"),
        bubble=config.bubble,
        hop=config.hop_delay,
        seed=seed,
        row=k.WANT + 3 * topology.ports + dims,
        next=k.WANT + topology.ports,
        link=k.WANT + topology.ports + dims,
        crossed=k.WANT + 2 * topology.ports + dims,
        ahead=_AHEAD if topology.routers >= _LARGE else 0,
        fifos=topology.ports * config.vcs + config.injectors,
        words=words,
        tops=-(-words // k.WORD),
        links=links,
        tail_words=_power_of_two(int((inputs.sum() + topology.nodes * config.injectors))),
        tail_cycles=_power_of_two(config.packet_phits + 1),
        arrival_words=_power_of_two(links * (config.hop_delay // config.packet_phits + 2)) if config.hop_delay > 1 else 1,
        arrival_cycles=_power_of_two(config.hop_delay + 1),
        magnitudes=int(((field - 1) << shift).sum()),
        x_group=int(group[0]),
        y_group=int(group[1]) if dims > 1 else 0,
        z_group=int(group[2]) if dims > 2 else 0,
        period=math.lcm(*range(1, dims + 2)),
        exact=int(_exact(policy, config)),
        twist=topology.twist if isinstance(topology, Grid) else 0,
        record=int(record),
    )


def _check_size(topology: Topology, config: Config) -> NDArray[np.int64]:
    """Return the number of link-fed inputs of every router, if the kernel can hold the network."""
    if isinstance(topology, Grid):
        ports = np.full(topology.routers, topology.ports)  # numbered alike everywhere, also at a mesh's border
    else:
        wired = topology.neighbor >= 0
        ports = np.where(wired.any(axis=1), topology.ports - wired[:, ::-1].argmax(axis=1), 0)
    inputs = ports * config.vcs
    most = int(inputs.max()) + (config.injectors if topology.nodes == topology.routers else 0)
    if max(most, config.vcs + config.injectors) > k.MOST_INPUTS:
        raise ValueError(
            f"{topology}: {topology.ports} ports with {config.vcs} virtual channels and {config.injectors} "
            f"injectors are more inputs than the kernel's {k.MOST_INPUTS} a router; use fewer VCs or the reference engine"
        )
    if config.queue_packets + config.injection_packets >= 1 << 15:
        raise ValueError(
            f"queue_packets + injection_packets: {config.queue_packets + config.injection_packets} is too large, "
            f"expected less than {1 << 15}"
        )
    slots = int(inputs.sum()) * config.queue_packets + topology.nodes * config.injectors * (
        config.queue_packets + config.injection_packets
    )
    if slots >= 1 << 31:
        raise ValueError(f"{topology}: {slots} places for packets are more than the kernel's {1 << 31}")
    demand(slots * 12 + topology.routers * (400 + 8 * topology.ports), f"{topology} with these buffers")
    return inputs.astype(np.int64)


def _power_of_two(n: int) -> int:
    """Return the least power of two that is not below `n`."""
    return 1 << max(0, n - 1).bit_length()


def _queues(fifos: int, u: k.Setting) -> dict[str, Any]:
    """Return the lists and rings of events, empty."""
    return {
        "entering": np.empty(2 * u.links, np.int32),
        "exposed": np.empty(fifos, np.int32),
        "arrival": np.empty(u.arrival_words, np.int32),
        "arrival_count": np.zeros(u.arrival_cycles, np.int32),
        "tail": np.empty(u.tail_words, np.int32),
        "tail_count": np.zeros(u.tail_cycles, np.int32),
    }


def _grid_tables(topology: Topology, vcs: int, injectors: int) -> dict[str, Any]:
    """Return coordinates, fields of a route record and groups of inputs; empty on trees."""
    none = np.zeros(1, np.int32)
    if not isinstance(topology, Grid):
        return {
            "group": none.astype(np.int64), "coordinate": none, "size": none, "shift": none.astype(np.int64),
            "field": none.astype(np.int64), "record_first": none, "record": none,
        }  # fmt: skip
    dims = len(topology.sizes)
    group = np.array([((1 << 2 * vcs) - 1) << 2 * d * vcs for d in range(dims)], np.int64)
    group[0] |= ((1 << injectors) - 1) << 2 * dims * vcs
    most = np.array([max(1, size // 2 if topology.wraps else size - 1) for size in topology.sizes])
    if topology.twist:
        most[:] = topology.diameter
    bits = np.array([int(m).bit_length() + 1 for m in most])
    if bits.sum() > 31:
        raise ValueError(f"{topology}: a route record needs {bits.sum()} bits, the kernel has 31")
    shift = np.concatenate([[0], np.cumsum(bits)[:-1]]).astype(np.int64)
    size = np.array(topology.sizes, np.int32) * (1 if topology.wraps else -1)
    record_first, record = none, none
    if topology.twist:
        rows = [topology.records(0, node) for node in range(topology.nodes)]
        record_first = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        every = np.concatenate(rows)
        record = (((2 * np.abs(every) + (every < 0)) << shift).sum(axis=1)).astype(np.int32)
    return {
        "group": group,
        "coordinate": topology.coordinates(np.arange(topology.nodes)).astype(np.int32).ravel(),
        "size": size,
        "shift": shift,
        "field": (np.int64(1) << bits) - 1,
        "record_first": record_first,
        "record": record,
    }


def _tree_tables(topology: Topology) -> dict[str, Any]:
    """Return the stage and subtree of every router; empty on meshes and tori."""
    if not isinstance(topology, Tree):
        return {
            "stage": np.zeros(1, np.int8), "subtree": np.zeros(1, np.int32),
            "power": np.ones(1, np.int64), "up": np.zeros(3, np.int64),
        }  # fmt: skip
    stage = np.full(topology.routers, -1, np.int8)
    subtree = np.zeros(topology.routers, np.int32)
    begin = topology.nodes
    for s, count in enumerate(topology.switches_per_stage):
        stage[begin : begin + count] = s
        subtree[begin : begin + count] = np.arange(count) // topology.up**s
        begin += count
    return {
        "stage": stage,
        "subtree": subtree,
        "power": np.array([topology.down**s for s in range(topology.stages + 1)], np.int64),
        "up": np.array([topology.down, topology.up, topology.stages], np.int64),
    }


def _state(topology: Topology, config: Config, setting: k.Setting, tables: dict[str, Any]) -> k.State:
    """Return the arrays of an empty network."""
    inputs = _check_size(topology, config)
    routers, ports, nodes, vcs = topology.routers, topology.ports, topology.nodes, config.vcs
    injectors = np.where(np.arange(routers) < nodes, config.injectors, 0)
    first = np.concatenate([[0], np.cumsum(inputs + injectors)])
    slots = np.concatenate(
        [[0], np.cumsum((inputs + injectors) * config.queue_packets + injectors * config.injection_packets)]
    )
    fifos = int(first[-1])
    wired = topology.neighbor >= 0
    where, port = np.nonzero(wired)
    there, entry = topology.neighbor[wired].astype(np.int64), topology.entry[wired].astype(np.int64)
    outputs = np.zeros(routers, np.int64)
    np.bitwise_or.at(outputs, where, np.left_shift((1 << vcs) - 1, port * vcs))

    row = np.zeros((routers, setting.row), np.int64)
    row[:, k.FREE] = outputs | 1 << k.HOME
    row[:, k.ROOM] = outputs
    row[:, k.BUBBLE] = -1
    row[:, k.FIRST] = first[:-1]
    row[:, k.PLACE] = slots[:-1]
    row[:, k.INPUTS] = inputs
    row[where, setting.link + port] |= (there << k.NAME_BITS | entry * vcs) << 32
    row[there, setting.link + entry] |= where << k.NAME_BITS | port * vcs
    task = np.zeros((nodes, k.TASK_WORDS), np.int64)
    task[:, [k.WAITS, k.JOB, k.SINCE, k.ACTED, k.FIRST_DUE]] = -1
    clock = np.zeros(k.CLOCK_WORDS, np.int64)
    clock[k.LAST_DELIVERY] = -1
    exact = fifos if setting.exact else 1
    output = np.arange(64)
    empty = np.zeros(0, np.int64)
    return k.State(
        clock=clock,
        row=row.ravel(),
        fifo=np.zeros(fifos, np.int64),
        slot=np.empty(int(slots[-1]) * k.SLOT_WORDS, np.int32),
        turn=np.zeros(fifos, np.int8),
        turn_home=np.zeros(nodes, np.int8),
        turn_link=np.zeros(routers * ports, np.int8),
        came=np.full(exact, -FAR, np.int64),
        left=np.full(exact, -FAR, np.int64),
        since=np.full(fifos if setting.arbiter == k.FIRST_COME else 1, -1, np.int64),
        **_queues(fifos, setting),
        todo=np.empty(2 * nodes, np.int32),
        dirty=np.zeros(2 * setting.words, np.int64),
        dirty_top=np.zeros(2 * setting.tops, np.int64),
        deciding=np.empty(routers, np.int32),
        starting=np.empty(setting.links, np.int32),
        timer=np.empty(nodes + 1, np.int64),
        timer_node=np.empty(nodes + 1, np.int32),
        task=task.ravel(),
        emptied=np.full(nodes * config.injectors, -1, np.int64),
        op=empty,
        key=np.zeros(0, np.int32),
        deal=np.zeros(0, np.int32),
        message_start=empty,
        message_end=empty,
        job=empty,
        task_end=empty,
        task_lost=empty,
        due_order=np.zeros(1, np.int64),
        due_time=np.zeros(1, np.int64),
        due_next=np.zeros(1, np.int32),
        port_of=(output // vcs).astype(np.int8),
        vc_of=(output % vcs).astype(np.int8),
        **tables,
        **_tree_tables(topology),
        target=np.full(1, -1, np.int32),
        share=np.zeros(2, np.float64),
        hot=np.array([-1, 0], np.int64),
        packet_delays=np.zeros(delays.BINS, np.int64),
        message_delays=np.zeros(delays.BINS, np.int64),
        asked=np.zeros(64, np.int64),
        step=np.zeros(2 * max(1, setting.dims), np.int64),
    )


def _interpretable(state: k.State) -> k.State:
    """Widen all integers when the kernel runs as plain Python (``NUMBA_DISABLE_JIT=1``).

    NumPy's scalars keep the width of their array where compiled code computes in 64 bits.
    """
    if not numba.config.DISABLE_JIT:
        return state
    return k.State(*(array if array.dtype.kind == "f" else array.astype(np.int64, copy=False) for array in state))


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

    def __init__(self, start: int, first_task: int, lowered: Lowered, first_message: int, nodes: NDArray[np.int64]) -> None:
        self.start = start
        self.tasks = slice(first_task, first_task + len(lowered.first) - 1)
        self.message = lowered.message + first_message
        self.source_op = lowered.source_op
        self.nodes = nodes
        self.first_op = 0


class KernelEngine:
    """The compiled engine; see `netsim.engine.Engine`."""

    def __init__(self, topology: Topology, config: Config, seed: int = 0, record_messages: bool = False) -> None:
        self.topology = topology
        self.config = config
        tables = _grid_tables(topology, config.vcs, config.injectors)
        self._setting = _setting(topology, config, seed, record_messages, tables)
        self._state = _interpretable(_state(topology, config, self._setting, tables))
        self._jobs: list[_Job] = []
        kinds: dict[str, type[np.generic]] = {
            "op": np.int64, "key": np.int32, "deal": np.int32, "message_start": np.int64, "message_end": np.int64,
            "job": np.int64, "task_end": np.int64, "task_lost": np.int64,
            "due_order": np.int64, "due_time": np.int64, "due_next": np.int32,
        }  # fmt: skip
        wide = numba.config.DISABLE_JIT
        self._growing = {name: _Growing(np.int64 if wide else kind) for name, kind in kinds.items()}
        for name in ("due_order", "due_time", "due_next"):
            self._growing[name].extend(np.zeros(1, np.int64))

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
        side = int(s.clock[k.SIDE])
        fresh = nodes[task[nodes, k.ACTED] < self.now]
        task[fresh, k.ACTED] = self.now
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
            raise ValueError(f"{begin + len(rows)} kinds of message are more than the kernel's {1 << k.KEY_BITS}")
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
        self._state = _interpretable(
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
        task[mine, k.BUSY_UNTIL] = 0
        task[mine, k.LOST] = 0
        self._act_now(mine)
        if not works.any():
            self._state.clock[k.ENDED] = 1
        return job

    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic from cycle `now` on at all nodes without a task, or stop it."""
        task = self._state.task.reshape(-1, k.TASK_WORDS)
        was = task[:, k.JOB] == k.OPEN_LOOP
        task[was, k.JOB] = -1
        task[was, k.LEFT] = 0
        task[was, k.SINCE] = -1
        n = int(self._state.clock[k.TIMERS])
        kept = ~was[self._state.timer_node[:n]]
        timers = self._state.timer[:n][kept], self._state.timer_node[:n][kept]
        if traffic is None:
            self._set_timers(*timers)
            return
        nodes = self.topology.nodes
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
        sources = every[(task[:, k.JOB] < 0) & (traffic.target != every)]
        if traffic.chance <= 0 or nodes == 1:
            self._set_timers(*timers)
            return
        task[sources, k.JOB] = k.OPEN_LOOP
        seed = self._setting.seed
        drawn = [self.now + gap(draw(seed, GAP, int(n), 0, self.now), float(s.share[0])) for n in sources]
        self._set_timers(np.append(timers[0], drawn), np.append(timers[1], sources))

    def _set_timers(self, cycles: NDArray[Any], nodes: NDArray[Any]) -> None:
        """Replace all timers; a sorted list is a heap."""
        s = self._state
        order = np.argsort(cycles, kind="stable")
        s.timer[: len(order)] = cycles[order]
        s.timer_node[: len(order)] = nodes[order]
        s.clock[k.TIMERS] = len(order)

    def run(self, until: int = FAR) -> Exit:
        """Simulate cycles ``now .. until - 1``; return early after a cycle in which a job ended, or when idle."""
        if self._state.clock[k.ENDED]:
            self._state.clock[k.ENDED] = 0
            return Exit.JOB_ENDED
        if run.signatures:
            return Exit(run(self._state, self._setting, int(until)))
        with scalar_code():  # the first call compiles, or reads the cache
            return Exit(run(self._state, self._setting, int(until)))

    def job(self, number: int) -> JobRecord:
        """Return what is known of a job."""
        job, s = self._jobs[number], self._state
        lost = s.task_lost[job.tasks].copy()
        running = s.task_end[job.tasks] < 0
        task = s.task.reshape(-1, k.TASK_WORDS)[job.nodes]
        blocked = np.where(task[:, k.SINCE] >= 0, self.now - task[:, k.SINCE], 0)
        lost[running] = (task[:, k.LOST] + blocked)[running]
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
            link_packets=self._crossed().copy(),
            packet_delays=s.packet_delays.copy(),
            message_delays=s.message_delays.copy(),
            packet_delay_sum=int(s.clock[k.PACKET_DELAY]),
            message_delay_sum=int(s.clock[k.MESSAGE_DELAY]),
            events=int(s.clock[k.EVENTS]),
            last_delivery=int(s.clock[k.LAST_DELIVERY]),
        )

    def _crossed(self) -> NDArray[np.int64]:
        """Packets that crossed each link, as a view of the rows, shape (routers, ports)."""
        u = self._setting
        return self._state.row.reshape(-1, u.row)[:, u.crossed :]

    _created_before = 0
    _delivered_before = 0

    def reset_counters(self) -> None:
        """Start the totals anew; packets in flight stay."""
        s = self._state
        self._created_before = int(s.clock[k.CREATED])
        self._delivered_before = int(s.clock[k.DELIVERED])
        s.clock[[k.PACKET_DELAY, k.MESSAGE_DELAY, k.EVENTS]] = 0
        for totals in (self._crossed(), s.packet_delays, s.message_delays):
            totals[:] = 0

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail."""
        return int(self._state.clock[k.CREATED] - self._state.clock[k.DELIVERED])

    def blocked(self) -> Blocked:
        """Tell who waits for whom now."""
        return Blocked(tasks=self._blocked_tasks(), fifos=self._blocked_fifos())

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
            if task[node, k.SINCE] >= 0:
                why = "injector"
            else:
                why = {k.RECV: "receive", k.SENT: "rendezvous", k.SENT_LAST: "rendezvous"}.get(word, "compute")
            operation = int(job.source_op[min(pc - job.first_op, len(job.source_op) - 1)])
            found.append((number, int(task[node, k.TASK]) - job.tasks.start, operation, why))
        return found

    def _blocked_fifos(self) -> list[tuple[int, int, int, list[tuple[int, int]]]]:
        """Return (router, input, packets, FIFOs downstream it could ask for) of every waiting head."""
        s, u = self._state, self._setting
        found = []
        row = s.row.reshape(-1, u.row)
        for router in np.flatnonzero(row[:, k.WAIT]):
            for i in range(k.MOST_INPUTS):
                if not row[router, k.WAIT] >> i & 1:
                    continue
                wants = []
                for port in range(u.ports):
                    if row[router, k.WANT + port] >> i & 1:
                        name = int(row[router, u.link + port]) >> 32
                        entry = name & k.INPUT
                        wants += [(name >> k.NAME_BITS, entry + vc) for vc in range(u.vcs)]
                packets = int(s.fifo[row[router, k.FIRST] + i]) >> k.COUNT & k.FIELD
                found.append((int(router), i, packets, wants))
        return found
