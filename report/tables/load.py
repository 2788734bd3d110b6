"""Latency-throughput curves: points of several seeds together, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.runs.loads import LoadFigures, LoadPlan, curves

_ACCEPTS = 0.98  # of what is offered: below it the network is called saturated
_FINE = 0.1  # between two loads that were tried: farther apart, nothing is interpolated
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
    """Return the load from which each curve is saturated: 98 % of it is accepted, interpolated.

    ``load`` is the mean over seeds, with ``half_width``; it is None unless all seeds are saturated, between
    loads that are at most 0.1 apart. ``low`` and ``high`` are loads that were tried. The most that is
    accepted and the highest load are given, too.
    """
    runs: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for curve, plan, point in zip(curves(list(plans)), plans, points, strict=True):
        runs.setdefault(curve, {}).setdefault(plan.seed, []).append((plan.offered, point.accepted))
    made = []
    for curve, by_seed in runs.items():
        ends = [_saturated(*np.array(sorted(run)).T) for run in by_seed.values()]
        reached = [end for end in ends if end is not None]
        fine = all(high - low <= _FINE + 1e-9 for low, _, high in reached)
        loads = [load for _, load, _ in reached] if len(reached) == len(ends) and fine else []
        accepted: dict[float, list[float]] = {}
        for offered, value in chain.from_iterable(by_seed.values()):
            accepted.setdefault(offered, []).append(value)
        made.append(
            {
                "curve": curve,
                "load": fmean(loads) if loads else None,
                "half_width": _half_width(loads),
                "low": min((low for low, _, _ in reached), default=None),
                "high": max((high for *_, high in reached), default=None),
                "seeds": len(ends),
                "saturated_seeds": len(reached),
                "accepted": max(map(fmean, accepted.values())),
                "highest": max(accepted),
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
