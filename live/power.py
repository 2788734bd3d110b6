"""Which nodes to switch on and off now, from the jobs that run and wait on a real machine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from netplace.inputs import check_choice, check_float, check_int
from netplace.scheduling.power import PowerModel, SlotJob, SlotPower, Slots, make_plan
from netplace.scheduling.power.switching import read_planning

RULES = ("always-on", "timeout", "reserve", "plan")
_PENDING = 5  # jobs of the queue that are planned, as in the report of Marra et al.
_MOST_SLOTS = 20_000


@dataclass(frozen=True)
class PowerState:
    """The input of a rule of switching; times in seconds."""

    now: float
    idle: dict[str, float]  # nodes that are on and without a job, and the begin of that time
    off: tuple[str, ...] = ()  # nodes that are off and can be booted
    running: tuple[tuple[int, float], ...] = ()  # nodes of each running job, and the seconds until its limit
    # Nodes and time limit of each waiting job, the highest priority first.
    waiting: tuple[tuple[int, float], ...] = ()
    booting: int = 0  # nodes that boot, for no job in particular


@dataclass(frozen=True)
class Decision:
    """Nodes to boot and to stop, how many are wanted beside those of running jobs, and why."""

    boot: tuple[str, ...]
    stop: tuple[str, ...]
    wanted: int
    reason: str


def decide(rule: str, model: PowerModel, state: PowerState) -> Decision:
    """Return which nodes to switch now.

    No node is booted for jobs that get their nodes from running jobs before a boot would end.

    Parameters
    ----------
    rule : str
        ``always-on``; ``timeout:S``; ``reserve:K,S``; or ``plan:slot=..``, the plan of two phases of Marra et
        al. for the first five waiting jobs.

    Raises
    ------
    ValueError
        If there is no such rule, or a job of a plan has no time limit.
    """
    name, _, option = rule.partition(":")
    check_choice(name, RULES, "power rule")
    if name == "plan":
        return _planned(option, model, state)
    wanted, reason = _missing(model, state)
    if name == "always-on":
        if option:
            raise ValueError(f"power rule always-on: takes no option, but {option!r} was given")
        return Decision(state.off, (), len(state.idle) + len(state.off), "every node is on")
    spare = 0
    if name == "reserve":
        count, _, option = option.partition(",")
        spare = check_int(count, "power rule reserve: nodes", 0)
    seconds = check_float(option, f"power rule {name}: seconds", 0, 1e12) if option else model.break_even
    wanted = max(wanted, spare)
    on = len(state.idle) + state.booting
    boot = state.off[: max(0, wanted - on)]
    old = sorted((since, node) for node, since in state.idle.items() if state.now - since >= seconds)
    stop = [node for _, node in old][: max(0, len(state.idle) - wanted)]
    if boot:
        stop = []
    return Decision(boot, tuple(stop), wanted, reason if boot else f"idle for {seconds:g} s and more")


def _missing(model: PowerModel, state: PowerState) -> tuple[int, str]:
    """Return how many nodes the waiting jobs need beside those that running jobs give back within a boot."""
    freed = sum(nodes for nodes, left in state.running if 0 < left <= model.boot_seconds)
    wanted = max(0, sum(nodes for nodes, _ in state.waiting[:_PENDING]) - freed)
    return wanted, f"{wanted} nodes for jobs that wait, {freed} more come free within a boot"


def _planned(option: str, model: PowerModel, state: PowerState) -> Decision:
    """Return what the plan wants in the slots until a boot has ended."""
    planning = read_planning(option)
    planning = replace(planning, jobs=min(planning.jobs, _PENDING))
    slot = planning.slot
    usable = sum(nodes for nodes, _ in state.running) + len(state.idle) + len(state.off) + state.booting
    waiting = [job for job in state.waiting[: planning.jobs] if job[0] <= usable]
    if not all(0 < seconds < math.inf for _, seconds in waiting) or any(
        not left < math.inf for _, left in state.running
    ):
        raise ValueError("power rule plan: a job has no time limit, which a plan needs")
    watts = SlotPower.of(model, slot)
    boots, stops = watts.boot_slots, watts.stop_slots
    held = tuple((nodes, max(1, math.ceil(left / slot))) for nodes, left in state.running)
    jobs = tuple(SlotJob(nodes, max(1, math.ceil(seconds / slot)), 0, None, 0) for nodes, seconds in waiting)
    horizon = max((until for _, until in held), default=0) + sum(job.slots for job in jobs)
    horizon += boots + stops + planning.late + 2
    if horizon > _MOST_SLOTS:
        raise ValueError(
            f"power rule plan: {horizon:,} slots of {slot:g} s are needed, expected a longer slot"
        )
    booting = ((state.booting, 0 if boots else -1),) if state.booting else ()
    on = usable - len(state.off) - state.booting
    slots = Slots(usable, horizon, watts, held, on, min(model.keep, usable), booting)
    made = make_plan(slots, jobs, planning)
    if made is None:
        return Decision(
            (), (), len(state.idle), "the plan found no place for the waiting jobs: nothing changes"
        )
    busy = sum(nodes for nodes, _ in held)
    near = made.plan.on[: boots + 1]
    wanted = max(round(float(max(near))) if len(near) else 0, model.keep)
    awake = on + state.booting
    boot = state.off[: max(0, wanted - awake)]
    oldest = sorted((since, node) for node, since in state.idle.items())
    stop = tuple(node for _, node in oldest[: max(0, min(awake - wanted, len(oldest)))]) if not boot else ()
    return Decision(
        boot, stop, max(0, wanted - busy), f"the plan has {wanted} nodes on within the next {boots + 1} slots"
    )
