"""Latency-throughput curves: points of several seeds together, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.runs.loads import LoadFigures, LoadPlan, curves
from netplace.scheduling.metrics.interval import estimate, half_width

_ACCEPTS = 0.98  # of what is offered: below it the network is called saturated
_FINE = 0.1  # between two loads that were tried: farther apart, nothing is interpolated
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
    frame = frame.join(groups[["packets", "packet_hops", "cpu_seconds"]].sum()).reset_index()
    return frame.assign(rate=frame["packet_hops"] / 1e6 / frame["cpu_seconds"].clip(lower=1e-9))


def saturations(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[dict[str, Any]]:
    """Return the load from which each curve is saturated: 98 % of it is accepted, interpolated.

    ``load`` is the mean over seeds, with ``half_width``; it is None unless all seeds are saturated, between
    loads that are at most 0.1 apart. ``low`` and ``high`` are loads that were tried. The most that is
    accepted and the highest load are given, too.
    """
    rows = [
        (curve, plan.seed, plan.offered, point.accepted)
        for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True)
    ]
    made = []
    for curve, own in pd.DataFrame(rows, columns=["curve", "seed", "load", "accepted"]).groupby(
        "curve", sort=False
    ):
        runs = [run.sort_values("load") for _, run in own.groupby("seed")]
        ends = [_saturated(run["load"].to_numpy(float), run["accepted"].to_numpy(float)) for run in runs]
        reached = [end for end in ends if end is not None]
        fine = all(high - low <= _FINE + 1e-9 for low, _, high in reached)
        found = estimate([load for _, load, _ in reached]) if len(reached) == len(ends) and fine else None
        made.append(
            {
                "curve": curve,
                "load": None if found is None else found.mean,
                "half_width": None if found is None or len(reached) < 2 else found.half_width,
                "low": min((low for low, _, _ in reached), default=None),
                "high": max((high for *_, high in reached), default=None),
                "seeds": len(ends),
                "saturated_seeds": len(reached),
                "accepted": float(own.groupby("load")["accepted"].mean().max()),
                "highest": float(own["load"].max()),
            }
        )
    return made


def saturation_notes(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[str]:
    """Return `saturations` in sentences."""
    said = []
    for one in saturations(plans, points):
        curve, seeds, reached = one["curve"], one["seeds"], one["saturated_seeds"]
        most = f"it accepts at most {one['accepted']:.3g} phits per node and cycle."
        if not reached:
            said.append(f"{curve}: accepts all loads that were tried, up to {one['highest']:g}.")
        elif reached < seeds:
            where = f"{reached} of {seeds} seeds are saturated at loads up to {one['highest']:g}"
            said.append(f"{curve}: {where}, so the load from which it is saturated has no interval; {most}")
        elif one["low"] == one["high"]:
            said.append(
                f"{curve}: it is saturated at {one['high']:g}, the lowest load that was tried; {most}"
            )
        elif one["load"] is None:
            between = f"between {one['low']:g} and {one['high']:g}"
            said.append(f"{curve}: it is saturated from a load {between}, where no load was tried; {most}")
        else:
            width = "" if seeds < 2 else f" ± {one['half_width']:.2g}"
            over = "one seed, no interval" if seeds < 2 else f"95 % interval over {seeds} seeds"
            where = f"it is saturated from {one['load']:.3g}{width} ({over})"
            said.append(f"{curve}: {where}, between {one['low']:g} and {one['high']:g}; {most}")
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
    """Return points and their plans as one object, in which common values occur once."""
    plain = [plan.to_dict() for plan in plans]
    same = {
        name: value
        for name, value in plain[0].items()
        if all(described[name] == value for described in plain)
    }
    return {
        **same,
        **({"saturation": saturations(plans, points)} if len(points) > 1 else {}),
        "points": [
            {**{name: value for name, value in described.items() if name not in same}, **point.to_dict()}
            for described, point in zip(plain, points, strict=True)
        ],
    }
