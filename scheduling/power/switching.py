"""Rules by which nodes are switched, by name: after each pass of a policy they stop and boot nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from netplace.inputs import check_choice, check_float, check_int
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.policy.asked import Machine, Queue, Running, Waiting
from netplace.scheduling.power.model import PowerModel
from netplace.scheduling.power.nodes import NodePower
from netplace.scheduling.power.plan_queue import PlanQueue
from netplace.scheduling.power.planner import Planning

_ROUNDING = 1e-6  # seconds by which clocks may differ


def _stop_idle(power: NodePower, now: float, seconds: float, spared: int) -> float:
    """Stop nodes idle for `seconds`, the longest first, but spare some; return when the next is due."""
    nodes, since = power.idle(now)
    on, _, booting = power.counts(now)
    maximum = min(len(nodes) - spared, on - int(power.model.keep))
    if maximum <= 0:  # a node that boots is not on yet; when it is, another may stop
        return power.next_ready(now) if booting and len(nodes) > spared else math.inf
    due = nodes[since + seconds <= now + _ROUNDING][:maximum]
    stopped, again = power.stop(due, now) if len(due) else (0, math.inf)
    later = since[len(due) : maximum]
    return min(again, float(later.min()) + seconds) if len(later) and stopped == len(due) else again


class Timeout:
    """Stops nodes that have been idle for `seconds`, but not the last `reserve` of them."""

    def __init__(self, seconds: float, reserve: int = 0) -> None:
        self._seconds, self._reserve = seconds, reserve

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        """Stop nodes; the reserve is filled up again by booting others."""
        _, idle, booting = power.counts(now)
        held_booting = booting - int(np.count_nonzero(power.idle(now)[1] > now + _ROUNDING))
        lacking = self._reserve - idle - (booting - held_booting)
        if lacking > 0 and (len(queue) or running):
            power.boot_some(lacking, now)
        return _stop_idle(power, now, self._seconds, self._reserve)


@runtime_checkable
class Foreseeing(Protocol):
    """A policy that says when it means to start jobs."""

    def foreseen(self) -> list[tuple[float, int]]:
        """Return starts that are planned, each with the nodes that it needs."""


class Switcher(Protocol):
    """A rule by which nodes are switched while another policy starts jobs."""

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        """Switch nodes, and return when to be asked again; infinity: only after the next event."""


class SwitchingQueue:
    def __init__(self, inner: Queue, power: NodePower, switcher: Switcher) -> None:
        self._inner, self._power, self._switcher = inner, power, switcher
        self._running: dict[int, Running] = {}

    def __len__(self) -> int:
        return len(self._inner)

    def add(self, waiting: Waiting) -> None:
        self._inner.add(waiting)

    def ended(self, running: Running) -> None:
        self._running.pop(running.order, None)
        self._inner.ended(running)

    def late(self, running: Running, expected_end: float) -> None:
        self._inner.late(running, expected_end)

    def head(self) -> Waiting | None:
        return self._inner.head()

    def advance(self, machine: Machine) -> None:
        seen = _Seen(machine, self._running)
        self._inner.advance(cast(Machine, seen))
        again = self._switcher.switch(self._power, machine.now, self._inner, list(self._running.values()))
        nearest = min(again, seen.wake_at if seen.wake_at > machine.now else math.inf)
        if nearest < math.inf:
            machine.wake(max(nearest, machine.now + 1e-3))


class _Seen:
    """The machine as the inner policy sees it: its starts and wishes to be woken are noted."""

    def __init__(self, machine: Machine, running: dict[int, Running]) -> None:
        self._machine, self._running = machine, running
        self.wake_at = math.inf

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def start(self, waiting: Waiting, allocation: Allocation, backfilled: bool = False) -> Running:
        running = self._machine.start(waiting, allocation, backfilled)
        self._running[running.order] = running
        return running

    def wake(self, time: float) -> None:
        self.wake_at = time


class Lookahead:
    """A timeout that looks at the starts that the policy has planned.

    As many idle nodes stay on as those starts need within a stop, a boot and the break-even time; nodes that
    are off are booted one boot time before a planned start.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        assert isinstance(queue, Foreseeing)
        boot = power.model.boot_seconds
        within = now + power.model.switching_seconds + power.model.break_even
        spared = missing = needed = 0
        again = math.inf
        for start, nodes in sorted(queue.foreseen()):
            needed += nodes
            if start > within:
                again = min(again, start - boot)
                break
            freed = sum(len(job.allocation.nodes) for job in running if job.expected_end <= start)
            spared = max(spared, needed - freed)
            if start - boot <= now + 1e-6:
                missing = max(missing, needed - freed)
            else:
                again = min(again, start - boot)
        free = len(power.idle(now)[0])
        if missing > free:
            power.boot_some(missing - free, now)
        return min(again, _stop_idle(power, now, self._seconds, spared))


_PLANNING: dict[str, type[int] | type[float]] = {
    "early": int, "gap": float, "jobs": int, "late": int, "nodes": int, "seconds": float, "slot": float,
}  # fmt: skip
Build = Callable[[Queue, NodePower, str], Queue]


@dataclass(frozen=True)
class Switching:
    # Takes the text after the name and a colon and the power model, and returns what makes a queue with
    # switched nodes of a queue, the nodes and the name of its policy.
    make: Callable[[str, PowerModel], Build]
    example: str  # how a user asks for it
    description: str  # description in one line


def _always_on(option: str, model: PowerModel) -> Build:
    if option:
        raise ValueError(f"switching always-on: takes no option, but {option!r} was given")
    return lambda queue, nodes, name: queue


def _timeout(option: str, model: PowerModel) -> Build:
    seconds = _seconds("timeout", option, model)
    return lambda queue, nodes, name: SwitchingQueue(queue, nodes, Timeout(seconds))


def _reserve(option: str, model: PowerModel) -> Build:
    count, _, rest = option.partition(",")
    reserve = check_int(count, "switching reserve: idle nodes", 0)
    seconds = _seconds("reserve", rest, model)
    return lambda queue, nodes, name: SwitchingQueue(queue, nodes, Timeout(seconds, reserve))


def _lookahead(option: str, model: PowerModel) -> Build:
    seconds = _seconds("lookahead", option, model)

    def build(queue: Queue, nodes: NodePower, name: str) -> Queue:
        if not isinstance(queue, Foreseeing):
            raise ValueError(
                f"switching lookahead: policy {name} does not plan starts, expected easy or conservative"
            )
        return SwitchingQueue(queue, nodes, Lookahead(seconds))

    return build


def read_planning(option: str) -> Planning:
    given: dict[str, Any] = {}
    for word in filter(None, option.split(",")):
        name, _, value = word.partition("=")
        kind = _PLANNING[check_choice(name, _PLANNING, "switching plan: option")]
        try:
            given[name] = kind(value)
        except ValueError:
            raise ValueError(
                f"switching plan: {name} is {value!r}, expected a number, such as plan:{name}=2"
            ) from None
    return Planning(**given)


def _plan(option: str, model: PowerModel) -> Build:
    planning = read_planning(option)

    def build(queue: Queue, nodes: NodePower, name: str) -> Queue:
        if name != "easy":
            raise ValueError(f"switching plan: policy {name} given, but a plan replaces the policy")
        return PlanQueue(nodes, planning)

    return build


SWITCHINGS: dict[str, Switching] = {
    "always-on": Switching(_always_on, "always-on", "all nodes stay on"),
    "lookahead": Switching(
        _lookahead, "lookahead:300", "timeout, but nodes of planned starts stay on or boot in time"
    ),
    "plan": Switching(
        _plan,
        "plan:slot=300,late=2",
        "plans starts, boots and stops over a rolling horizon, instead of a policy",
    ),
    "reserve": Switching(_reserve, "reserve:8,300", "timeout, but keeps a number of idle nodes on"),
    "timeout": Switching(
        _timeout,
        "timeout:300",
        "switches a node off after an idle time in seconds, by default the break-even time",
    ),
}


def read_switching(text: str, model: PowerModel) -> Build:
    """Return a function that makes queues whose nodes are switched by the given rule."""
    name, _, option = text.partition(":")
    return SWITCHINGS[check_choice(name, SWITCHINGS, "switching")].make(option, model)


def _seconds(name: str, option: str, model: PowerModel) -> float:
    if not option:
        return model.break_even
    try:
        return check_float(float(option), f"switching {name}: seconds", 0, 1e15)
    except ValueError:
        raise ValueError(
            f"switching {name}: {option!r} is not a time, expected seconds of at least 0, such as {name}:300"
        ) from None
