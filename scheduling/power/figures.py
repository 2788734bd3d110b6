"""Figures of the energy of a schedule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netplace.scheduling.energy import STATES
from netplace.scheduling.metrics.per_job import BOUND
from netplace.scheduling.power.after import always_on, energy_of, hindsight
from netplace.scheduling.power.model import PowerModel
from netplace.scheduling.schedule import Schedule

__all__ = ["PowerFigures", "power_figures"]

_DAY = 86400.0
_KWH = 3.6e6


@dataclass(frozen=True)
class PowerFigures:
    """What a schedule drew, beside how long its jobs waited.

    Attributes
    ----------
    switching : str
        Rule by which nodes were switched.
    energy : float
        Joules from the first submission to the last end, all nodes.
    kwh : float
        The same in kWh.
    by_state : dict of str to float
        The same by state of the nodes, in joules.
    shares : dict of str to float
        Share of all node-seconds in each state.
    per_work : float
        Joules per node-second in which a job ran.
    energy_delay : float
        Energy times mean response, in joule-seconds.
    mean_response, mean_wait, bounded_slowdown : float
        Means over the jobs; a job waits until all its nodes are on.
    boots, stops : int
        Nodes switched on, and off.
    boots_a_node_day : float
        Boots per node and day.
    mean_on : float
        Mean number of nodes that are idle or busy.
    waited_for_boot : int
        Jobs that held nodes which were not on yet.
    boot_wait : float
        How long these waited for them, in the mean, in seconds; 0 without any.
    always_on, hindsight : float
        Joules with the same starts if no node were ever off; with the best switching, known afterwards.
    counts : dict of str to int
        What the rule counted.
    """

    switching: str
    energy: float
    kwh: float
    by_state: dict[str, float]
    shares: dict[str, float]
    per_work: float
    energy_delay: float
    mean_response: float
    mean_wait: float
    bounded_slowdown: float
    boots: int
    stops: int
    boots_a_node_day: float
    mean_on: float
    waited_for_boot: int
    boot_wait: float
    always_on: float
    hindsight: float
    counts: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)


def power_figures(schedule: Schedule, model: PowerModel) -> PowerFigures:
    """Return the figures of a schedule: as its nodes were switched, or with all of them on."""
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
