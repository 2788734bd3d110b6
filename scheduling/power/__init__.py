"""Switching nodes on and off, and the power that a schedule needs.

Examples
--------
>>> from netplace.scheduling import Job, schedule
>>> from netplace.scheduling.power import PowerModel, power_figures
>>> from netplace.topologies import parse
>>> jobs = [Job(1, submit=0, nodes=2, run_time=100), Job(2, 1000, 4, 100)]
>>> figures = power_figures(schedule(parse("mesh:4"), jobs, "easy", "non-contiguous"), PowerModel())
>>> round(figures.energy), round(figures.hindsight)
(475443, 223676)
"""

from netplace.scheduling.energy import STATES, Energy
from netplace.scheduling.power.figures import PowerFigures, always_on, energy_of, hindsight, power_figures
from netplace.scheduling.power.model import PowerModel, PowerRules
from netplace.scheduling.power.on_off import OnOffPlan, SlotJob, SlotPower, Slots, plan_on_off, profile
from netplace.scheduling.power.planner import Planned, Planning, list_starts, make_plan
from netplace.scheduling.power.switching import SWITCHINGS, read_switching

__all__ = [
    "STATES",
    "SWITCHINGS",
    "Energy",
    "OnOffPlan",
    "Planned",
    "Planning",
    "PowerFigures",
    "PowerModel",
    "PowerRules",
    "SlotJob",
    "SlotPower",
    "Slots",
    "always_on",
    "energy_of",
    "hindsight",
    "list_starts",
    "make_plan",
    "plan_on_off",
    "power_figures",
    "profile",
    "read_switching",
]
