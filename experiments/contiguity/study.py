"""Whether contiguity pays when jobs share the network: ``docs/studies/contiguity.md``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.contiguity.cases import Cell, steady_weeks
from netplace.experiments.contiguity.tables import Made, report_of
from netplace.experiments.shared.archive_logs import MODEL, ArchiveLog, asked_logs
from netplace.studies import Asked, Bench, Report, ReportTable, Study
from netplace.studies.schedules import case_outcomes
from netplace.topologies import parse

_LONGER = 10.0  # times the run time
_CONTESTANTS = ("boxes", "random")
_COMMUNICATION, _POLICY = "0.3", "easy"
Named = tuple[str, str, Cell]


def longer_cells(made: Sequence[Named]) -> list[Named]:
    """Return the cells of one machine and a week of each log: as they are, longer live, longer sampled."""
    named, logs = [], set[tuple[str, str]]()
    for _, name, cell in made:
        rules = cell.communication, cell.policy
        place = cell.log.digest, name
        if rules != (_COMMUNICATION, _POLICY) or name not in _CONTESTANTS or place in logs:
            continue
        logs.add(place)
        longer = replace(cell, mean_run=_LONGER * cell.mean_run)
        named += [("study", name, cell), ("live", name, longer)]
        named += [("sampled", name, replace(longer, sampled=True))]
    return named


def longer_table(made: Sequence[tuple[str, str, Cell, dict[str, Any]]]) -> ReportTable:
    """Return the slowdown by sharing of each log and contestant, and how often sampled intervals hold.

    A sampled job and a live one have the same nodes only until their schedules part, so intervals are
    compared of those jobs that have the same time alone within 2 %.
    """
    outcomes = {(cell.log.name, name, what): outcome for what, name, cell, outcome in made}
    rows = []
    for log, name in dict.fromkeys((log, name) for log, name, _ in outcomes):
        jobs = {
            what: {key: np.array(values) for key, values in outcomes[log, name, what]["jobs"].items()}
            for what in ("study", "live", "sampled")
        }
        sharing = {what: float((own["live"] / own["alone"]).mean()) for what, own in jobs.items()}
        live, sampled = jobs["live"], jobs["sampled"]
        same = np.abs(sampled["alone"] / live["alone"] - 1) < 0.02
        off = np.abs(live["live"] / sampled["live"] - 1)
        rows.append(
            {
                "log": log,
                "contestant": name,
                "jobs": len(live["live"]),
                "of the study": sharing["study"],
                "longer, live": sharing["live"],
                "longer, sampled": sharing["sampled"],
                "compared": int(same.sum()),
                "inside %": 100 * float((off <= sampled["half_width"] + 1e-12)[same].mean()),
                "half width %": 100 * float(sampled["half_width"].mean()),
            }
        )
    digits = {"jobs": 0, "compared": 0, "inside %": 0, "half width %": 1}
    digits |= dict.fromkeys(("of the study", "longer, live", "longer, sampled"), 3)
    title = f"Mean slowdown by sharing, jobs {_LONGER:g} times as long: EASY, communication {_COMMUNICATION}"
    return ReportTable("longer", title, pd.DataFrame(rows), digits)


COMMUNICATION = ("0.1", "0.3", "npb")
POLICIES = ("fcfs", "easy")
_WEEKS = 3
_JOBS = 50  # of a stream
_MEAN_RUN = 10e-6  # seconds, a mean weighted by work


@dataclass(frozen=True)
class Machine:
    text: str  # text form of the machine
    partitions: dict[str, str]  # partitioners by their roles, boxes first


MACHINES = {
    "tree": Machine(
        "thintree:16,8,2",
        {
            "boxes": "contiguous",
            "nearly": "quasi-contiguous:20",
            "curve": "curve:row,best-fit",
            "paging": "paging:1",
            "random": "random",
        },
    ),
    "dragonfly": Machine(
        "dragonfly:a=8,p=4,h=4,g=9",
        {
            "boxes": "groups",
            "nearly": "groups:20",
            "curve": "curve:row,best-fit",
            "paging": "switches",
            "random": "random",
        },
    ),
    "torus": Machine(
        "torus:16x16x16",
        {
            "boxes": "contiguous:round-up",
            "nearly": "mc:cubic",
            "curve": "curve:hilbert,best-fit",
            "paging": "paging:1",
            "random": "random",
        },
    ),
}
PARTS = {name: f"on {machine.text}" for name, machine in MACHINES.items()} | {
    "longer": "check: jobs ten times as long on the tree, in sampled and live runs"
}


def cells(asked: Asked) -> list[tuple[str, str, Cell]]:
    """Return the runs with machine and contestant, week by week: a stopped study has whole weeks."""
    logs = asked_logs(asked)
    weeks = {(part, log): _weeks(MACHINES[part], log, asked.quick) for part in asked.parts for log in logs}
    named_cells = []
    for place, part, log in itertools.product(range(max(map(len, weeks.values()))), asked.parts, logs):
        if place < len(weeks[part, log]):
            machine = MACHINES[part]
            named_cells += [
                (
                    part,
                    name,
                    Cell(
                        machine.text,
                        log,
                        weeks[part, log][place],
                        _JOBS // 2 if asked.quick else _JOBS,
                        _MEAN_RUN,
                        communication,
                        policy,
                        partition,
                    ),
                )
                for communication, policy, (name, partition) in itertools.product(
                    COMMUNICATION[1:2] if asked.quick else COMMUNICATION,
                    POLICIES[1:] if asked.quick else POLICIES,
                    machine.partitions.items(),
                )
            ]
    return named_cells


def _weeks(machine: Machine, log: ArchiveLog, quick: bool) -> list[int]:
    count = log.weeks or (1 if quick or log.name == MODEL else _WEEKS)
    return steady_weeks(log, parse(machine.text).nodes, count)


def conduct(asked: Asked, bench: Bench) -> Report:
    machines = tuple(part for part in asked.parts if part in MACHINES)
    made = cells(replace(asked, parts=machines)) if machines else []
    check = "longer" in asked.parts
    longer = longer_cells(cells(replace(asked, parts=("tree",)))) if check else []
    every = [*made, *longer]
    kept = case_outcomes([cell for *_, cell in every], bench)
    outcomes: list[Made] = [(part, name, *own) for (part, name, _), own in zip(every, kept, strict=True)]
    report = report_of(outcomes[: len(made)]) if made else Report((), ())
    if not check:
        return report
    return replace(report, tables=(*report.tables, longer_table(outcomes[len(made) :])))


STUDY = Study(
    name="contiguity",
    title="Does contiguity pay off when jobs share the network?",
    source="none for this question",
    parts=PARTS,
    usual=tuple(MACHINES),
    conduct=conduct,
    options=("logs",),
)
