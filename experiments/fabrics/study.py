"""What of interference do routing, classes and congestion control take away, and what is left to placement.

The same jobs on one dragonfly of 1,056 nodes, each alone and all together, under features of one fabric and
under the fabrics that have names. The machine was held by others before, so that no partitioner has it empty.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from netplace.experiments.fabrics.cells import Cell
from netplace.experiments.fabrics.picture import draw_slowdowns
from netplace.experiments.fabrics.tables import KINDS, jobs_of, slowdowns
from netplace.netsim.presets import FABRICS
from netplace.studies.report import Report, ReportTable
from netplace.studies.schedules import kept_outcomes
from netplace.studies.study import Asked, Bench, Study

__all__ = ["FEATURES", "STUDY", "cells"]

ROUTINGS = ("minimal", "ugal-l")
DRAWS = 4
BASE = "slingshot-11"  # without its congestion control
# Notifications and timers take a fifth of the times that are published for DCQCN, as these runs are short.
_DCQCN = "dcqcn=1,ack=1000,every=7800,timer=8600,step=0.001"
FEATURES = {  # name: traffic classes, congestion control
    "none": ("", ""),
    "classes": ("bytes=1024", ""),
    "window of 8": ("", "window=8,ack=1000"),
    "window of 2": ("", "window=2,ack=1000"),
    "DCQCN": ("", _DCQCN),
    "classes, window of 2": ("bytes=1024", "window=2,ack=1000"),
}
PARTITIONERS = {
    "paced": ("switches", "random"),
    "incast": ("switches", "non-contiguous", "random"),
    "fabrics": ("switches", "random"),
}
PARTS = {
    "paced": f"features of {BASE}, incast jobs send half of what a link bears",
    "incast": f"features of {BASE}, incast jobs send all they can",
    "fabrics": "fabrics by name, each with what it has",
}


def cells(part: str, asked: Asked) -> list[tuple[str, Cell]]:
    """Return the cells of a part, each with the name of what it tries."""
    draws = range(1, 1 + (asked.partitions or (1 if asked.quick else DRAWS)))
    if part == "fabrics":
        tried = [
            (name, name, "", str(FABRICS[name].settings.get("congestion_control", ""))) for name in FABRICS
        ]
    else:
        tried = [(name, BASE, classes, control) for name, (classes, control) in FEATURES.items()]
    mix = "paced" if part == "fabrics" else part
    return [
        (name, Cell(mix, fabric, routing, classes, control, partitioner, draw))
        for draw in draws
        for name, fabric, classes, control in (tried[::4] if asked.quick else tried)
        for routing in (ROUTINGS[:1] if asked.quick else ROUTINGS)
        for partitioner in PARTITIONERS[part]
    ]


def conduct(asked: Asked, bench: Bench) -> Report:
    """Simulate what is missing, and report."""
    tables: list[ReportTable] = []
    summary, figures = [], {}
    for part in asked.parts:
        named = cells(part, asked)
        wanted = {cell.key: cell for _, cell in named}
        kept = kept_outcomes(wanted, Cell.run, Cell.describe, bench)
        table = _plain(slowdowns(jobs_of((name, cell, kept[cell.key]) for name, cell in named)))
        tables.append(_table(part, table))
        figures[part] = partial(draw_slowdowns, table=table, title=PARTS[part])
        summary.append(_said(part, table))
    return Report(tuple(tables), tuple(summary), figures)


def _table(part: str, table: pd.DataFrame) -> ReportTable:
    digits = dict.fromkeys(("slowdown", "low", "high", *KINDS), 2) | {"alone us": 1, "live us": 1}
    return ReportTable(part, f"{PARTS[part]}: what sharing costs, live over alone", table, digits)


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table without the column that says the same in each row, or as another."""
    same = "fabric" if table["fabric"].nunique() == 1 else "feature"
    return table.drop(columns=same)


def _said(part: str, table: pd.DataFrame) -> str:
    most, least = table.loc[table["slowdown"].idxmax()], table.loc[table["slowdown"].idxmin()]
    return (
        f"{part}: sharing costs {_named(most)} most, {most['slowdown']:.2f} times as long as alone, and "
        f"{_named(least)} least, {least['slowdown']:.2f} times."
    )


def _named(row: pd.Series) -> str:
    tried = row["feature"] if "feature" in row else row["fabric"]
    return f"{tried} with {row['routing']} and {row['partitioner']}"


STUDY = Study(
    name="fabrics",
    title="What of interference do adaptive routing, classes and congestion control take away?",
    source="this project; nothing of the kind is published",
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
    options=("partitions",),
)
