"""The report of the study: comparisons with boxes, the parts of the cost, tables that mislead, the front."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.contiguity.cases import KINDS, Cell
from netplace.experiments.shared.statistics import with_front
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure, trade_off_figure
from netplace.report.studies import Report, ReportTable
from netplace.scheduling.metrics import Paired, judged
from netplace.scheduling.metrics.interval import Estimate, half_width


def _draw_ratios(path: Path, beside: pd.DataFrame) -> None:
    """Draw the turnarounds relative to boxes, a panel for each machine."""
    columns = {
        "contestant": "name",
        "communication": "series",
        "to boxes": "value",
        "from": "low",
        "to": "high",
    }
    panels = dict(iter(beside.rename(columns=columns).groupby("machine", sort=False)))
    title = "Mean turnaround in live runs, by the share of communication"
    whiskers = "95 % intervals over the streams"
    write_figure(path, dot_figure(title, panels, "relative to boxes", line=1.0, whiskers=whiskers))


def _draw_fronts(path: Path, points: pd.DataFrame) -> None:
    """Draw the contestants on one machine, a panel for each share of communication."""
    names = list(points["contestant"].unique())
    panels = {
        f"communication {share}": pd.DataFrame(
            {
                "name": own["contestant"],
                "look": own["contestant"].map(names.index),
                "x": own["wait"],
                "y": own["slowdown"],
                "half_x": own["± wait"],
                "half": own["± slowdown"],
                "front": own["front"],
            }
        )
        for share, own in points.groupby("communication", sort=False)
    }
    title = f"Waiting and slowdown on the {points['machine'].iloc[0]}"
    axes = "mean wait / mean run time", "run time / alone in boxes"
    columns = points["communication"].nunique()
    whiskers = "95 % intervals of the difference from boxes"
    write_figure(path, trade_off_figure(title, panels, *axes, columns=columns, whiskers=whiskers))


Made = tuple[str, str, Cell, dict[str, Any]]
CASE = ["machine", "communication"]
STREAM = ["log", "week"]
BOXES = "boxes"
PARTS = ("waste", "wait", "placement", "sharing")  # of the node-seconds beyond the compact ones


def values_of(made: list[Made]) -> pd.DataFrame:
    """Return a row for each run.

    Turnarounds by live, table and compact times, and ``queued``, the wait, are means over jobs, over the mean
    compact time; ``slowdown`` is the mean of live times over those of the same jobs alone in boxes. The parts
    are node-seconds over the compact ones; ``node-seconds`` is the sum of all. ``slowed`` is the share of
    jobs slowed by 1 % and more by others.
    """
    in_boxes = {_case(cell): outcome["jobs"]["alone"] for _, name, cell, outcome in made if name == BOXES}
    rows = []
    for part, name, cell, outcome in made:
        jobs = {key: np.array(values, float) for key, values in outcome["jobs"].items()}
        kinds = {
            kind: {key: np.array(values, float) for key, values in own.items()}
            for kind, own in outcome["kinds"].items()
        }
        size, alone, live = jobs["size"], jobs["alone"], jobs["live"]
        compact, wait, held = kinds["compact"]["run"], kinds["live"]["wait"], kinds["live"]["held"]
        seconds = ((held - size) * live, size * wait, size * (alone - compact), size * (live - alone))
        shares = [float(values.sum() / (size * compact).sum()) for values in seconds]
        rows.append(
            {
                "machine": part,
                "communication": cell.communication,
                "contestant": name,
                "log": cell.log.name,
                "week": cell.week,
                "jobs": len(live),
                "rejected": outcome["rejected"],
                **{
                    kind: (kinds[kind]["wait"] + kinds[kind]["run"]).mean() / compact.mean() for kind in KINDS
                },
                "queued": wait.mean() / compact.mean(),
                "slowdown": (live / np.array(in_boxes[_case(cell)])).mean(),
                **dict(zip(PARTS, shares, strict=True)),
                "node-seconds": 1 + sum(shares),
                "slowed": float((live > 1.01 * alone).mean()),
                "cpu": outcome["cpu"],
            }
        )
    return pd.DataFrame(rows)


def _case(cell: Cell) -> tuple[object, ...]:
    return cell.machine, cell.log.digest, cell.week, cell.communication


def compared(values: pd.DataFrame, kind: str, over: str = "") -> pd.DataFrame:
    """Return each contestant beside boxes by one kind of times: the ratio, its interval, and a verdict.

    All are one family, corrected after Holm. With `over`, it is the ratio over that by another kind of times.
    """
    rows: list[dict[str, Any]] = []
    differences = list[Paired]()
    turnaround = np.log(values[kind]) - (np.log(values[over]) if over else 0.0)
    for case, group in values.assign(turnaround=turnaround).groupby(CASE, sort=False):
        streams = group.set_index([*STREAM, "contestant"])["turnaround"].unstack("contestant")
        for contestant in group["contestant"].unique():
            if contestant != BOXES:
                differences.append(_within_logs(streams[contestant] - streams[BOXES]))
                rows.append({**dict(zip(CASE, case, strict=True)), "contestant": contestant})
    for row, difference, verdict in zip(rows, differences, judged(differences), strict=True):
        ends = difference.mean + difference.half_width * np.array([0, -1, 1])
        row |= dict(zip(("to boxes", "from", "to"), np.exp(ends).tolist(), strict=True))
        row |= {"p": verdict.p_value, "verdict": verdict.words}
    return pd.DataFrame(rows)


def _within_logs(gaps: pd.Series) -> Paired:
    """Return the mean of differences whose spread is that within logs."""
    logs = gaps.groupby("log")
    free = len(gaps) - logs.ngroups
    inside = float(np.square(gaps - logs.transform("mean")).sum())
    if not gaps.any():
        return Paired(0.0, 0.0, 1.0, free + 1, 0.0)
    found = Estimate(gaps.mean(), np.sqrt(inside / free / len(gaps)) if free else np.nan, free + 1)
    return Paired(found.mean, found.half_width, found.p_value, found.count, 0.0)


def misled(values: pd.DataFrame, live: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons whose verdict by compact times or by a table is another one than live.

    The interaction, live over before, says whether the two differ by more than chance.
    """
    found = []
    for kind in ("compact", "table"):
        before, apart = compared(values, kind), compared(values, "live", kind)
        columns = {
            "times": kind,
            "before": before["to boxes"],
            "verdict before": before["verdict"],
            "live": live["to boxes"],
            "verdict live": live["verdict"],
        }
        one, other, both = (own["verdict"].where(_clear(own), "") for own in (before, live, apart))
        changed = (one != other) | (both != "")
        renamed = apart.rename(columns={"to boxes": "live / before"})
        found.append(renamed.assign(**columns)[changed])
    order = [*CASE, "contestant", *columns, "live / before", "from", "to", "p", "verdict"]
    return pd.concat(found)[order]


def _clear(pairs: pd.DataFrame) -> pd.Series[bool]:
    return pairs["verdict"].str.startswith("clearly")


def points(values: pd.DataFrame) -> pd.DataFrame:
    """Return live waiting, slowdown, and parts with paired half-widths: means over streams, and the front."""
    rows = []
    columns = [
        ("wait", "queued", 1),
        ("slowdown", "slowdown", 1),
        *((f"{name} %", name, 100) for name in PARTS),
    ]
    for names, group in values.groupby([*CASE, "contestant"], sort=False):
        boxes = values[(values[[*CASE, "contestant"]] == [*names[:-1], BOXES]).all(axis=1)]
        row: dict[str, Any] = dict(zip((*CASE, "contestant"), names, strict=True))
        for name, column, scale in columns:
            apart = scale * (group.set_index(STREAM)[column] - boxes.set_index(STREAM)[column])
            row |= {name: scale * group[column].mean(), f"± {name}": half_width(apart.tolist())}
        row["slowed %"] = 100 * group["slowed"].mean()
        rows.append(row | {"streams": len(group)})
    return with_front(pd.DataFrame(rows), CASE, "wait", "slowdown")


def report_of(values: pd.DataFrame) -> Report:
    """Return the report, all of which follows from the values of the runs."""
    pairs = {kind: compared(values, kind) for kind in KINDS}
    changed, where = misled(values, pairs["live"]), points(values)
    ratios = dict.fromkeys(("to boxes", "from", "to", "p", "before", "live", "live / before"), 3)
    digits = dict.fromkeys(("wait", "± wait", "slowdown", "± slowdown"), 3)
    shares = {f"{sign}{name} %": 1 for name in (*PARTS, "slowed") for sign in ("", "± ")} | {"streams": 0}
    tables = (
        ReportTable("live", "Mean turnaround relative to boxes, live", pairs["live"], ratios),
        ReportTable("table", "The same with a table", pairs["table"], ratios),
        ReportTable("compact", "The same with times on compact nodes", pairs["compact"], ratios),
        ReportTable("becomes", "Live runs against compact times and a table", changed, ratios),
        ReportTable(
            "points", "Waiting time, slowdown and the parts of node-seconds, live", where, digits | shares
        ),
    )
    figures = {"turnaround": partial(_draw_ratios, beside=pairs["live"])} | {
        f"front-{part}": partial(_draw_fronts, points=where[where["machine"] == part])
        for part in where["machine"].unique()
    }
    return Report(tables, tuple(_sentences(values, pairs, changed, where)), figures, {"values": values})


def _sentences(
    values: pd.DataFrame, pairs: dict[str, pd.DataFrame], changed: pd.DataFrame, where: pd.DataFrame
) -> list[str]:
    sentences = []
    for kind, label in KINDS.items():
        verdicts = pairs[kind]["verdict"].value_counts()
        text = ", ".join(f"{name} in {count} of {len(pairs[kind])}" for name, count in verdicts.items())
        sentences.append(f"Turnaround compared with boxes, {kind} times ({label}): {text}.")
    clear = changed[_clear(changed)]["times"].value_counts()
    for kind in ("compact", "table"):
        sentences.append(
            f"Of {len(pairs[kind])} comparisons with {kind} times, {int(clear.get(kind, 0))} differ "
            "significantly from those of live runs."
        )
    for part, group in where[where["front"] == "*"].groupby("machine", sort=False):
        counts = group["contestant"].value_counts()
        text = ", ".join(f"{name} {count}" for name, count in counts.items())
        sentences.append(f"{part}: on the front of {len(group[CASE].drop_duplicates())} cases: {text}.")
    sentences.append(f"CPU time of the runs: {values['cpu'].sum():.0f} s.")
    return sentences
