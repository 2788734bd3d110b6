"""Tables of what sharing costs: a row for each fabric, routing, feature and partitioner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.experiments.fabrics.cells import MIXES, Cell

__all__ = ["KINDS", "jobs_of", "slowdowns"]

KINDS = ("latency", "halo", "all-to-all", "butterfly", "incast")
_MEASURED = KINDS[:-1]
LEVEL = 0.95


def jobs_of(outcomes: Iterable[tuple[str, Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each job of each cell that had nodes: kind, and microseconds of an iteration.

    Each outcome comes with the name of what the cell tries.
    """
    rows = []
    for feature, cell, outcome in outcomes:
        for (kind, *_), alone, live in zip(MIXES[cell.mix], outcome["alone"], outcome["live"], strict=True):
            if alone > 0:
                named = {"fabric": cell.fabric, "routing": cell.routing, "feature": feature}
                placed = {"partitioner": cell.partitioner, "draw": cell.draw}
                rows.append(named | placed | {"kind": kind, "alone": alone, "live": live})
    return pd.DataFrame(rows)


def slowdowns(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric means of live over alone, incast aside, with intervals of 95 % over draws.

    Besides, those of each kind of job, and the geometric means of the microseconds of an iteration.
    """
    frame = jobs.assign(log=np.log(jobs["live"] / jobs["alone"]))
    frame[["log alone", "log live"]] = np.log(jobs[["alone", "live"]])
    rows = []
    for key, own in frame.groupby(["fabric", "routing", "feature", "partitioner"], sort=False):
        measured = own[own["kind"].isin(_MEASURED)]
        middle, low, high = _interval(measured.groupby("draw")["log"].mean().to_numpy())
        row = dict(zip(("fabric", "routing", "feature", "partitioner"), key, strict=True))
        row |= {"slowdown": middle, "low": low, "high": high}
        row |= {kind: float(np.exp(own.loc[own["kind"] == kind, "log"].mean())) for kind in KINDS}
        row |= {f"{name} us": float(np.exp(measured[f"log {name}"].mean())) for name in ("alone", "live")}
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return e to the mean, and to the ends of its interval by Student's t; of one draw all are the same."""
    mean = float(logs.mean())
    half = 0.0
    if len(logs) > 1:
        half = float(stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1) * stats.sem(logs))
    return float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half))
