"""Latency-throughput curves: points of several seeds together, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from netplace.report.terminal.screen import number, table
from netplace.runs.load_figures import LoadFigures
from netplace.runs.loads import LoadPlan, curves
from netplace.scheduling.metrics.interval import half_width

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["curve_frame", "curve_table", "describe_points"]

_DELAYS = ("mean", "p50", "p95", "p99")


def curve_frame(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> pd.DataFrame:
    """Return a row for each curve and load, the means over its seeds.

    Returns
    -------
    DataFrame
        Columns ``curve``, ``offered``, ``seeds``, ``accepted``, ``accepted_half_width``, ``mean``,
        ``mean_half_width``, ``p50``, ``p95``, ``p99`` (delays in cycles), ``packets``, ``packet_hops`` and
        ``cpu_seconds`` (sums). Half-widths are of 95 % intervals by Student's t; NaN for a single seed.
    """
    rows = [
        {"curve": curve, "offered": plan.offered, **{name: getattr(point.delay, name) for name in _DELAYS}}
        | {name: getattr(point, name) for name in ("accepted", "packets", "packet_hops", "cpu_seconds")}
        for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True)
    ]
    groups = (
        pd.DataFrame(rows).astype(dict.fromkeys(_DELAYS, float)).groupby(["curve", "offered"], sort=False)
    )
    frame = groups[["accepted", *_DELAYS]].mean()
    for name in ("accepted", "mean"):
        frame[f"{name}_half_width"] = groups[name].agg(half_width)
    frame["seeds"] = groups.size()
    return frame.join(groups[["packets", "packet_hops", "cpu_seconds"]].sum()).reset_index()


def curve_table(frame: pd.DataFrame, title: str) -> Table:
    """Return the curves as a table for the screen."""
    several, spread = frame["curve"].nunique() > 1, (frame["seeds"] > 1).any()

    def cell(row: Any, name: str, digits: int) -> str:
        half = f" ± {number(row[f'{name}_half_width'], digits)}" if spread else ""
        return number(row[name], digits) + half

    rows = [
        [
            *([str(row["curve"])] if several else []),
            number(row["offered"], 3),
            cell(row, "accepted", 4),
            cell(row, "mean", 1),
            *(number(row[name], 1) for name in _DELAYS[1:]),
            number(row["packets"]),
            number(row["cpu_seconds"], 2),
            number(row["packet_hops"] / 1e6 / max(row["cpu_seconds"], 1e-9), 2),
        ]
        for _, row in frame.iterrows()
    ]
    columns = [
        "offered",
        "accepted",
        "mean delay",
        "p50",
        "p95",
        "p99",
        "packets",
        "CPU s",
        "M packet-hops/s",
    ]
    what = "loads in phits a node and cycle, delays in cycles" + (
        ", means and 95 % intervals" if spread else ""
    )
    return table(f"{title}: {what}", ["curve", *columns] if several else columns, rows)


def describe_points(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> dict[str, Any]:
    """Return points and what they came from as one object; what is the same of all stands there once."""
    plain = [plan.to_dict() for plan in plans]
    same = {
        name: value
        for name, value in plain[0].items()
        if all(described[name] == value for described in plain)
    }
    return {
        **same,
        "points": [
            {**{name: value for name, value in described.items() if name not in same}, **point.to_dict()}
            for described, point in zip(plain, points, strict=True)
        ],
    }
