"""The energy of a schedule after the fact: with all nodes on, and with the best switching in hindsight."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.energy import STATES, Energy
from netplace.scheduling.metrics.series import held_nodes
from netplace.scheduling.power.model import PowerModel
from netplace.scheduling.schedule import Schedule

__all__ = ["always_on", "energy_of", "hindsight"]


def energy_of(schedule: Schedule, model: PowerModel) -> Energy:
    """Return the energy of a schedule: as its nodes were switched, or with all of them on."""
    return always_on(schedule, model) if schedule.power is None else schedule.power


def always_on(schedule: Schedule, model: PowerModel) -> Energy:
    """Return the energy of a schedule whose nodes are never switched off."""
    held = held_nodes(schedule)
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
    """Return the least energy in joules with which jobs could have run when they did.

    Nodes are alike and jobs may hold any: then a node that is let go last is taken first, each gap between
    two uses is spent idle or off, whichever draws less, and that is the best that there is. All nodes are on
    at first, none has to be on at the end, and `PowerModel.keep` of them always are. Where switching draws
    less than idling or being off, no schedule needs less than this, but none may reach it.
    """
    use = always_on(schedule, model)
    if schedule.power is not None:
        use = schedule.power
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
    """Return the least energy of a node that was busy before, and is after."""
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
        raise ValueError("energy: no job ran, there is nothing to measure")
    return float(schedule.submit.min()), float(schedule.end.max())
