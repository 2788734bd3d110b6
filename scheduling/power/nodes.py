"""Nodes that are switched: their states, times and records, and a partitioner that prefers those on."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.energy import STATES, Energy
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes, Partitioner
from netplace.scheduling.power.model import PowerModel

_OFF, _BOOTING, _IDLE, _BUSY, _STOPPING = range(5)
_ROUNDING = 1e-6  # seconds by which clocks may differ
_MINUTE = 60.0


class NodePower:
    """States of all nodes; all are on at first.

    A boot or a stop cannot be reversed: a node that is wanted while it stops boots after that. `boot_rate`,
    `stop_rate`: nodes per minute at most; 0: no limit. `version` counts switches; `begins` holds when jobs
    began to run.
    """

    def __init__(self, nodes: int, model: PowerModel, boot_rate: int = 0, stop_rate: int = 0) -> None:
        self.model, self.version = model, 0
        self.begins: dict[int, float] = {}
        self.size = nodes
        self.awake = np.ones(nodes, bool)  # or booting
        self._held = np.zeros(nodes, bool)
        self._ready = np.full(nodes, -math.inf)  # when its last boot ends
        self._gone = np.full(nodes, -math.inf)  # when its last stop ends
        self._free_since = np.full(nodes, -math.inf)
        self._begun = False  # nodes are free since they were first asked for
        self._stop_rate = stop_rate
        self._booted: deque[float] = deque(maxlen=boot_rate or 1)
        self._boot_rate = boot_rate
        self._stopped: deque[float] = deque(maxlen=stop_rate or 1)
        self._log: list[tuple[float, Nodes, int]] = []

    # What there is.

    def counts(self, now: float) -> tuple[int, int, int]:
        ready = self.awake & (self._ready <= now + _ROUNDING)
        on = int(np.count_nonzero(ready))
        idle = int(np.count_nonzero(ready & ~self._held))
        return on, idle, int(np.count_nonzero(self.awake)) - on

    def next_ready(self, now: float) -> float:
        return float(self._ready[self.awake & (self._ready > now + _ROUNDING)].min(initial=math.inf))

    def leaving(self, now: float) -> list[float]:
        return sorted(self._gone[~self.awake & (self._gone > now + _ROUNDING)].tolist())

    def idle(self, now: float) -> tuple[Nodes, NDArray[np.float64]]:
        """Return the free nodes on or booting, the longest idle first, and since when they are idle."""
        if not self._begun:
            self._begun, self._free_since = True, np.maximum(self._free_since, now)
        nodes = np.flatnonzero(self.awake & ~self._held)
        since = np.maximum(self._free_since[nodes], self._ready[nodes])
        order = np.lexsort((-nodes, since))
        return nodes[order], since[order]

    # What happens.

    def take(self, nodes: Nodes, now: float) -> float:
        self._held[nodes] = True
        self.boot(nodes[~self.awake[nodes]], now)
        return max(now, float(self._ready[nodes].max()))

    def release(self, nodes: Nodes, begin: float, now: float) -> None:
        """Take back nodes on which a job ran from `begin`, if it came to that, until `now`."""
        if now > begin:
            self._log.append((begin, nodes, _BUSY))
            self._log.append((now, nodes, _IDLE))
        self._held[nodes] = False
        self._free_since[nodes] = now

    def boot(self, nodes: Nodes, now: float) -> None:
        for node in nodes.tolist():
            begin = max(now, float(self._gone[node]))
            if self._boot_rate and len(self._booted) == self._boot_rate:
                begin = max(begin, self._booted[0] + _MINUTE)
            self._booted.append(begin)
            single = np.array([node])
            self._log.append((begin, single, _BOOTING))
            self._log.append((begin + self.model.boot_seconds, single, _IDLE))
            self._ready[node] = begin + self.model.boot_seconds
        if len(nodes):
            self.awake[nodes] = True
            self.version += 1

    def boot_some(self, count: int, now: float) -> int:
        """Boot so many of the nodes that are off, the lowest first, and return how many there were."""
        off = np.flatnonzero(~self.awake & ~self._held)
        off = off[np.argsort(self._gone[off] > now, kind="stable")][: max(count, 0)]
        self.boot(off, now)
        return len(off)

    def stop(self, nodes: Nodes, now: float) -> tuple[int, float]:
        """Stop idle nodes within the rate; return how many, and when the next may be (infinity: all were)."""
        allowed, next_time = len(nodes), math.inf
        if self._stop_rate:
            recent = [time for time in self._stopped if time > now - _MINUTE + _ROUNDING]
            if len(nodes) > self._stop_rate - len(recent):
                allowed = self._stop_rate - len(recent)
                next_time = (recent[0] if recent else now) + _MINUTE
            self._stopped.extend([now] * allowed)
        nodes = nodes[:allowed]
        if allowed:
            gone = now + self.model.stop_seconds
            self.awake[nodes] = False
            self._gone[nodes] = gone
            self._log.append((now, nodes, _STOPPING))
            self._log.append((gone, nodes, _OFF))
            self.version += 1
        return allowed, next_time

    # What comes of it.

    def energy(
        self,
        switching: str,
        span: tuple[float, float],
        jobs: tuple[NDArray[np.float64], NDArray[np.int64]],
        counts: dict[str, int],
    ) -> Energy:
        """Return the energy between first submission and last end; `jobs` holds their ends and held nodes."""
        first, last = span
        moments, changes = self._changes(first, last)
        time = np.append(moments, last) if moments[-1] < last else moments
        steps = len(time) - 1
        nodes = {state: np.cumsum(changes[place])[:steps] for place, state in enumerate(STATES)}
        ends, held = jobs
        begin = np.array([self.begins.get(row, math.nan) for row in range(len(ends))])
        watts = {state: self.model.watts(state) for state in STATES}
        drawn = held * (ends - begin) * self.model.busy
        boots, stops = (self._begun_before(last, code) for code in (_BOOTING, _STOPPING))
        return Energy(switching, time, nodes, watts, begin, drawn, boots, stops, counts)

    def _begun_before(self, last: float, code: int) -> int:
        return sum(len(nodes) for moment, nodes, state in self._log if state == code and moment < last)

    def _changes(self, first: float, last: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the times from `first` on at which nodes change, and by how much each state grows then."""
        nodes = np.concatenate([np.arange(self.size), *(changed for _, changed, _ in self._log)])
        sizes = [self.size, *(len(changed) for _, changed, _ in self._log)]
        time = np.repeat([-math.inf, *(moment for moment, *_ in self._log)], sizes)
        state = np.repeat([_IDLE, *(code for *_, code in self._log)], sizes)
        # Of one node and instant the later entry counts: a stop that has ended before a boot that begins.
        order = np.lexsort((np.arange(len(nodes)), time, nodes))
        nodes, time, state = nodes[order], np.clip(time[order], first, last), state[order]
        own = np.append(False, nodes[1:] == nodes[:-1])
        moments, place = np.unique(time, return_inverse=True)
        changes = np.zeros((len(STATES), len(moments)), np.int64)
        np.add.at(changes, (state, place), 1)
        np.add.at(changes, (state[:-1][own[1:]], place[own]), -1)
        return moments, changes


class AwakeFirst:
    """Asks a partitioner for a place among the nodes that are on, then for one anywhere.

    Where any free nodes do (`Partitioner.by_count`), a job that needs more than are on gets all of these, and
    the first of the others.
    """

    def __init__(self, inner: Partitioner, power: NodePower) -> None:
        self._all, self._on, self._power = inner, inner.copy(), power
        self._is_free = np.ones(inner.free, bool)
        self._hidden = np.zeros(inner.free, bool)  # off and free: held in the map of nodes that are on
        self._version = -1
        try:
            trial = inner.copy()
            trial.take(Allocation(np.array([inner.free - 1])))
            trial.release(Allocation(np.array([inner.free - 1])))
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError(
                "power: this partition allocates boxes, so it cannot prefer nodes that are on; expected "
                "another partition, or awake = false in the file of the power model"
            ) from None

    @property
    def free(self) -> int:
        return self._all.free

    @property
    def by_count(self) -> bool:
        return self._all.by_count

    @property
    def by_queue(self) -> bool:
        return getattr(self._all, "by_queue", False)

    @property
    def searches(self) -> int:
        return self._all.searches + self._on.searches

    @property
    def visited(self) -> int:
        return self._all.visited + self._on.visited

    def find(self, job: Job) -> Allocation | None:
        self._follow()
        allocation = self._on.find(job) if job.nodes <= self._on.free else None
        if allocation is not None:
            return allocation
        if self.by_count and job.nodes <= self.free:
            on = np.flatnonzero(self._is_free & ~self._hidden)
            off = np.flatnonzero(self._hidden)[: job.nodes - len(on)]
            return Allocation(np.sort(np.concatenate([on, off])))
        return self._all.find(job)

    def take(self, allocation: Allocation) -> None:
        self._follow()
        nodes = allocation.nodes
        hidden = self._hidden[nodes]
        self._all.take(allocation)
        if not hidden.all():
            self._on.take(Allocation(nodes[~hidden]) if hidden.any() else allocation)
        self._hidden[nodes] = False
        self._is_free[nodes] = False

    def release(self, allocation: Allocation) -> None:
        self._all.release(allocation)
        self._on.release(allocation)
        self._is_free[allocation.nodes] = True
        self._version = -1

    def copy(self) -> AwakeFirst:
        self._follow()
        twin = object.__new__(AwakeFirst)
        twin._all, twin._on, twin._power = self._all.copy(), self._on.copy(), self._power
        twin._is_free, twin._hidden = self._is_free.copy(), self._hidden.copy()
        twin._version = self._version
        return twin

    def _follow(self) -> None:
        if self._version == self._power.version:
            return
        hidden = self._is_free & ~self._power.awake
        self._mark(np.flatnonzero(hidden & ~self._hidden), False)
        self._mark(np.flatnonzero(self._hidden & ~hidden), True)
        self._hidden, self._version = hidden, self._power.version

    def _mark(self, nodes: Nodes, free: bool) -> None:
        if len(nodes):
            (self._on.release if free else self._on.take)(Allocation(nodes))
