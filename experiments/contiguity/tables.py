"""The report of the study: comparisons with boxes, costs of nodes and sharing, turning pairs, the front."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.contiguity.cases import KINDS, Cell
from netplace.experiments.pareto.study import front
from netplace.report.plots import write_figure
from netplace.report.plots.points import trade_off_figure
from netplace.scheduling.metrics import Paired, judged, paired
from netplace.scheduling.metrics.interval import half_width
from netplace.studies import Report, ReportTable


def draw_fronts(path: Path, points: pd.DataFrame) -> None:
    """Draw the contestants on one machine, a panel for each policy and communication."""
    names = list(points["contestant"].unique())
    panels = {
        f"{str(policy).upper()}, communication {share}": pd.DataFrame(
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
        for policy, rows in points.groupby("policy", sort=False)
        for share, own in rows.groupby("communication", sort=False)
    }
    title = f"Waiting and slowdown on the {points['machine'].iloc[0]}"
    axes = "mean wait / mean run time", "run time / alone in boxes"
    columns = points["communication"].nunique()
    write_figure(path, trade_off_figure(title, panels, *axes, columns=columns))


Made = tuple[str, str, Cell, dict[str, Any]]
CASE = ["machine", "communication", "policy"]
BOXES = "boxes"


def figures_of(made: list[Made]) -> pd.DataFrame:
    """Return a row for each run and kind of times.

    ``wait`` and ``turnaround`` are means over jobs, over the mean run time of the log; ``slowdown`` is the
    mean of run times over those of the same jobs alone in boxes; ``placement`` and ``sharing`` are node-
    seconds over those of the log; ``slowed`` is the share of jobs slowed by 1 % and more by others.
    """
    in_boxes = {_case(cell): outcome["jobs"]["alone"] for _, name, cell, outcome in made if name == BOXES}
    rows = []
    for part, name, cell, outcome in made:
        compact = np.array(in_boxes[_case(cell)])
        jobs = {key: np.array(values, float) for key, values in outcome["jobs"].items()}
        logged = np.array(outcome["kinds"]["logged"]["run"])
        work = float((jobs["size"] * logged).sum())
        place = {
            "placement": float((jobs["size"] * (jobs["alone"] - logged)).sum()) / work,
            "sharing": float((jobs["size"] * (jobs["live"] - jobs["alone"])).sum()) / work,
            "slowed": float((jobs["live"] > 1.01 * jobs["alone"]).mean()),
        }
        for kind in KINDS:
            own = {key: np.array(values, float) for key, values in outcome["kinds"][kind].items()}
            rows.append(
                {
                    "machine": part,
                    "communication": cell.communication,
                    "policy": cell.policy,
                    "contestant": name,
                    "times": kind,
                    "log": cell.log.name,
                    "week": cell.week,
                    "jobs": len(logged),
                    "rejected": outcome["rejected"],
                    "wait": own["wait"].mean() / logged.mean(),
                    "turnaround": (own["wait"] + own["run"]).mean() / logged.mean(),
                    "slowdown": (own["run"] / compact).mean(),
                    **place,
                    "cpu": outcome["cpu"],
                }
            )
    return pd.DataFrame(rows)


def _case(cell: Cell) -> tuple[object, ...]:
    return cell.machine, cell.log.digest, cell.week, cell.communication, cell.policy


def compared(frame: pd.DataFrame) -> pd.DataFrame:
    """Return each contestant beside boxes: the ratio of turnarounds, its interval, and a verdict.

    Verdicts of one kind of times are a family, corrected after Holm.
    """
    return pd.concat([_family(kind, own) for kind, own in frame.groupby("times", sort=False)])


def _family(kind: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons by one kind of times, judged together."""
    rows: list[dict[str, Any]] = []
    differences = list[Paired]()
    keys = ["log", "week"]
    for case, group in frame.groupby(CASE, sort=False):
        logs = np.log(group.set_index([*keys, "contestant"])["turnaround"]).unstack("contestant")
        for contestant in group["contestant"].unique():
            if contestant != BOXES:
                differences.append(paired(logs[BOXES].tolist(), logs[contestant].tolist()))
                rows.append({"times": kind, **dict(zip(CASE, case, strict=True)), "contestant": contestant})
    for row, difference, verdict in zip(rows, differences, judged(differences), strict=True):
        low, middle, high = np.exp(
            [
                difference.mean - difference.half_width,
                difference.mean,
                difference.mean + difference.half_width,
            ]
        ).tolist()
        row |= {"to boxes": middle, "from": low, "to": high, "p": verdict.p_value, "verdict": verdict.words}
    return pd.DataFrame(rows)


def turned(beside: pd.DataFrame) -> pd.DataFrame:
    """Return the fate of each conclusion of logged times and of a table once times are live.

    *turns*: both are clear, of opposite sign; *new*: clear only live; *lost*: clear only before.
    """
    keys = [*CASE, "contestant"]
    live = beside[beside["times"] == "live"].set_index(keys)
    rows = []
    for kind in ("logged", "table"):
        before = beside[beside["times"] == kind].set_index(keys)
        for place, row in before.iterrows():
            now = live.loc[place]
            rows.append(
                {
                    **dict(zip(keys, place, strict=True)),
                    "times": kind,
                    "before": row["to boxes"],
                    "verdict before": row["verdict"],
                    "live": now["to boxes"],
                    "verdict live": now["verdict"],
                    "becomes": _becomes(str(row["verdict"]), str(now["verdict"])),
                }
            )
    return pd.DataFrame(rows)


def _becomes(before: str, now: str) -> str:
    clear, is_clear = before.startswith("clearly"), now.startswith("clearly")
    if clear and is_clear:
        return "stays" if before == now else "turns"
    if clear or is_clear:
        return "new" if is_clear else "lost"
    return "open"


def points(frame: pd.DataFrame) -> pd.DataFrame:
    """Return live waiting, slowdown, and costs with paired half-widths: means over streams, and the front."""
    rows = []
    live = frame[frame["times"] == "live"]
    for names, group in live.groupby([*CASE, "contestant"], sort=False):
        boxes = live[(live[[*CASE, "contestant"]] == [*names[:3], BOXES]).all(axis=1)]
        row: dict[str, Any] = dict(zip((*CASE, "contestant"), names, strict=True))
        for name in ("wait", "slowdown"):
            apart = group.set_index(["log", "week"])[name] - boxes.set_index(["log", "week"])[name]
            row |= {name: group[name].mean(), f"± {name}": half_width(apart.tolist())}
        row |= {f"{name} %": 100 * group[name].mean() for name in ("placement", "sharing", "slowed")}
        rows.append(row | {"streams": len(group)})
    means = pd.DataFrame(rows)
    means["front"] = ""
    for _, group in means.groupby(CASE, sort=False):
        best = front(group["wait"].to_numpy(), group["slowdown"].to_numpy())
        means.loc[group.index[best], "front"] = "*"
    return means


def report_of(made: list[Made]) -> Report:
    frame = figures_of(made)
    beside, where = compared(frame), points(frame)
    becomes = turned(beside)
    changed = becomes[~becomes["becomes"].isin(["stays", "open"])]
    ratios = dict.fromkeys(("to boxes", "from", "to", "p", "before", "live"), 3)
    digits = dict.fromkeys(("wait", "± wait", "slowdown", "± slowdown"), 3)
    shares = dict.fromkeys(("placement %", "sharing %", "slowed %"), 1) | {"streams": 0}
    tables = (
        ReportTable("live", "Mean turnaround relative to boxes, live", _of(beside, "live"), ratios),
        ReportTable("table", "The same with a table", _of(beside, "table"), ratios),
        ReportTable("logged", "The same with the times of the log", _of(beside, "logged"), ratios),
        ReportTable("becomes", "How conclusions change", changed, ratios),
        ReportTable("points", "Waiting time, slowdown and their causes, live", where, digits | shares),
        ReportTable("streams", "Jobs", _streams(frame), {"jobs": 0, "rejected": 0}),
    )
    figures = {
        f"front-{part}": partial(draw_fronts, points=where[where["machine"] == part])
        for part in where["machine"].unique()
    }
    return Report(tables, tuple(_sentences(frame, beside, becomes, where)), figures)


def _of(beside: pd.DataFrame, kind: str) -> pd.DataFrame:
    return beside[beside["times"] == kind].drop(columns="times")


def _streams(frame: pd.DataFrame) -> pd.DataFrame:
    keys = ["machine", "log", "week"]
    return frame.groupby(keys, sort=False).agg({"jobs": "first", "rejected": "max"}).reset_index()


def _sentences(
    frame: pd.DataFrame, beside: pd.DataFrame, becomes: pd.DataFrame, where: pd.DataFrame
) -> list[str]:
    sentences = []
    for kind in KINDS:
        verdicts = beside[beside["times"] == kind]["verdict"].value_counts()
        said = ", ".join(f"{name} {count}" for name, count in verdicts.items())
        sentences.append(f"Turnaround compared with boxes, {kind} times ({KINDS[kind]}): {said}.")
    for kind, group in becomes.groupby("times", sort=False):
        counts = group["becomes"].value_counts()
        sentences.append(
            f"Of {len(group)} comparisons with {kind} times, {int(counts.get('turns', 0))} are reversed in "
            f"live runs, {int(counts.get('new', 0))} become significant, {int(counts.get('lost', 0))} are no "
            f"longer significant, and {int(counts.get('stays', 0))} remain significant."
        )
    for part, group in where[where["front"] == "*"].groupby("machine", sort=False):
        counts = group["contestant"].value_counts()
        said = ", ".join(f"{name} {count}" for name, count in counts.items())
        sentences.append(f"{part}: on the front of {len(group[CASE].drop_duplicates())} cases: {said}.")
    sentences.append(f"CPU time of the runs: {frame[frame['times'] == 'live']['cpu'].sum():.0f} s.")
    return sentences
