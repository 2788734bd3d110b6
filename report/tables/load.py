"""Latency-throughput curves: points of several seeds together, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.report.terminal.screen import number, table
from netplace.runs.load_figures import LoadFigures
from netplace.runs.loads import LoadPlan, curves
from netplace.scheduling.metrics.interval import estimate, half_width

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["curve_frame", "curve_table", "describe_points", "saturation_notes"]

_ACCEPTS = 0.98  # of what is offered: below it the network is called saturated
_DELAYS = ("mean", "p50", "p95", "p99")


def curve_frame(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> pd.DataFrame:
    """Return a row for each curve and load, with means over seeds and half-widths of 95 % intervals."""
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
    what = "loads in phits per node and cycle, delays in cycles" + (
        ", means and 95 % intervals" if spread else ""
    )
    return table(f"{title}: {what}", ["curve", *columns] if several else columns, rows)


def saturation_notes(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[str]:
    """Return the load from which each curve is saturated (98 % accepted, interpolated), with an interval."""
    rows = [
        (curve, plan.seed, plan.offered, point.accepted)
        for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True)
    ]
    said = []
    for curve, own in pd.DataFrame(rows, columns=["curve", "seed", "load", "accepted"]).groupby(
        "curve", sort=False
    ):
        runs = [run.sort_values("load") for _, run in own.groupby("seed")]
        ends = [_saturated(run["load"].to_numpy(float), run["accepted"].to_numpy(float)) for run in runs]
        most = (
            f"it accepts at most {own.groupby('load')['accepted'].mean().max():.3g} phits a node and cycle."
        )
        last, reached = float(own["load"].max()), [end for end in ends if end is not None]
        if not reached:
            said.append(f"{curve}: accepts all loads that were tried, up to {last:g}.")
        elif len(reached) < len(ends):
            where = f"{len(reached)} of {len(ends)} seeds are saturated at loads up to {last:g}"
            said.append(f"{curve}: {where}, so the load from which it is saturated has no interval; {most}")
        else:
            least, above = min(low for low, _, _ in reached), max(high for *_, high in reached)
            if least == above:
                where = f"it is saturated at {above:g}, the lowest load that was tried"
            else:
                found = estimate([load for _, load, _ in reached])
                width = "" if len(reached) < 2 else f" ± {found.half_width:.2g}"
                over = (
                    "one seed, no interval"
                    if len(reached) < 2
                    else f"95 % interval over {len(reached)} seeds"
                )
                where = (
                    f"it is saturated from {found.mean:.3g}{width} ({over}), between {least:g} and {above:g}"
                )
            said.append(f"{curve}: {where}; {most}")
    return said


def _saturated(
    loads: NDArray[np.float64], accepted: NDArray[np.float64]
) -> tuple[float, float, float] | None:
    """Return the load from which a network is saturated, between the loads tried below and above it."""
    share = accepted / loads
    below = np.flatnonzero(share < _ACCEPTS)
    if not len(below):
        return None
    after = int(below[0])
    if not after:
        return float(loads[0]), float(loads[0]), float(loads[0])
    before, high = share[after - 1], share[after]
    part = (before - _ACCEPTS) / (before - high)
    load = loads[after - 1] + part * (loads[after] - loads[after - 1])
    return float(loads[after - 1]), float(load), float(loads[after])


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
