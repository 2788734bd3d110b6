"""Rules by which nodes are switched, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice, check_float, check_int
from netplace.scheduling.energy import Energy
from netplace.scheduling.policy.asked import Queue
from netplace.scheduling.power.model import PowerModel, PowerRules
from netplace.scheduling.power.nodes import NodePower
from netplace.scheduling.power.plan_queue import PlanQueue
from netplace.scheduling.power.planner import Planning
from netplace.scheduling.power.switching_queue import Foreseeing, Lookahead, SwitchingQueue, Timeout

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


@dataclass(frozen=True)
class Switched:
    queue: Queue
    nodes: NodePower
    switching: str  # text form of the rule

    def energy(
        self, submit: NDArray[np.float64], end: NDArray[np.float64], held: NDArray[np.int64]
    ) -> Energy | None:
        """Return what the nodes drew; None if no job ran."""
        if not len(submit):
            return None
        counts = dict(getattr(self.queue, "counts", {}))
        span = float(submit.min()), float(end.max())
        return self.nodes.energy(self.switching, span, (end, held), counts)


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
    """Return what makes a queue whose nodes are switched by a rule."""
    name, _, option = text.partition(":")
    return SWITCHINGS[check_choice(name, SWITCHINGS, "switching")].make(option, model)


def switch_nodes(rules: PowerRules, nodes: int, queue: Queue, policy: str) -> Switched:
    rules.check(nodes)
    power = NodePower(nodes, rules.model, rules.boot_rate, rules.stop_rate)
    return Switched(
        read_switching(rules.switching, rules.model)(queue, power, policy), power, rules.switching
    )


def _seconds(name: str, option: str, model: PowerModel) -> float:
    if not option:
        return model.break_even
    try:
        return check_float(float(option), f"switching {name}: seconds", 0, 1e15)
    except ValueError:
        raise ValueError(
            f"switching {name}: {option!r} is not a time, expected seconds of at least 0, such as {name}:300"
        ) from None
