"""Figures of the energy of a schedule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netplace.plain_data import PlainData
from netplace.quantities import LESS, quantity
from netplace.scheduling.energy import STATES, Energy
from netplace.scheduling.metrics.per_job import BOUND
from netplace.scheduling.metrics.series import allocated_nodes
from netplace.scheduling.power.model import PowerModel
from netplace.scheduling.schedule import Schedule


def energy_of(schedule: Schedule, model: PowerModel) -> Energy:
    """Return the energy of a schedule, with its nodes as they were switched, or all on."""
    return always_on(schedule, model) if schedule.power is None else schedule.power


def always_on(schedule: Schedule, model: PowerModel) -> Energy:
    """Return the energy of a schedule whose nodes are never switched off."""
    held = allocated_nodes(schedule)
    first, last = _span(schedule)
    time = np.unique(np.clip(np.concatenate([[first], held.time, [last]]), first, last))
    before = np.searchsorted(held.time, time[:-1], side="right") - 1
    busy = np.where(before >= 0, held.value[np.maximum(before, 0)], 0)
    none = np.zeros_like(busy)
    nodes = dict.fromkeys(STATES, none) | {"busy": busy, "idle": schedule.machine_nodes - busy}
    run = schedule.end - schedule.start
    watts = {state: model.watts(state) for state in STATES}
    return Energy("always-on", time, nodes, watts, schedule.start, schedule.held * run * model.busy)


def hindsight(schedule: Schedule, model: PowerModel) -> float:
    """Return the least energy, in joules, with which the jobs could have run at the same times.

    Nodes are identical, and jobs may hold any of them: the node released last is taken first, and between two
    uses, a node is idle or off, whichever takes less energy. All nodes are on at first, none has to be on at
    the end, and `PowerModel.keep` of them are always on. If switching draws less than idling or being off,
    this is a lower bound that may not be reached.
    """
    use = energy_of(schedule, model)
    total, keep, busy = float(use.node_seconds["busy"]) * model.busy, int(model.keep), 0
    gaps = [(schedule.machine_nodes, float(use.time[0]))]  # nodes, idle since; the last come first
    for moment, now in zip(use.time[:-1].tolist(), use.nodes["busy"].tolist(), strict=True):
        if now < busy:
            gaps.append((busy - now, moment))
        while busy < now:
            nodes, since = gaps.pop()
            taken = min(nodes, now - busy)
            if taken < nodes:
                gaps.append((nodes - taken, since))
            kept = min(max(keep - busy, 0), taken)
            total += kept * model.idle * (moment - since)
            total += (taken - kept) * _gap(model, moment - since)
            busy += taken
        busy = now
    for nodes, since in reversed(gaps):
        kept = min(max(keep - busy, 0), nodes)
        total += kept * model.idle * (use.time[-1] - since)
        total += (nodes - kept) * _end(model, use.time[-1] - since)
        busy += nodes
    return float(total)


def _gap(model: PowerModel, seconds: float) -> float:
    # Where a stop and a boot draw less than idling for as long, it is charged for gaps too short for them as
    # well: only of costs that are concave in the gap is it known that the node let go last is best taken
    # first.
    cycle, switching = model.switching_seconds, model.stop_joules + model.boot_joules
    if switching < model.off * cycle:  # then best stopped and booted all the time
        return switching / cycle * seconds
    return max(0.0, min(model.idle * seconds, switching + model.off * (seconds - cycle)))


def _end(model: PowerModel, seconds: float) -> float:
    """Return the least energy of a node that is not used again; its last stop may reach past the end."""
    if min(model.stop_watts, model.boot_watts) < model.off:
        return min(model.stop_watts, model.boot_watts) * seconds
    stop = min(seconds, model.stop_seconds)
    return min(model.idle * seconds, model.stop_watts * stop + model.off * (seconds - stop))


def _span(schedule: Schedule) -> tuple[float, float]:
    if not len(schedule):
        raise ValueError("energy: no job ran, so there is nothing to measure")
    return float(schedule.submit.min()), float(schedule.end.max())


_DAY = 86400.0
_KWH = 3.6e6


@dataclass(frozen=True)
class PowerFigures(PlainData):
    """The energy of a schedule, and the wait times of its jobs, which are means over the jobs."""

    switching: str = quantity("Switching rule.", shown=False)
    energy: float = quantity(
        "Energy of all nodes from the first submission to the last end.", "J", shown=False
    )
    kwh: float = quantity("The same, in kWh.", "kWh", name="energy", digits=1, better=LESS)
    by_state: dict[str, float] = quantity("Energy by state of the nodes.", "J", shown=False)
    shares: dict[str, float] = quantity("Share of the node-seconds in each state.", "share", shown=False)
    per_work: float = quantity(
        "Energy per node-second of work.", "J/node-second", name="energy of work", digits=1
    )
    energy_delay: float = quantity(
        "Energy times `mean_response`.", "J s", name="energy times mean response", digits=2
    )
    mean_response: float = quantity("Mean time from submission to end.", "s", digits=1)
    mean_wait: float = quantity(
        "Mean wait; a job waits until all its nodes are on.",
        "s",
        name="mean wait until all nodes are on",
        digits=1,
    )
    bounded_slowdown: float = quantity(
        "Mean bounded slowdown with this wait.", name="mean bounded slowdown", digits=2
    )
    boots: int = quantity("Number of times that a node was switched on.")
    stops: int = quantity("Number of times that a node was switched off.")
    boots_a_node_day: float = quantity(
        "Number of boots per node and day.", name="boots per node and day", digits=2
    )
    mean_on: float = quantity("Mean number of nodes that are idle or busy.", name="mean nodes on", digits=1)
    waited_for_boot: int = quantity(
        "Number of jobs that held nodes that were not yet on.", name="jobs that waited for a boot"
    )
    boot_wait: float = quantity(
        "Mean time that these jobs waited for their nodes; 0 if there are none.",
        "s",
        name="mean wait for a boot",
        digits=1,
    )
    always_on: float = quantity(
        "Energy with the same starts if no node were ever off.", "J",
        name="energy with all nodes on, same starts", digits=1,
    )  # fmt: skip
    hindsight: float = quantity(
        "Energy with the same starts and the switching that is best in hindsight.", "J",
        name="energy if switched in hindsight, same starts", digits=1,
    )  # fmt: skip
    counts: dict[str, int] = quantity("Counters of the switching rule.", shown=False)


def power_figures(schedule: Schedule, model: PowerModel) -> PowerFigures:
    """Return the figures of a schedule, with its nodes as they were switched, or all on."""
    use = energy_of(schedule, model)
    seconds, joules = use.node_seconds, use.joules
    everything = max(sum(seconds.values()), 1e-300)
    span = max(float(use.time[-1] - use.time[0]), 1e-300)
    response = schedule.end - schedule.submit
    run = np.maximum(schedule.end - use.begin, BOUND)
    boot_wait = use.begin - schedule.start
    waited = boot_wait > 1e-9
    return PowerFigures(
        switching=use.switching,
        energy=use.total,
        kwh=use.total / _KWH,
        by_state=joules,
        shares={state: seconds[state] / everything for state in STATES},
        per_work=use.total / seconds["busy"] if seconds["busy"] else 0.0,
        energy_delay=use.total * float(response.mean()),
        mean_response=float(response.mean()),
        mean_wait=float((use.begin - schedule.submit).mean()),
        bounded_slowdown=float(np.maximum(response / run, 1.0).mean()),
        boots=use.boots,
        stops=use.stops,
        boots_a_node_day=use.boots * _DAY / span / schedule.machine_nodes,
        mean_on=(seconds["idle"] + seconds["busy"]) / span,
        waited_for_boot=int(waited.sum()),
        boot_wait=float(boot_wait[waited].mean()) if waited.any() else 0.0,
        always_on=_always_on(schedule, model, seconds["busy"]),
        hindsight=hindsight(schedule, model),
        counts=dict(use.counts),
    )


def _always_on(schedule: Schedule, model: PowerModel, busy: float) -> float:
    """Return the energy with all nodes on; nodes that wait for others are idle."""
    if schedule.power is None:
        return always_on(schedule, model).total
    span = float(schedule.power.time[-1] - schedule.power.time[0])
    return busy * model.busy + (span * schedule.machine_nodes - busy) * model.idle
