"""Co-simulations of the studies of shared machines: small machines, at loads of the jobs' own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from netplace.cosim import CosimPlan, make_cosim_plan
from netplace.cosim.runner import outcome_of
from netplace.report.studies import StudyContext, StudyRequest
from netplace.report.studies.schedules import case_outcomes
from netplace.topologies import parse

SATURATED = float("inf")  # the load at which all jobs are submitted at once
_AT_ONCE = 1e-9  # seconds between submissions

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


Made = dict[Shared, tuple[CosimPlan, Outcome]]


def carried_out(cases: Sequence[Shared], request: StudyRequest, context: StudyContext) -> Made:
    """Return the plan and the outcome of each case, with submissions scaled to the given load of the machine.

    The load is the node-seconds of all jobs, alone in compact partitions, over those that the machine has
    from the first submission to the last.
    """
    size = size_of(request)
    pilots = {
        (case.machine, case.classes, case.seed): Shared(
            case.machine, case.classes, SATURATED, "fcfs", "contiguous", case.seed, "table"
        ).plan(size)
        for case in cases
    }
    work = {
        place: sum(row["live"] * row["size"] for row in outcome["jobs"])
        for place, (_, outcome) in zip(pilots, _outcomes(pilots.values(), context), strict=True)
    }
    plans = {}
    for case in cases:
        gap = _AT_ONCE
        if case.load != SATURATED:
            nodes = parse(case.machine).nodes
            gap = work[case.machine, case.classes, case.seed] / (nodes * size.jobs * case.load)
        plans[case] = case.plan(size, gap)
    return dict(zip(plans, _outcomes(plans.values(), context), strict=True))


def _outcomes(plans: Iterable[CosimPlan], context: StudyContext) -> list[tuple[CosimPlan, Outcome]]:
    return case_outcomes(plans, context, outcome_of)


def frame_of(made: Made) -> pd.DataFrame:
    """Return a row for each case: turnaround and wait in microseconds, slowdown, and error of the table."""
    rows = []
    for case, (_, outcome) in made.items():
        figures = outcome["figures"]
        per_job, sharing, error = figures["schedule"]["per_job"], figures["sharing"], figures["table_error"]
        rows.append(
            vars(case)
            | {
                "load": named_load(case.load),
                "turnaround": 1e6 * per_job["turnaround"]["mean"],
                "wait": 1e6 * per_job["wait"]["mean"],
                "slowdown": sharing["mean_slowdown"] if sharing else 1.0,
                "error": error["all"]["mean"] if error else 0.0,
            }
        )
    return pd.DataFrame(rows).rename(columns={"classes": "class"})
