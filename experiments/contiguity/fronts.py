"""Pictures of waiting against slowdown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_fronts"]

_MARKERS = {"boxes": "s", "nearly": "D", "curve": "o", "paging": "^", "random": "X"}


def draw_fronts(points: pd.DataFrame) -> Callable[[Path], None]:
    """Return what draws the contestants on one machine, a panel for each policy and communication."""

    def draw(path: Path) -> None:
        policies = list(points["policy"].unique())
        shares = list(points["communication"].unique())
        with page(path, 2.1 * len(policies) + 0.6) as figure:
            grid = np.atleast_2d(figure.subplots(len(policies), len(shares), squeeze=False))
            for row, policy in zip(grid, policies, strict=True):
                for axes, share in zip(row, shares, strict=True):
                    own = points[(points["policy"] == policy) & (points["communication"] == share)]
                    _panel(axes, own)
                    axes.set_title(f"{policy.upper()}, communication {share}")
                row[0].set_ylabel("run time / alone in boxes")
            explain(figure, "mean wait / mean run time")

    return draw


def _panel(axes: object, own: pd.DataFrame) -> None:
    for place, name in enumerate(own["contestant"]):
        point = own.iloc[place]
        axes.errorbar(  # type: ignore[attr-defined]
            point["wait"],
            point["slowdown"],
            xerr=point["± wait"],
            yerr=point["± slowdown"],
            fmt=_MARKERS.get(name, "."),
            color=COLOURS[place % len(COLOURS)],
            elinewidth=0.5,
            label=name,
        )
    best = own[own["front"] == "*"].sort_values("wait")
    axes.step(best["wait"], best["slowdown"], where="post", color=COLOURS[3], linewidth=1)  # type: ignore[attr-defined]
    axes.locator_params(nbins=5)  # type: ignore[attr-defined]
    axes.grid(alpha=0.3)  # type: ignore[attr-defined]
