"""Schedules side by side, and which of several means is the least by more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from netplace.report.plots.charts import bar_marks
from netplace.report.plots.figure import Axis, Figure, Panel
from netplace.scheduling.metrics.comparison import judged, unpaired


def clear_best(mean: ArrayLike, std: ArrayLike, count: ArrayLike) -> int | None:
    """Return the place of the mean that is significantly less than all others (Welch, Holm), or None."""
    means, counts = np.asarray(mean, float), np.asarray(count, float)
    spread = np.where(counts > 1, np.fmax(0.0, np.asarray(std, float)), 0.0)  # 0 where it is not known
    known = np.flatnonzero(np.isfinite(means) & (counts > 0))
    if len(known) < 2:
        return None
    sizes = np.abs(means[known])
    relative = np.divide(spread[known], sizes, out=np.zeros(len(known)), where=sizes > 0)
    single = known[counts[known] < 2]
    spread[single] = relative.max() * np.abs(means[single])
    best = int(known[np.argmin(means[known])])
    moments = [(float(means[place]), float(spread[place]), int(counts[place])) for place in known]
    own = (float(means[best]), float(spread[best]), int(counts[best]))
    others = [moment for place, moment in zip(known, moments, strict=True) if place != best]
    verdicts = judged([unpaired(own, other, known=True) for other in others])
    return best if all(verdict.words == "clearly more" for verdict in verdicts) else None


Measure = tuple[str, str, str, float]  # title, column of the mean, column of its half-width, factor


def comparison_figure(
    title: str,
    frame: pd.DataFrame,
    measures: Sequence[Measure],
    *,
    whiskers: str = "95 % intervals",
) -> Figure:
    """Return a panel for each measure, with a bar and its interval for each row of a table.

    `frame`: columns ``group`` and ``series`` tell where a bar is, those of the measures its height and half
    of its interval, NaN where that is not known. `whiskers`: what the intervals are.
    """
    groups, series = (list(dict.fromkeys(frame[name])) for name in ("group", "series"))
    panels, known = [], False
    for name, value, half, factor in measures:
        by_place = frame.set_index(["series", "group"])[[value, half]].astype(float) * factor
        known |= bool(np.isfinite(by_place[half]).any())
        found = {str(label): by_place.loc[label].reindex(groups) for label in series}
        bars = bar_marks(
            {label: rows[value].to_numpy() for label, rows in found.items()},
            {label: rows[half].to_numpy() for label, rows in found.items()},
        )
        panels.append(Panel(marks=bars, x=Axis(names=groups), y=Axis(low=0.0, grid=True), title=name))
    # Bars too thin to be seen side by side: panels one below the other.
    below = len(groups) * len(series) > 16
    return Figure(
        title=title + ("; means" if known else "; means without intervals, significance not known"),
        panels=panels,
        columns=1 if below else len(panels),
        height=1.0 + (1.9 * len(panels) if below else 2.3),
        whiskers=whiskers,
    )
