"""Co-simulations of the studies of shared machines: small machines, at loads of the jobs' own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from netplace.cosim import CosimPlan, make_cosim_plan
from netplace.cosim.runner import outcome_of
from netplace.report.studies import StudyContext, StudyRequest
from netplace.report.studies.schedules import cached_outcomes
from netplace.topologies import parse

SATURATED = float("inf")  # the load at which all jobs are submitted at once
_AT_ONCE = 1e-9  # seconds between submissions
_LEVEL = 0.95

Outcome = dict[str, Any]


@dataclass(frozen=True)
class SharedSize:
    jobs: int
    seeds: int
    repeats: str


FULL = SharedSize(jobs=40, seeds=5, repeats="1:10")
QUICK = SharedSize(jobs=8, seeds=2, repeats="1:2")


def named_load(load: float) -> str:
    return "saturated" if load == SATURATED else f"{load:g}"


def size_of(request: StudyRequest) -> SharedSize:
    return QUICK if request.quick else FULL


@dataclass(frozen=True)
class Shared:
    machine: str
    classes: str
    load: float
    policy: str
    partition: str
    seed: int
    fidelity: str = "live"

    def plan(self, size: SharedSize, gap: float = _AT_ONCE) -> CosimPlan:
        given = {
            "machine": self.machine,
            "workload": "applications",
            "jobs": size.jobs,
            "classes": self.classes,
            "sizes": "small",
            "intensity": "low",
            "repeats": size.repeats,
            "mean_interarrival": gap,
            "policy": self.policy,
            "partition": self.partition,
            "fidelity": self.fidelity,
        }
        return make_cosim_plan(given, self.seed)


def loaded(cases: Sequence[Shared], size: SharedSize, context: StudyContext) -> dict[Shared, CosimPlan]:
    """Return the plan of each case, with submissions scaled to the given load of the machine.

    The load is the node-seconds of all jobs, alone in compact partitions, over those that the machine has
    from the first submission to the last.
    """
    pilots = {
        (case.machine, case.classes, case.seed): Shared(
            case.machine, case.classes, SATURATED, "fcfs", "contiguous", case.seed, "table"
        ).plan(size)
        for case in cases
    }
    outcomes = carried_out(list(pilots.values()), context)
    work = {
        place: sum(row["live"] * row["size"] for row in outcome["jobs"])
        for place, outcome in zip(pilots, outcomes, strict=True)
    }
    plans = {}
    for case in cases:
        gap = _AT_ONCE
        if case.load != SATURATED:
            nodes = parse(case.machine).nodes
            gap = work[case.machine, case.classes, case.seed] / (nodes * size.jobs * case.load)
        plans[case] = case.plan(size, gap)
    return plans


def carried_out(plans: Sequence[CosimPlan], context: StudyContext) -> list[Outcome]:
    kept = cached_outcomes({plan.key: plan for plan in plans}, outcome_of, context)
    return [kept[plan.key] for plan in plans]
