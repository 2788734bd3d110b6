"""Tables of the study of allocators: our figures, the printed ones, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.allocators.set_tables import TABLES as SET_TABLES
from netplace.experiments.allocators.stream_tables import hops_table, stream_table
from netplace.experiments.published import published
from netplace.experiments.shared.statistics import constant
from netplace.scheduling.metrics.interval import half_width

__all__ = ["TABLES"]

Made = tuple[pd.DataFrame, dict[str, int], list[str]]
_NAMES = {"hilbert-best-fit": "curve:hilbert"}  # as printed
NEAR_DECISION = 0.02  # share by which a ratio of sums may differ; with the log, half of it
LOG_NEAR = 0.01


def _choice(frame: pd.DataFrame) -> Made:
    """Return live and table figures relative to random nodes, machine by machine."""
    measures = ("makespan", "turnaround", "run", "mean hops")
    base = frame[frame["partition"] == "random"].set_index(["machine", "network_time", "seed"])
    rows = []
    for (machine, partition), own in frame.groupby(["machine", "partition"], sort=False):
        row: dict[str, Any] = {"machine": machine, "partition": partition}
        for source, part in own.groupby("network_time", sort=False):
            keys = [(machine, source, seed) for seed in part["seed"]]
            for name in measures:
                if name == "mean hops" and source == "table":
                    continue
                values = part[name].to_numpy() / base.loc[keys, name].to_numpy()
                row[f"{source} {name}" if name != "mean hops" else name] = float(values.mean())
        rows.append(row)
    cells = pd.DataFrame(rows)
    digits = {name: 3 for name in cells if name not in ("machine", "partition")}
    sentences = ["figures are relative to random nodes, seed by seed."]
    for machine, own in cells.groupby("machine", sort=False):
        least = own.loc[own["live makespan"].idxmin()]
        ranks = own[["live turnaround", "table turnaround", "mean hops"]].corr("spearman")
        sentences.append(
            f"{machine}: least makespan with {least['partition']} ({least['live makespan']:.2f} of random); "
            f"rank correlation of the live turnaround with that of the table "
            f"{ranks.loc['live turnaround', 'table turnaround']:.2f}, with mean hops "
            f"{ranks.loc['live turnaround', 'mean hops']:.2f}."
        )
    return cells, digits, sentences


def _decisions(frame: pd.DataFrame) -> Made:
    """Return each cell over that of (mc1x1, mc1x1), beside the printed one."""
    printed = published("cpa_pairwise_sum.csv").replace(_NAMES)
    theirs = printed.set_index(["situation", "decision"])["mean_pairwise_sum"]
    decisions = frame["decisions"].iloc[0]
    streams = frame.groupby(["load", "seed"], sort=False)
    ratios: dict[tuple[str, str], list[float]] = {}
    kept, rows_seen = 0, 0
    for _, group in streams:
        sums = group.set_index("partition")
        base = float(sums.at["mc1x1", "mc1x1"])
        for situation in sums.index:
            values = [float(sums.at[situation, name]) for name in ("mm+inc", "mm", "mc1x1", "curve:hilbert")]
            rows_seen += 1
            kept += values == sorted(values)
            for decision in decisions:
                ratios.setdefault((situation, decision), []).append(
                    float(sums.at[situation, decision]) / base
                )
    rows = []
    for (situation, decision), values in ratios.items():
        cell = float(theirs.get((situation, decision), np.nan)) / float(theirs["mc1x1", "mc1x1"])
        rows.append(
            {
                "situation": situation,
                "decision": decision,
                "ratio": float(np.mean(values)),
                "least": min(values),
                "most": max(values),
                "printed": cell,
                "difference": float(np.mean(values)) - cell,
            }
        )
    cells = pd.DataFrame(rows)
    with_log = bool(frame["log"].iloc[0])
    allowed = LOG_NEAR if with_log else NEAR_DECISION
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= allowed * known["printed"]).sum())
    value, met = constant(known["printed"] * (1 - allowed), known["printed"] * (1 + allowed))
    sentences = [
        f"jobs of {'the log' if with_log else 'the Lublin model'}; a cell is the mean sum over that of "
        "(mc1x1, mc1x1).",
        f"{near} of {len(known)} printed cells within {allowed:.0%} (every one {value:.2f}: {met}).",
        f"decisions rank mm+inc, mm, mc1x1, hilbert best fit in {kept} of {rows_seen} rows (printed: all).",
    ]
    return cells, dict.fromkeys(("ratio", "least", "most", "printed", "difference"), 3), sentences


def _overlap(frame: pd.DataFrame) -> Made:
    """Return how much longer each of two jobs takes beside the other."""
    rows = []
    for row in frame.to_dict("records"):
        factors = [both / alone for both, alone in zip(row["together"], row["alone"], strict=True)]
        rows.append(
            {name: row[name] for name in ("machine", "policy", "vcs", "bytes")}
            | {"columns": row["partition"], "alone": row["alone"][0]}
            | {"first": factors[0], "second": factors[1]}
            | {"printed": np.nan if row["partition"] == "compact" else 2.0}
        )
    cells = pd.DataFrame(rows)
    sentences = []
    for columns, own in cells.groupby("columns", sort=False):
        both = own[["first", "second"]].to_numpy()
        sentences.append(f"columns {columns}: {both.min():.2f} to {both.max():.2f} times as long as alone")
    accepted = "printed: about 2 for paths that overlap, by hand; accepted: 1.5 to 2.2"
    digits = {"alone": 0, "first": 2, "second": 2, "printed": 1}
    return cells, digits, [f"{'; '.join(sentences)} ({accepted})."]


def _trends(frame: pd.DataFrame) -> Made:
    """Return how spread jobs are by allocator and work multiple."""
    names = ("mean hops", "span", "stretch-span", "cube ratio", "components")
    cells = frame.groupby(["partition", "work"], sort=False)[list(names)].mean().reset_index()
    wide = cells.set_index(["partition", "work"])
    works = sorted(cells["work"].unique())
    total, rising, below = 0, 0, 0
    partitions = list(dict.fromkeys(cells["partition"]))
    for partition in partitions:
        for name in names:
            total += 1
            rising += bool(wide.loc[(partition, works[-1]), name] > wide.loc[(partition, works[0]), name])
    base = "curve:row,free-list"
    curves = [name for name in partitions if name.startswith("curve") and "free-list" not in name]
    for partition in curves:
        below += all(
            wide.loc[(partition, works[-1]), name] < wide.loc[(base, works[-1]), name] for name in names
        )
    sentences = [
        f"{rising} of {total} figures rise from {works[0]:g} to {works[-1]:g} times the work "
        "(expected: all).",
        f"{below} of {len(curves)} interval policies are below the free list along rows on every figure.",
    ]
    return cells, dict.fromkeys(names, 2) | {"work": 1}, sentences


def _flow(frame: pd.DataFrame) -> Made:
    """Return flow times over those of mc1x1, seed by seed, with intervals, by machine and allocator."""
    names, rows = ("flow", "run", "pairwise sum"), []
    for machine, group in frame.groupby("machine", sort=False):
        base = group[group["partition"] == "mc1x1"].set_index("seed")
        for partition, own in group.groupby("partition", sort=False):
            row: dict[str, Any] = {"machine": machine, "partition": partition}
            for name in names:
                ratios = own.set_index("seed")[name] / base[name]
                row[name] = float(ratios.mean())
                row[f"{name} +-"] = half_width(ratios)
            rows.append(row)
    cells = pd.DataFrame(rows)
    log = "the log of the iPSC" if frame["log"].iloc[0] else "the model of Lublin and Feitelson"
    sentences = [
        f"means over those of mc1x1, {frame['seed'].nunique()} parts of {log}, with 95% intervals; shape, "
        "pattern and length of messages of the original are not told."
    ]
    for machine, own in cells.groupby("machine", sort=False):
        ranked = own.sort_values("flow")
        least = ranked["flow"].iloc[0] + ranked["flow +-"].iloc[0]
        alike = ranked.loc[ranked["flow"] - ranked["flow +-"] <= least, "partition"]
        sentences.append(
            f"{machine}: {', '.join(ranked['partition'])} (least flow time first); intervals overlap that of "
            f"the first for {', '.join(alike[1:]) or 'none'}."
        )
    return cells, {column: 3 for column in cells if column not in ("machine", "partition")}, sentences


TABLES: dict[str, Callable[[pd.DataFrame], Made]] = {
    "choice": _choice,
    "decisions": _decisions,
    "stream": stream_table,
    "hops": hops_table,
    "overlap": _overlap,
    "trends": _trends,
    "flow": _flow,
    **SET_TABLES,
}
