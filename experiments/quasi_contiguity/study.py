"""Quasi-contiguity: what it costs a job that a few of its tasks sit outside its subtree.

Sources: J. A. Pascual, J. Navaridas and J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009, LNCS 5798, 138-156; J. A. Pascual, doctoral thesis, UPV/EHU 2013,
Table 3.9.

Sixteen jobs of 16 tasks fill a 4-ary 4-tree. *Contiguous*: each has a subtree of two levels. *k outside*: k
tasks of every job have exchanged nodes with k tasks of another job. *Random*: every job has nodes drawn over
the whole network. The published table does not say which tasks stray, nor how often that was drawn; its
caption lets them go anywhere, the published allocation one level up. The parts are readings of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from netplace.experiments.quasi_contiguity.layouts import READINGS, Reading, exchanged
from netplace.experiments.quasi_contiguity.tables import LAYOUTS, report_of
from netplace.netsim import Config
from netplace.placement.node_lists import node_lists
from netplace.runs import resolve
from netplace.studies.report import Report
from netplace.studies.study import Asked, Row, Study, of_runs

__all__ = ["STUDY", "rows"]

NETWORK, JOBS, TASKS = "tree:4,4", 16, 16
_PRINTED = ("LU", "MG", "FT")
_TOGETHER = Reading("leaf", "anywhere", "together")
_ONE_LEVEL = Reading("last", "one level", "together")
_ONE_LEAF = Reading("leaf", "one level", "together")
APPS = {
    "others": ("BT", "SP", "CG", "IS"),
    "readings": ("LU", "MG"),
    "readings-ft": ("FT",),  # takes three times as long
}
OF_PART = {
    "one-level": (_ONE_LEVEL,),
    "together": (_TOGETHER,),
    "apart": (Reading("drawn", "anywhere", "each"),),
    "others": (_TOGETHER,),
    "one-leaf": (_ONE_LEAF,),
    "readings": READINGS,
    "readings-ft": READINGS,
    "programs": (_ONE_LEVEL, _ONE_LEAF, _TOGETHER),
}
# Class and origin of the programs; of generated ones a few iterations.
RECORDED = "W recorded"
PROGRAMS = {RECORDED: "", "W generated": "W", "A generated": "A"}
_ITERATIONS = "1:2"


def rows(asked: Asked) -> list[Row]:
    """Return the runs: the first layout of every kind before the second."""
    runs = [
        row
        for part in asked.parts
        for program in (PROGRAMS if part == "programs" else (RECORDED,))
        for reading in (OF_PART[part][:2] if asked.quick else OF_PART[part])
        for app in (_apps(part)[:1] if asked.quick else _apps(part))
        for row in _rows_of(part, program, reading, app, asked)
    ]
    return sorted(runs, key=lambda row: int(row.labels["number"]))


def _apps(part: str) -> tuple[str, ...]:
    return APPS.get(part, _PRINTED)


def _rows_of(part: str, program: str, reading: Reading, app: str, asked: Asked) -> Iterator[Row]:
    job = _job(program, app, asked.quick)
    labels = {"table": part, "program": program, "reading": str(reading), "app": app}
    for layout in LAYOUTS:
        for number in range(1 if layout == "contiguous" else _layouts(part, asked)):
            for simulation in range(asked.sim_seeds or 1):
                run = resolve(
                    NETWORK,
                    [job] * JOBS,
                    partition=_partition(layout, number, reading),
                    config=Config(vcs=1),  # literature's k-ary n-trees have plain switches
                    seed=number,
                    network_seed=number + 1_000_000 * simulation,
                )
                yield Row({**labels, "layout": layout, "number": number}, run)


def _job(program: str, app: str, quick: bool) -> dict[str, str | int]:
    # An iteration alone takes as long as any other: the first stands for twenty in the quick version.
    job: dict[str, str | int] = {"trace": f"{app}.W.16"}
    if program != RECORDED:
        job = {"app": app.lower(), "class": PROGRAMS[program], "tasks": TASKS, "iterations": _ITERATIONS}
    if quick:
        job["iterations"] = "1:1"
    return job


def _layouts(part: str, asked: Asked) -> int:
    return asked.partitions or (2 if asked.quick or part in ("readings", "readings-ft", "programs") else 5)


def _partition(layout: str, number: int, reading: Reading) -> str:
    if layout == "contiguous":
        return "whole"
    if layout == "random":
        return f"random:{number}"
    count = int(layout.split()[0])
    return node_lists(exchanged(JOBS, TASKS, count, reading, np.random.default_rng([number, count])))


def report(asked: Asked, runs: pd.DataFrame) -> Report:
    """Return a table for each part, ours beside the published, and how far they agree."""
    return report_of(runs, {part: STUDY.parts[part] for part in asked.parts})


STUDY = Study(
    name="quasi-contiguity",
    title="What a few tasks outside the job's subtree cost",
    source="Pascual, Navaridas and Miguel-Alonso, JSSPP 2009; Pascual, thesis, UPV/EHU 2013, Table 3.9",
    parts={
        "one-level": "tasks outside the subtree one level up, as published: LU, MG and FT of class W",
        "together": "tasks outside the subtree on one leaf switch: LU, MG and FT of class W",
        "apart": "tasks outside the subtree one by one: LU, MG and FT of class W",
        "one-leaf": "tasks outside the subtree on one leaf switch, one level up: LU, MG and FT of class W",
        "readings": "which tasks stray, how far, and with whom: LU and MG of class W",
        "readings-ft": "the same with FT",
        "programs": "three readings with recorded and generated programs of classes W and A",
        "others": "tasks outside the subtree on one leaf switch: BT, SP, CG and IS of class W",
    },
    usual=("one-level", "together"),
    conduct=of_runs(rows, report),
    options=("partitions", "sim_seeds"),
)
