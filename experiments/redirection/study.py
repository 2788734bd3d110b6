"""Gain in stretch and cost in flow of redirecting long tasks: ``docs/studies/redirection.md``."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import pandas as pd

from netplace.experiments.published import grid
from netplace.experiments.redirection.simulator import (
    TASK_FIGURES,
    TASK_POLICIES,
    run_tasks,
    task_figures,
    windows,
)
from netplace.experiments.shared.archive_logs import FOLDER, MODEL, ArchiveLog, logs_of
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes

PARTS = {
    "windows": f"windows of the logs in the folder swf, or in the folder named by {FOLDER}",
    "literal": "the same windows, with tasks of q e / Q s on the published processors (one interpretation)",
    "dedicated": "SPT-RD by number of dedicated processors and by threshold (figures 3.3 to 3.6)",
}
_SWEEPS = {"dedicated": range(1, 11), "threshold": range(1, 6)}  # as published for logs other than Curie
POLICIES = ("SPT", "GSPT", "SPT-RD", "GSPT-RD", "SPT-RR", "GSPT-RR", "SRPT", "GSRPT")
BASE = "SPT"
_SWEPT = ("sum_flow", "sum_bounded_stretch")
_INSTANCES = {  # heads of table 3.1
    "Traces characteristics: # CPUs": "machine",
    "Instances characteristics: # CPUs": "processors",
    "Instances characteristics: # tasks": "tasks",
    "Instances characteristics: size": "days",
}
_SYMBOLS = {"dedicated": "m_d", "threshold": "tau", "c": "c"}  # of table 3.2
_B = 0.02  # section 3.5.2, of all logs
_AS_MODEL = "HPC2N"  # whose processors, days and parameters the model takes


@dataclass(frozen=True)
class RedirectionCase(CachedCase):
    """All windows of a log under one policy."""

    study: ClassVar[str] = "redirection"

    log: ArchiveLog
    policy: str
    processors: int
    machine: int
    days: float
    windows: int
    parameters: tuple[tuple[str, float], ...]
    literal: bool = False  # tasks of q e / Q seconds, however few the processors are

    def run(self) -> dict[str, Any]:
        given: dict[str, Any] = dict(self.parameters)
        for name in ("dedicated", "threshold"):
            if name in given:
                given[name] = int(given[name])
        outcomes = []
        fitted = None if self.literal else self.processors
        sets = windows(self.log.read(), self.days, self.windows, self.machine, fitted, seed=0)
        for seed, task_set in enumerate(sets):
            ran = run_tasks(task_set.tasks, self.processors, self.policy, seed=seed, **given)
            sent = sum(task.redirected for task in ran)
            outcomes.append({"tasks": len(ran), "redirected": sent, **asdict(task_figures(ran))})
        return {"windows": outcomes}


def cases(request: StudyRequest) -> list[RedirectionCase]:
    default = [case for made in _by_log(request) for case in made]
    return default + [replace(case, literal=True) for case in default if "literal" in request.parts]


def sweeps(request: StudyRequest) -> list[tuple[RedirectionCase, str]]:
    """Return SPT-RD with one parameter varied, and its name."""
    made = []
    for own in _by_log(request):
        default = next(case for case in own if case.policy == "SPT-RD")
        for name, values in _SWEEPS.items():
            for value in (1, 2) if request.quick else values:
                if name != "dedicated" or value < default.processors:
                    parameters = tuple(dict(default.parameters, **{name: float(value)}).items())
                    made.append((replace(default, parameters=parameters), name))
    return made


def _by_log(request: StudyRequest) -> list[list[RedirectionCase]]:
    """Return all policies with the published parameters, log by log."""
    instances = grid("mendonca", "Table 3.1", _INSTANCES).dropna()
    chosen = grid("mendonca", "Table 3.2")
    asked_for: list[list[RedirectionCase]] = []
    for log in logs_of(request):
        name = {MODEL: _AS_MODEL, "SDSC-Blue": "SDSC-Blue-4.1"}.get(log.name, log.name)
        if name not in instances.index:
            raise ValueError(
                f"--log {log.path}: no processors and parameters are published for {log.name}, expected a "
                f"log of {', '.join(instances.index)}, or {MODEL}"
            )
        row = instances.loc[name]
        days, count = (2.0, 3) if log.name == MODEL else (float(row["days"]), 20)
        asked_for.append([])
        for policy in POLICIES:
            parameters = tuple(
                (key, _B if key == "b" else float(chosen.at[name, f"{policy}: {_SYMBOLS[key]}"]))
                for key in TASK_POLICIES[policy].parameters
            )
            machine, processors = int(row["machine"]), int(row["processors"])
            asked_for[-1].append(RedirectionCase(log, policy, processors, machine, days, count, parameters))
    return asked_for


def run(request: StudyRequest, context: StudyContext) -> Report:
    varied = sweeps(request) if "dedicated" in request.parts else []
    wanted = [
        case
        for case in cases(request)
        if case.literal or "windows" in request.parts or (varied and case.policy == BASE)
    ]
    made = case_outcomes([*wanted, *(case for case, _ in varied)], context)
    rows = [
        {"literal": case.literal, "log": case.log.name, "policy": case.policy, "window": place, **figures}
        for case, outcome in made[: len(wanted)]
        for place, figures in enumerate(outcome["windows"])
    ]
    every = pd.DataFrame(rows)
    frame = every[~every["literal"]]
    tables, sentences = [], []
    outcomes = [pd.DataFrame(outcome["windows"]) for _, outcome in made[len(wanted) :]]
    swept = _swept(frame, [(*pair, own) for pair, own in zip(varied, outcomes, strict=True)])
    if varied:
        digits = {"dedicated": 0, "threshold": 0, "redirected": 3, "sum_flow": 3, "sum_bounded_stretch": 3}
        tables.append(ReportTable("dedicated", f"{PARTS['dedicated']}, over SPT", swept, digits))
        sentences += _sweep_sentences(swept)
    for part in ("windows", "literal"):
        own = every[every["literal"] == (part == "literal")]
        if part not in request.parts:
            continue
        if part == "windows":
            tables.append(_sizes(own))
        sentences.append(f"{part}: {_queueing(own)}")
        for log, group in own.groupby("log", sort=False):
            table, sentence = _policies(part, str(log), group)
            tables.append(table)
            sentences.append(f"{part}: {sentence}")
    return Report(tuple(tables), tuple(sentences), points={"values": every})


def _swept(frame: pd.DataFrame, varied: list[tuple[RedirectionCase, str, pd.DataFrame]]) -> pd.DataFrame:
    lines = []
    for case, name, own in varied:
        base = frame[(frame["log"] == case.log.name) & (frame["policy"] == BASE)]
        given = dict(case.parameters)
        lines.append(
            {
                "log": case.log.name,
                "varied": name,
                "dedicated": given["dedicated"],
                "threshold": given["threshold"],
                "redirected": own["redirected"].sum() / own["tasks"].sum(),
                **{figure: own[figure].sum() / base[figure].sum() for figure in _SWEPT},
            }
        )
    return pd.DataFrame(lines, columns=["log", "varied", *_SWEEPS, "redirected", *_SWEPT])


def _course(own: pd.DataFrame, figure: str) -> float:
    """Return by how much a figure grows from the least value of what is varied to the most."""
    ordered = own.sort_values(str(own["varied"].iloc[0]))[figure]
    return float(ordered.iloc[-1] / ordered.iloc[0] - 1)


def _sweep_sentences(swept: pd.DataFrame) -> list[str]:
    return [
        f"{log}, more of {name}: sum of flows {100 * _course(own, 'sum_flow'):+.0f} %, of stretches "
        f"{100 * _course(own, 'sum_bounded_stretch'):+.0f} % (published: on Curie flows fall and stretches "
        "rise from 4 dedicated processors on; on LLNL-Thunder they do with the threshold instead)."
        for (log, name), own in swept.groupby(["log", "varied"], sort=False)
    ]


def _queueing(frame: pd.DataFrame) -> str:
    """Return in how many windows of each log tasks wait at all, so that a policy can matter."""
    base = frame[frame["policy"] == BASE].set_index(["log", "window"])["sum_bounded_stretch"]
    best = frame[frame["policy"] == "SRPT"].set_index(["log", "window"])["sum_bounded_stretch"]
    waits = (base > 1.01 * best).groupby("log", sort=False)
    shown = "; ".join(f"{log} {int(has_waits.sum())} of {len(has_waits)}" for log, has_waits in waits)
    return (
        f"Windows in which preemption would gain more than 1 % of the sum of stretches, so that tasks wait "
        f"for long ones: {shown}. Where there is none, redirection can only lose."
    )


def _sizes(frame: pd.DataFrame) -> ReportTable:
    known = grid("mendonca", "Table 3.1", _INSTANCES)["tasks"]
    lines = [
        {
            "log": log,
            "windows": int(group["window"].nunique()),
            "tasks": group["tasks"].mean(),
            "published": float(known.get({"SDSC-Blue": "SDSC-Blue-4.1"}.get(str(log), str(log)), math.nan)),
        }
        for log, group in frame.groupby("log", sort=False)
    ]
    return ReportTable(
        "tasks",
        "Tasks of a window (table 3.1)",
        pd.DataFrame(lines),
        {"windows": 0, "tasks": 0, "published": 0},
    )


def _policies(part: str, log: str, group: pd.DataFrame) -> tuple[ReportTable, str]:
    """Return sums over all windows against those of SPT, and in how many windows a policy is below."""
    base = group[group["policy"] == BASE].set_index("window")
    lines = []
    for policy, own in group.groupby("policy", sort=False):
        mine = own.set_index("window")
        below = int((mine["sum_bounded_stretch"] < base["sum_bounded_stretch"]).sum())
        ratios = {name: mine[name].mean() / base[name].mean() for name in TASK_FIGURES}
        share = mine["redirected"].sum() / mine["tasks"].sum()
        lines.append({"policy": policy, "redirected": share, **ratios, "windows below SPT": below})
    frame = pd.DataFrame(lines)
    digits = {"redirected": 3, **dict.fromkeys(TASK_FIGURES, 2), "windows below SPT": 0}
    stretch = frame.set_index("policy")["sum_bounded_stretch"]
    sent = [name for name in stretch.index if "-R" in name]
    less = [name for name in sent if stretch[name] < 1]
    sentence = (
        f"{log}: the sum of stretches of {', '.join(less) or 'none'} is below that of SPT "
        f"({', '.join(f'{name} {stretch[name]:.2f}' for name in sent)}; SRPT {stretch['SRPT']:.2f}). "
        "Published for all traces but Curie: -RD and -RR below in most cases, -RR gaining less."
    )
    return ReportTable(f"policies_{part}_{log}", f"{log}: results relative to SPT", frame, digits), sentence


STUDY = Study(
    name="redirection",
    title="How does redirecting long tasks affect stretch and flow?",
    source="F. Mendonca, thesis, Université Grenoble Alpes, 2017, tables 3.1 and 3.2, figures 3.7 to 3.13",
    parts=PARTS,
    default=("windows",),
    run=run,
    options=("logs",),
)
