"""The slowdown of scattered jobs at which boxes win: ``docs/studies/break-even-live.md``."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from netplace.cosim import CosimPlan, StandaloneTimes, placing_of
from netplace.cosim.alone import compact
from netplace.experiments.shared.shared_cases import (
    SATURATED,
    Outcome,
    Shared,
    carried_out,
    named_load,
    size_of,
)
from netplace.experiments.shared.statistics import crossing
from netplace.experiments.shared_machine import MACHINES
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import case_outcomes
from netplace.runs.schedules import workload_of
from netplace.scheduling import Allocation, Job, make_partitioner, schedule
from netplace.scheduling.metrics import Paired, judged, measure, paired
from netplace.scheduling.metrics.interval import half_width

CLASSES = "mixed"
POLICY = "easy"
LOADS = (0.6, 0.9, SATURATED)
SCATTERED = ("non-contiguous", "random")
SLOWDOWNS = (0, 5, 10, 15, 20, 30, 40, 60)  # percent
PARTS = {name: f"on {machine}" for name, machine in MACHINES.items()}
_VERDICTS = {"clearly more": "pays", "clearly less": "does not pay"}  # after Holm's correction for all lines


@dataclass(frozen=True)
class Slowed:
    """Scattered jobs that take so many percent longer than alone in a compact partition."""

    plan: CosimPlan
    percent: int

    def to_dict(self) -> dict[str, Any]:
        return {"study": "break-even-live", "percent": self.percent, "plan": self.plan.to_dict()}

    @property
    def key(self) -> str:
        text = f"break-even-live 1 {self.percent} {self.plan.key}"
        return hashlib.sha256(json.dumps(text).encode()).hexdigest()

    def run(self) -> Outcome:
        """Return the mean turnaround in seconds, the percentage for jobs of more than one node."""
        plan, placing = self.plan, placing_of(self.plan)
        times = StandaloneTimes(placing, plan.estimate_factor)

        second = plan.config.cycle_ns * 1e-9

        class Times:
            longest = staticmethod(times.longest)

            @staticmethod
            def seconds(job: Job, allocation: Allocation) -> float:
                alone = placing.put(job, compact(placing.machine, job))
                return times.cycles(alone) * (1 + self.percent / 100) * second

        jobs = plan.jobs
        partitioner = make_partitioner(jobs.partition, placing.machine, jobs.seed)
        made = schedule(
            placing.machine,
            workload_of(jobs),
            jobs.policy,
            partitioner,
            Times(),
            estimates=jobs.estimates,
            overrun=jobs.overrun,
        )
        return {"turnaround": asdict(measure(made))["per_job"]["turnaround"]["mean"]}


def cases(request: StudyRequest) -> list[Shared]:
    size = size_of(request)
    loads = LOADS[-1:] if request.quick else LOADS
    return [
        Shared(MACHINES[part], CLASSES, load, POLICY, partition, seed)
        for part, load, partition, seed in itertools.product(
            request.parts, loads, ("contiguous", *SCATTERED), range(size.seeds)
        )
    ]


def run(request: StudyRequest, context: StudyContext) -> Report:
    pairs = carried_out(cases(request), request, context)
    live = {case: outcome for case, (_, outcome) in pairs.items()}
    percents = SLOWDOWNS[::3] if request.quick else SLOWDOWNS
    # Whoever is scattered with fixed times gets nodes at once where enough are free: which ones is no matter.
    slowed = {
        (case, percent): Slowed(plan, percent)
        for case, (plan, _) in pairs.items()
        if case.partition == SCATTERED[0]
        for percent in percents
    }
    made = case_outcomes(slowed.values(), context)
    turnaround = {place: kept["turnaround"] for place, (_, kept) in zip(slowed, made, strict=True)}
    frame = pd.DataFrame(_lines(live, turnaround, percents))
    digits = {name: 1 for name in frame.columns if name.endswith("%")} | {"live / boxes": 3, "± live": 3}
    sentences = [
        f"{line['machine']}, load {line['load']}, {line['scattered']}: contiguity {line['contiguity']}; "
        f"scattered jobs ran {line['suffered %']:.1f} % longer than compact ones, "
        f"and the break-even is {line['break-even %']:.1f} %."
        for line in frame.to_dict("records")
    ]
    return Report(
        (ReportTable("break-even", "Actual slowdown of scattered jobs, and break-even", frame, digits),),
        tuple(sentences),
    )


def _lines(
    live: dict[Shared, Outcome], turnaround: dict[tuple[Shared, int], float], percents: tuple[int, ...]
) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    differences: list[Paired] = []
    for machine, load in dict.fromkeys((case.machine, case.load) for case in live):
        mine = {
            case: outcome for case, outcome in live.items() if (case.machine, case.load) == (machine, load)
        }
        boxes = {case.seed: _turnaround(out) for case, out in mine.items() if case.partition == "contiguous"}
        even = [
            crossing(
                percents,
                [turnaround[case, percent] / boxes[case.seed] for percent in percents],
            )
            for case in mine
            if case.partition == SCATTERED[0]
        ]
        for partition in SCATTERED:
            own = {case.seed: out for case, out in mine.items() if case.partition == partition}
            inside = {case.seed: out for case, out in mine.items() if case.partition == "contiguous"}
            suffered = [100 * (_longer(own[seed], inside[seed]) - 1) for seed in own]
            ratio = [_turnaround(own[seed]) / boxes[seed] for seed in own]
            differences.append(paired([1.0] * len(ratio), ratio))
            lines.append(
                {
                    "machine": machine,
                    "load": named_load(load),
                    "scattered": partition,
                    "suffered %": float(np.mean(suffered)),
                    "± suffered %": half_width(suffered),
                    "break-even %": float(np.mean(even)),
                    "± break-even %": half_width(even),
                    "live / boxes": float(np.mean(ratio)),
                    "± live": half_width(ratio),
                }
            )
    for line, verdict in zip(lines, judged(differences), strict=True):
        line["contiguity"] = _VERDICTS.get(verdict.words, "makes no significant difference")
    return lines


def _turnaround(outcome: Outcome) -> float:
    return float(outcome["figures"]["schedule"]["per_job"]["turnaround"]["mean"])


def _longer(scattered: Outcome, boxes: Outcome) -> float:
    """Return the mean over jobs of the time live and scattered, over that in a box, weighted by nothing."""
    inside = {row["job"]: row["live"] for row in boxes["jobs"]}
    return float(np.mean([row["live"] / inside[row["job"]] for row in scattered["jobs"]]))


STUDY = Study(
    name="break-even-live",
    title="Does contiguity pay off, given the simulated slowdown of scattered jobs?",
    source="none for this question; J. A. Pascual and others put the break-even at 25 to 45 %",
    parts=PARTS,
    run=run,
)
