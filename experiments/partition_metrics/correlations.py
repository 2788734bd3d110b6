"""Correlation of partition metrics with run time, compared with the published values."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from netplace.experiments.partition_metrics.mean_metrics import METRICS
from netplace.experiments.shared.statistics import constant

__all__ = ["LEVEL", "correlation_summary", "correlations"]

LEVEL = 0.01
NEAR = 0.10  # difference of two correlations that is called small


def correlations(points: pd.DataFrame, printed: pd.Series) -> pd.DataFrame:
    """Return Pearson's r of each metric with run time for each application, beside the published.

    `points`: a row for each run: ``app``, ``time``, ``mean time`` and the `METRICS`. `printed`: published r
    by (application, metric); missing values become NaN.
    """
    rows = []
    for app, group in points.groupby("app", sort=False):
        for metric in METRICS:
            r = stats.pearsonr(group[metric], group["time"])
            theirs = float(printed.get((app, metric), np.nan))
            rows.append(
                {
                    "app": app,
                    "metric": metric,
                    "r": float(r.statistic),
                    "p": float(r.pvalue),
                    f"significant at {LEVEL}": "yes" if r.pvalue < LEVEL else "no",
                    "published": theirs,
                    "difference": float(r.statistic) - theirs,
                    "r, mean of jobs": float(stats.pearsonr(group[metric], group["mean time"]).statistic),
                }
            )
    return pd.DataFrame(rows)


def correlation_summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on the metrics that predict the run time, and the agreement with published values."""
    table = cells.pivot(index="app", columns="metric", values="r")
    means = table.mean().sort_values(ascending=False)
    weak = [f"{row['app']} {row['metric']}" for _, row in cells[cells["p"] >= LEVEL].iterrows()]
    return [
        "r on average over applications: "
        + ", ".join(f"{name} {value:.2f}" for name, value in means.items())
        + ".",
        "The strongest metric of each application: "
        + ", ".join(f"{app} {name}" for app, name in table.idxmax(axis=1).items())
        + ".",
        f"Significant at {LEVEL}: {len(cells) - len(weak)} of {len(cells)}"
        + (f"; not {', '.join(weak)}." if weak else "."),
        *_agreement(cells[cells["published"].notna()]),
    ]


def _agreement(beside: pd.DataFrame) -> list[str]:
    """Return sentences on how far correlations agree with those published."""
    if beside.empty:
        return ["Nothing that we know is published in numbers for this table."]
    off = beside["difference"]
    far = beside[off.abs() > NEAR]
    listed = ", ".join(
        f"{row['app']} {row['metric']} {row['r']:.2f} ({row['published']:.2f})" for _, row in far.iterrows()
    )
    value, met = constant(beside["published"] - NEAR, beside["published"] + NEAR)
    near = (
        f"{len(beside) - len(far)} of {len(beside)} correlations within {NEAR} of the published (every one "
        f"{value:.2f}: {met}), {off.abs().mean():.3f} away on average"
        + (f"; further: {listed}." if listed else ".")
    )
    aware = beside["metric"].str.contains("TAD")
    gains = [
        values[aware].groupby(beside["app"]).mean() - values[~aware].groupby(beside["app"]).mean()
        for values in (beside["r"], beside["published"])
    ]
    same = int((np.sign(gains[0]) == np.sign(gains[1])).sum())
    verdict = (
        "Metrics that know the traffic correlate better than those of nodes alone (on average) for "
        f"{int((gains[0] > 0).sum())} of {len(gains[0])} applications, published "
        f"{int((gains[1] > 0).sum())}; the same verdict for {same}."
    )
    return [near, verdict]
