"""Pictures of energy against waiting: a panel a load, a curve a family of rules."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from netplace.report.plots.page import COLOURS, page

__all__ = ["draw_fronts"]

_MARKS = "osD^v<>P"


def draw_fronts(path: Path, frame: pd.DataFrame, title: str) -> None:
    """Draw the rules of each load: how much longer jobs wait, and energy relative to all nodes on.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    frame : DataFrame
        Columns ``load``, ``rule``, ``energy %``, ``wait more s``, ``front``
        (``"*"``: none is better in both).
    title : str
        Title of the picture.
    """
    loads = list(dict.fromkeys(frame["load"]))
    families = list(dict.fromkeys(rule.partition(":")[0] for rule in frame["rule"]))
    with page(path, 3.4 * len(loads) + 1.2, 3.8) as figure:
        panels = figure.subplots(1, len(loads), squeeze=False)[0]
        for axes, load in zip(panels, loads, strict=True):
            group = frame[frame["load"] == load]
            for place, family in enumerate(families):
                own = group[[rule.partition(":")[0] == family for rule in group["rule"]]]
                own = own.sort_values("wait more s")
                axes.plot(
                    own["wait more s"] / 60,
                    own["energy %"],
                    marker=_MARKS[place % len(_MARKS)],
                    color=COLOURS[place % len(COLOURS)],
                    linewidth=0.8,
                    markersize=5,
                    label=family,
                )
            best = group[group["front"] == "*"]
            axes.scatter(
                best["wait more s"] / 60,
                best["energy %"],
                s=120,
                facecolors="none",
                edgecolors="0.3",
                label="unbeaten in both",
            )
            axes.set(title=f"load {load:g}", xlabel="longer mean wait (min)")
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("energy (% of always on)")
        panels[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
        figure.suptitle(title, fontsize="medium")
