"""The page of latency-throughput curves, as ``netplace load --json`` prints them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.checks import shown
from netplace.netsim import Config
from netplace.report.pages.kinds.saved import asked_of, has_keys, number_in, saved_object, versions_of
from netplace.report.pages.page import DataTable, Figure, Lines, Page
from netplace.report.tables.load import curve_frame
from netplace.runs.loads import LoadPlan

__all__ = ["page", "points_of", "recognises"]

_NEEDED: dict[str, Any] = {
    "offered": int | float,
    "accepted": int | float,
    "packets": int | float,
    "packet_hops": int | float,
    "cpu_seconds": int | float,
    "delay": dict,
}
_DELAYS = ("mean", "p50", "p95", "p99")
_COLUMNS = [
    "curve",
    "offered",
    "accepted",
    "accepted_half_width",
    "mean",
    "mean_half_width",
    "p95",
    "p99",
    "seeds",
]

_ACCEPTS = 0.98  # of what is offered: below it the network is called saturated


def recognises(path: Path) -> bool:
    """Tell whether a file holds load points."""
    return has_keys(path, ("points", "traffic"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace load --json`` printed."""
    found = saved_object(path)
    points = points_of(path, found)
    frame = curve_frame([_plan(path, point) for point in points], points)
    curves = [str(curve) for curve in frame["curve"].unique()]
    parts: list[DataTable | Figure] = [
        _lines(frame, "accepted", "Accepted load", "accepted (phits a node and cycle)"),
        _lines(frame, "mean", "Mean delay of packets", "cycles"),
        DataTable(
            "Points",
            ["curve", "offered", "accepted", "±", "mean delay (cycles)", "±", "p95", "p99", "seeds"],
            frame[_COLUMNS].astype(object).where(frame[_COLUMNS].notna(), None).to_numpy().tolist(),
            note="± is half of a 95 % interval over the seeds.",
        ),
    ]
    asked = asked_of({name: value for name, value in found.items() if name != "points"})
    asked += versions_of(points[0].get("versions"))
    title = f"Load curves: {', '.join(curves[:4])}" + (" .." if len(curves) > 4 else "")
    return Page(title, _verdict(frame), asked, parts)


def points_of(path: Path, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each point with what was asked for it.

    Raises
    ------
    ValueError
        With file and key, if there are none, or one lacks what is shown of it.
    """
    points = found["points"]
    if not isinstance(points, list) or not points:
        raise ValueError(f"{path}: points: {shown(points)} found, expected a list of points")
    for place, point in enumerate(points):
        whole = found | point if isinstance(point, dict) else {}
        for name, expected in _NEEDED.items():
            if not isinstance(whole.get(name), expected) or isinstance(whole.get(name), bool):
                value, kind = shown(whole.get(name)), "an object" if expected is dict else "a number"
                raise ValueError(f"{path}: points.{place}.{name}: {value} found, expected {kind}")
        for name in _DELAYS:
            number_in(path, whole["delay"], name)
    return [found | point | {"delay": {**dict.fromkeys(_DELAYS), **point["delay"]}} for point in points]


def _plan(path: Path, point: dict[str, Any]) -> LoadPlan:
    """Return what was asked for a point; nothing that it names is read."""
    own = {item.name for item in fields(LoadPlan)} - {"config"}
    for name in own & point.keys():
        if isinstance(point[name], list | dict):
            raise ValueError(f"{path}: {name}: {shown(point[name])} found, expected text or a number")
    config = point.get("config")
    try:
        settings = Config(**config) if isinstance(config, dict) else Config()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: config: {error}") from None
    return LoadPlan(config=settings, **{"network": "", **{k: v for k, v in point.items() if k in own}})


def _lines(frame: pd.DataFrame, name: str, title: str, y: str) -> Lines:
    half = f"{name}_half_width"
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
