"""Latency-throughput curves: points of several seeds together, on the screen and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from msgspec.structs import replace

from netplace.report.terminal.units import measured
from netplace.runs.loads import LoadFigures, LoadPlan, curves

FAR = 0.1  # phits per node and cycle: what is more apart is bisected
_DELAYS = ("mean", "p50", "p95", "p99")


def curve_rows(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[dict[str, Any]]:
    """Return a row for each curve and load, with means over seeds and half-widths of 95 % intervals.

    A value that is unknown, such as the delay where no packet arrived, is None.
    """
    groups: dict[tuple[str, float], list[LoadFigures]] = {}
    for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True):
        groups.setdefault((curve, plan.offered), []).append(point)
    return [
        {"curve": curve, "offered": offered, **_over_seeds(own)} for (curve, offered), own in groups.items()
    ]


def _over_seeds(points: Sequence[LoadFigures]) -> dict[str, Any]:
    values = {"accepted": [point.accepted for point in points]}
    values |= {name: [getattr(point.delay, name) for point in points] for name in _DELAYS}
    row: dict[str, Any] = {}
    for name, each in values.items():
        known = [value for value in each if value is not None]
        row[name] = fmean(known) if known else None
        if name in ("accepted", "mean"):
            row[f"{name}_half_width"] = _half_width(known) if len(known) == len(each) else None
    row["seeds"] = len(points)
    for name in ("packets", "packet_hops", "cpu_seconds"):
        row[name] = sum(getattr(point, name) for point in points)
    return row | {"rate": row["packet_hops"] / 1e6 / max(row["cpu_seconds"], 1e-9)}


def _half_width(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    from netplace.scheduling.metrics.interval import half_width

    return half_width(values)


def saturations(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[dict[str, Any]]:
    """Return between which loads that were tried each curve begins to be saturated.

    A load saturates where less is accepted than offered by more than half of the 95 % interval of its batch
    means (batch by batch the mean over the seeds), or by more than their range where they are too alike for
    an interval. ``high``: the lowest such load, None if there is none; ``low``: the highest below it. The
    most that is accepted, with ``half_width``, and the highest load are given, too.
    """
    from netplace.scheduling.metrics.interval import estimate

    by_curve: dict[str, dict[float, list[list[float]]]] = {}
    for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True):
        by_curve.setdefault(curve, {}).setdefault(plan.offered, []).append(point.batches or [point.accepted])
    made = []
    for curve, loads in by_curve.items():
        means = {load: np.mean(batches, axis=0) for load, batches in loads.items()}
        found = {load: estimate(batches, "batches") for load, batches in means.items()}
        doubt = {load: found[load].half_width for load in found}
        doubt = {load: np.ptp(means[load]) if math.isnan(half) else half for load, half in doubt.items()}
        full = [load for load in found if load - found[load].mean > doubt[load] > 0]
        high = min(full, default=None)
        maximum = max(found.values(), key=lambda one: one.mean)
        made.append(
            {
                "curve": curve,
                "low": max((load for load in found if high is None or load < high), default=None),
                "high": high,
                "accepted": maximum.mean,
                "half_width": maximum.half_width,
                "highest": max(found),
            }
        )
    return made


def bisected(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[LoadPlan]:
    """Return the plans of a load in the middle of those between which each curve becomes saturated.

    Loads that are at most `FAR` apart need none.
    """
    names, added = curves(list(plans)), []
    for one in saturations(plans, points):
        low, high = one["low"], one["high"]
        if low is not None and high is not None and high - low > FAR + 1e-9:
            own = [plan for plan, name in zip(plans, names, strict=True) if name == one["curve"]]
            middle = round((low + high) / 2, 4)
            added += [replace(plan, offered=middle) for plan in own if plan.offered == high]
    return added


def in_order(
    plans: Sequence[LoadPlan], points: Sequence[LoadFigures]
) -> tuple[list[LoadPlan], list[LoadFigures]]:
    """Return points with their plans curve by curve, in the order of their loads."""
    names = curves(list(plans))
    places = sorted(range(len(plans)), key=lambda at: (names.index(names[at]), plans[at].offered))
    return [plans[at] for at in places], [points[at] for at in places]


def saturation_notes(plans: Sequence[LoadPlan], points: Sequence[LoadFigures]) -> list[str]:
    """Return `saturations` in sentences."""
    sentences = []
    for one in saturations(plans, points):
        low, high = one["low"], one["high"]
        maximum = (
            f"the highest accepted load is {measured(one['accepted'], one['half_width'])} phits per node and "
            "cycle (95 % interval of batch means)"
        )
        if high is None:
            where = f"accepts all offered loads that were tried, up to {one['highest']:g}"
        elif low is None:
            where = f"is saturated at an offered load of {high:g}, the lowest that was tried"
        else:
            where = f"becomes saturated at an offered load between {low:g} and {high:g}"
        sentences.append(f"{one['curve']} {where}; {maximum}.")
    return sentences


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
