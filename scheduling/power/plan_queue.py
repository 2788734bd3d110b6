"""A policy that plans starts, boots and stops ahead over a rolling horizon."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.plain import PlainQueue
from netplace.scheduling.power.nodes import NodePower
from netplace.scheduling.power.on_off import SlotJob, SlotPower, Slots
from netplace.scheduling.power.planner import Planning, make_plan

_ROUNDING = 1e-6  # seconds by which clocks may differ
_LATEST = 6  # slots after which a plan is made anew at the latest
_MOST_SLOTS = 100_000
_ARRIVALS = 10  # submissions after which a plan is made anew


@dataclass(frozen=True, eq=False)
class _Current:
    """The plan in execution: `starts` by row of the job, `on` and `use` by slot, slot 0 at `begin`."""

    begin: float
    starts: dict[int, float]
    on: list[float]
    use: list[float]


class PlanQueue(PlainQueue):
    """Starts jobs, boots and stops nodes according to a plan, which is renewed as things happen.

    A plan is made when a job arrives that fits into free nodes, when ten have arrived, when a job ends more
    than a slot before its estimate or exceeds it, and after six slots, but at most once per slot. A planned
    job starts as soon as its slot has come and its nodes are free and on; one that is planned for later
    starts at once if the nodes that are to be on anyway suffice for all its time.
    """

    def __init__(self, power: NodePower, planning: Planning) -> None:
        super().__init__()
        self._power, self._nodes, self._planning = power, power.size, planning
        self._slot_power = SlotPower.of(power.model, planning.slot)
        self._running: dict[int, Running] = {}
        self._current: _Current | None = None
        self._promised: dict[int, float] = {}  # by row: the start after which none is planned
        self._arrived, self._due = 0, True
        # Latest expected end among the jobs that have ended since the last pass.
        self._ended_early = -math.inf
        self.counts = {"plans": 0, "fallbacks": 0, "timeouts": 0, "put_off": 0}

    def add(self, waiting: Waiting) -> None:
        if not waiting.estimate < math.inf:
            raise ValueError(
                f"job {waiting.job.number}: has no finite estimate, which a plan needs; expected an "
                f"estimate rule such as --estimates run-time"
            )
        super().add(waiting)
        self._arrived += 1

    def ended(self, running: Running) -> None:
        self._running.pop(running.order, None)
        self._ended_early = max(self._ended_early, running.expected_end)

    def late(self, running: Running, expected_end: float) -> None:
        running.expected_end = expected_end
        self._due = True

    def advance(self, machine: Machine) -> None:
        now = machine.now
        self._notice(machine)
        old = math.inf if self._current is None else now - self._current.begin
        may = old >= self._planning.slot - _ROUNDING
        if (self._due and may) or old >= _LATEST * self._planning.slot - _ROUNDING:
            self._plan(now)
        again = self._apply_plan(machine)
        if self._due and self.waiting:
            again = min(again, self._current.begin + self._planning.slot if self._current else now)
        if again < math.inf and (self.waiting or self._running or again > now):
            machine.wake(max(again, now + 1e-3))

    def _notice(self, machine: Machine) -> None:
        self._due |= self._ended_early > machine.now + self._planning.slot
        self._ended_early = -math.inf
        if self._arrived:
            free = machine.partitioner.free  # those that are off included: they can boot
            new = [waiting for waiting in self.waiting if waiting.row not in self._promised]
            if self._arrived >= _ARRIVALS or any(waiting.job.nodes <= free for waiting in new):
                self._due = True
        if self._current is None or not (
            set(self._current.starts) & {waiting.row for waiting in self.waiting}
        ):
            self._due |= bool(self.waiting)

    # Planning.

    def _plan(self, now: float) -> None:
        chosen = self.waiting[: self._planning.jobs]
        slot = self._planning.slot
        jobs = tuple(self._job_of(waiting, now) for waiting in chosen)
        slots = self._slots(now, jobs)
        made = make_plan(slots, jobs, self._planning)
        while made is None:  # the list is longer than was thought
            if slots.slots > _MOST_SLOTS:
                raise ValueError(
                    f"switching plan: {len(jobs)} jobs do not fit into {slots.slots:,} slots of "
                    f"{self._planning.slot:g} s, expected a longer slot"
                )
            slots = replace(slots, slots=2 * slots.slots)
            made = make_plan(slots, jobs, self._planning)
        self.counts["plans"] += 1
        self.counts["fallbacks"] += made.fell_back
        self.counts["timeouts"] += made.timed_out
        starts = {
            waiting.row: now + slot * start for waiting, start in zip(chosen, made.plan.starts, strict=True)
        }
        for waiting, start in zip(chosen, made.listed, strict=True):
            self._promised.setdefault(waiting.row, now + slot * start)
            if math.isnan(waiting.promised):
                waiting.promised = now + slot * (start + self._planning.late)
        use = slots.use().astype(float)
        for job, start in zip(jobs, made.plan.starts, strict=True):
            use[start : start + job.slots] += job.nodes
        self._current = _Current(now, starts, made.plan.on.tolist(), use.tolist())
        self._arrived, self._due = 0, False

    def _job_of(self, waiting: Waiting, now: float) -> SlotJob:
        """Return a job in slots; its last start is what was promised, so that it is not put off forever."""
        slot, planning = self._planning.slot, self._planning
        promised = self._promised.get(waiting.row)
        last = None if promised is None else max(0, math.floor((promised - now) / slot) + planning.late)
        length = max(1, math.ceil(waiting.estimate / slot - 1e-9))
        return SlotJob(waiting.job.nodes, length, 0, last, 0)

    def _slots(self, now: float, jobs: tuple[SlotJob, ...]) -> Slots:
        """Return the machine as it is, and a horizon behind the end of the list."""
        power = self._slot_power
        held = [
            (len(running.allocation.nodes), max(1, self._slots_until(running.expected_end - now)))
            for running in self._running.values()
        ]
        # Nodes that boot for a job which holds them count as on: they are in use.
        boots = [self._slots_until(ready - now) for ready in self._power.idle(now)[1].tolist()]
        boots = [until for until in boots if until > 0]
        stops = [self._slots_until(gone - now) for gone in self._power.leaving(now)]
        load = sum(job.nodes * job.slots for job in jobs) / self._nodes
        horizon = max((until for _, until in held), default=0) + 2 * math.ceil(load)
        horizon += 2 * max((job.slots for job in jobs), default=1)
        horizon += power.boot_slots + power.stop_slots + self._planning.late + 2
        return Slots(
            self._nodes,
            horizon,
            power,
            tuple(held),
            int(np.count_nonzero(self._power.awake)) - len(boots),
            int(self._power.model.keep),
            tuple((1, until - power.boot_slots) for until in boots),
            tuple((1, until - power.stop_slots) for until in stops if until > 0),
        )

    def _slots_until(self, seconds: float) -> int:
        return math.ceil(seconds / self._planning.slot - 1e-9)

    # Carrying out.

    def _apply_plan(self, machine: Machine) -> float:
        """Start what is due, switch nodes, and return when the next thing is due."""
        current, now, slot = self._current, machine.now, self._planning.slot
        if current is None:
            return math.inf
        planned = sorted(
            (current.starts[waiting.row], waiting.row, waiting)
            for waiting in self.waiting
            if waiting.row in current.starts
        )
        again = math.inf
        blocked = False
        for start, _, waiting in planned:
            due = start <= now + _ROUNDING
            if not due:
                again = min(again, start)
            if (due and not blocked) or self._spare(waiting, now):
                blocked |= not self._begin(waiting, machine, due)
            elif due:
                blocked = True
        again = min(again, self._switch(now))
        return min(again, current.begin + _LATEST * slot if self.waiting or self._running else math.inf)

    def _begin(self, waiting: Waiting, machine: Machine, due: bool) -> bool:
        assert self._current is not None
        partitioner, now = machine.partitioner, machine.now
        if waiting.job.nodes > partitioner.free:
            return False
        allocation = partitioner.find(waiting.job)
        if allocation is None:
            self.counts["put_off"] += 1
            return False
        self.waiting.remove(waiting)
        self._promised.pop(waiting.row, None)
        start = self._current.starts.pop(waiting.row)
        running = machine.start(waiting, allocation, backfilled=not due)
        self._running[running.order] = running
        if not due:
            self._use(start, waiting, -waiting.job.nodes)
            self._use(now, waiting, waiting.job.nodes)
        return True

    def _use(self, start: float, waiting: Waiting, nodes: int) -> None:
        assert self._current is not None
        for place in self._places(start, waiting):
            self._current.use[place] += nodes

    def _places(self, start: float, waiting: Waiting) -> range:
        """Return the slots of the current plan that a job would be in."""
        current, slot = self._current, self._planning.slot
        assert current is not None
        first = math.floor((start - current.begin) / slot + 1e-9)
        last = math.ceil((start - current.begin + waiting.estimate) / slot - 1e-9)
        return range(min(first, len(current.use)), min(max(last, first + 1), len(current.use)))

    def _spare(self, waiting: Waiting, now: float) -> bool:
        """Return whether nodes that are to be on anyway suffice for a job from now on."""
        current = self._current
        assert current is not None
        if waiting.job.nodes > self._power.counts(now)[1]:
            return False
        places = self._places(now, waiting)
        return len(places) > 0 and all(
            current.on[place] - current.use[place] >= waiting.job.nodes - 1e-6 for place in places
        )

    def _switch(self, now: float) -> float:
        """Bring the nodes to what the plan says for this slot, and for the one in which a boot would end."""
        current, slot = self._current, self._planning.slot
        assert current is not None
        place = math.floor((now - current.begin) / slot + 1e-9)
        awake, wanted = int(np.count_nonzero(self._power.awake)), self._wanted(place)
        if wanted > awake:
            self._power.boot_some(wanted - awake, now)
        elif wanted < awake:
            nodes, since = self._power.idle(now)
            ready = nodes[since <= now + _ROUNDING]
            spare = self._power.counts(now)[0] - int(self._power.model.keep)
            self._power.stop(ready[: max(min(awake - wanted, spare), 0)], now)
        later = (slot for slot in range(place + 1, len(current.on) + 1) if self._wanted(slot) != wanted)
        change = next(later, None)
        return math.inf if change is None else current.begin + change * slot

    def _wanted(self, place: int) -> int:
        """Return the most nodes that must be on or booting in the slots until a boot has ended."""
        # Behind the plan those that are always on.
        assert self._current is not None
        near = self._current.on[place : place + self._slot_power.boot_slots + 1]
        return max(round(max(near, default=0.0)), int(self._power.model.keep))
