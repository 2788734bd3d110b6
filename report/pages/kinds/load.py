"""The page of latency-throughput curves, as ``netplace load --json`` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from netplace.checks import shown
from netplace.report.pages.kinds.intervals import half_width
from netplace.report.pages.kinds.saved import asked_of, has_keys, saved_object, versions_of
from netplace.report.pages.page import DataTable, Figure, Lines, Page

__all__ = ["page", "recognises"]

_ACCEPTS = 0.98  # of what is offered: below it the network is called saturated


def recognises(path: Path) -> bool:
    """Tell whether a file holds load points."""
    return has_keys(path, ("points", "traffic"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace load --json`` printed."""
    found = saved_object(path)
    points = _points(path, found)
    frame = _curves(points)
    curves = list(frame["curve"].unique())
    parts: list[DataTable | Figure] = [
        _lines(frame, "accepted", "Accepted load", "accepted (phits a node and cycle)"),
        _lines(frame, "delay", "Mean delay of packets", "cycles"),
        DataTable(
            "Points",
            ["curve", "offered", "accepted", "±", "mean delay (cycles)", "±", "p95", "p99", "seeds"],
            frame[
                [
                    "curve",
                    "offered",
                    "accepted",
                    "accepted_half",
                    "delay",
                    "delay_half",
                    "p95",
                    "p99",
                    "seeds",
                ]
            ]
            .astype(object)
            .where(frame.notna(), None)
            .to_numpy()
            .tolist(),
            note="± is half of a 95 % interval over the seeds.",
        ),
    ]
    asked = asked_of({name: value for name, value in found.items() if name != "points"})
    asked += versions_of(points[0].get("versions"))
    title = f"Load curves: {', '.join(curves[:4])}" + (" .." if len(curves) > 4 else "")
    return Page(title, _verdict(frame), asked, parts)


def _points(path: Path, found: dict[str, Any]) -> list[dict[str, Any]]:
    points = found["points"]
    if not isinstance(points, list) or not points:
        raise ValueError(f"{path}: points: {shown(points)} found, expected a list of points")
    for place, point in enumerate(points):
        whole = found | point if isinstance(point, dict) else {}
        for name in ("offered", "accepted"):
            if not isinstance(whole.get(name), int | float):
                value = shown(whole.get(name))
                raise ValueError(f"{path}: points.{place}.{name}: {value} found, expected a number")
        if not isinstance(whole.get("delay"), dict):
            raise ValueError(
                f"{path}: points.{place}.delay: {shown(whole.get('delay'))} found, expected an object"
            )
    return [found | point for point in points]


def _curves(points: list[dict[str, Any]]) -> pd.DataFrame:
    names = [name for name in ("network", "traffic") if len({str(point.get(name)) for point in points}) > 1]
    config = [_config(point) for point in points]
    settings = [key for key in config[0] if len({str(one.get(key)) for one in config}) > 1]
    rows = [
        {
            "curve": ", ".join(
                [str(point[name]) for name in names] + [f"{key} {one[key]}" for key in settings]
            )
            or str(point.get("network")),
            "offered": point["offered"],
            "accepted": point["accepted"],
            "delay": point["delay"].get("mean"),
            "p95": point["delay"].get("p95"),
            "p99": point["delay"].get("p99"),
        }
        for point, one in zip(points, config, strict=True)
    ]
    frame = pd.DataFrame(rows).astype({"delay": float, "p95": float, "p99": float})
    groups = frame.groupby(["curve", "offered"], sort=False)
    made = groups[["accepted", "delay", "p95", "p99"]].mean()
    for name in ("accepted", "delay"):
        spread = zip(groups[name].std(), groups.size(), strict=True)
        made[f"{name}_half"] = [half_width(std, count) for std, count in spread]
    return made.assign(seeds=groups.size()).reset_index()


def _config(point: dict[str, Any]) -> dict[str, Any]:
    found = point.get("config")
    return found if isinstance(found, dict) else {}


def _lines(frame: pd.DataFrame, name: str, title: str, y: str) -> Lines:
    half = f"{name}_half"
    series = {
        str(curve): [
            (row["offered"], row[name], row[half]) if pd.notna(row[half]) else (row["offered"], row[name])
            for _, row in rows.iterrows()
            if pd.notna(row[name])
        ]
        for curve, rows in frame.groupby("curve", sort=False)
    }
    return Lines(
        title=title, caption="Whiskers: 95 % intervals over the seeds.", series=series, x="offered load", y=y
    )


def _verdict(frame: pd.DataFrame) -> list[str]:
    said = []
    for curve, rows in frame.sort_values("offered", kind="stable").groupby("curve", sort=False):
        best = rows.loc[rows["accepted"].idxmax()]
        full = rows[rows["accepted"] < _ACCEPTS * rows["offered"]]
        if len(full):
            said.append(
                f"{curve}: saturated from an offered load of {full['offered'].iloc[0]:g} on of those tried; "
                f"it accepts at most {best['accepted']:.3g} phits a node and cycle."
            )
        else:
            said.append(f"{curve}: accepts all loads that were tried, up to {best['offered']:g}.")
    return said
