"""How much interference routing, classes and congestion control remove, and what placement can still gain.

The same jobs on one dragonfly of 1,056 nodes, each alone and all together, under features of one fabric and
under the fabrics that have names. The machine was held by others before, so that no partitioner has it empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.experiments.fabrics.cells import MIXES, Cell
from netplace.netsim.presets import FABRICS
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.scheduling.metrics.interval import half_width
from netplace.studies import Asked, Bench, Report, ReportTable, Study
from netplace.studies.schedules import kept_outcomes

_LINEAR_TO = 5.0  # times; more is drawn on a logarithmic axis


def draw_slowdowns(path: Path, table: pd.DataFrame, title: str) -> None:
    """Draw slowdowns with intervals; partitioners differ in color and form."""
    rows = "feature" if "feature" in table else "fabric"
    points = table.rename(columns={rows: "name", "partitioner": "series", "slowdown": "value"})
    scale = "log" if table["slowdown"].max() > _LINEAR_TO else "linear"
    panels = {str(routing): own for routing, own in points.groupby("routing", sort=False)}
    xlabel, over = "live over alone, geometric mean over jobs", "95 % intervals over draws"
    write_figure(path, dot_figure(title, panels, xlabel, whiskers=over, line=1.0, scale=scale))


KINDS = ("latency", "halo", "all-to-all", "butterfly", "incast")
_MEASURED = KINDS[:-1]


def jobs_of(outcomes: Iterable[tuple[str, Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each job of each cell that had nodes: kind, and microseconds of an iteration."""
    rows = []
    for feature, cell, outcome in outcomes:
        for (kind, *_), alone, live in zip(MIXES[cell.mix], outcome["alone"], outcome["live"], strict=True):
            if alone > 0:
                named = {"fabric": cell.fabric, "routing": cell.routing, "feature": feature}
                placed = {"partitioner": cell.partitioner, "draw": cell.draw}
                rows.append(named | placed | {"kind": kind, "alone": alone, "live": live})
    return pd.DataFrame(rows)


def slowdowns(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return geometric means of live over alone and of iteration times, with intervals of 95 %."""
    frame = jobs.assign(log=np.log(jobs["live"] / jobs["alone"]))
    frame[["log alone", "log live"]] = np.log(jobs[["alone", "live"]])
    rows = []
    for key, own in frame.groupby(["fabric", "routing", "feature", "partitioner"], sort=False):
        measured = own[own["kind"].isin(_MEASURED)]
        middle, low, high = _interval(measured.groupby("draw")["log"].mean().to_numpy())
        row = dict(zip(("fabric", "routing", "feature", "partitioner"), key, strict=True))
        row |= {"slowdown": middle, "low": low, "high": high}
        row |= {kind: float(np.exp(own.loc[own["kind"] == kind, "log"].mean())) for kind in KINDS}
        row |= {f"{name} us": float(np.exp(measured[f"log {name}"].mean())) for name in ("alone", "live")}
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return e to the mean, and to the ends of its interval by Student's t; of one draw all are the same."""
    mean = float(logs.mean())
    half = half_width(logs) if len(logs) > 1 else 0.0
    return float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half))


ROUTINGS = ("minimal", "ugal-l")
DRAWS = 4
BASE = "slingshot-11"  # without its congestion control
NETWORKS = ("infiniband-ndr", "slingshot-11", "omnipath", "bluegene-q", "tofu-d")  # without end points
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
    draws = range(1, 1 + (asked.partitions or (1 if asked.quick else DRAWS)))
    if part == "fabrics":
        tried = [
            (name, name, "", str(FABRICS[name].settings.get("congestion_control", ""))) for name in NETWORKS
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
