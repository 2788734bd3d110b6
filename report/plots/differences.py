"""By how much the results of two outcomes differ: a mark and an interval each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from netplace.report.plots.page import COLOURS, explain, page
from netplace.report.tables.comparison import in_order

if TYPE_CHECKING:
    from netplace.report.comparison import Comparison

__all__ = ["VERDICT_COLOURS", "draw_differences"]

_MOST = 40  # marks of a picture that can be read
VERDICT_COLOURS = {"better": COLOURS[2], "worse": COLOURS[3], "less": COLOURS[0], "more": COLOURS[0]}
_PALE = "#8a8a8a"  # what may be chance


def draw_differences(path: Path, comparison: Comparison) -> None:
    """Draw the change of each result from the first outcome to the second, in per cent, with its interval.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    comparison : Comparison
        What differs; what is equal or in one outcome only is omitted.
    """
    drawn = [difference for difference in in_order(comparison) if difference.drawn]
    if not drawn:
        raise ValueError(f"{path}: {comparison.first} and {comparison.second} differ in nothing to be drawn")
    shown = drawn[:_MOST]
    with page(path, 1.2 + 0.26 * len(shown)) as figure:
        axes = figure.subplots()
        names = [": ".join(filter(None, (difference.of, difference.name))) for difference in shown]
        for place, difference in enumerate(shown):
            value = 100 * (difference.share(difference.difference) or 0.0)
            half = difference.share(difference.half_width)
            colour = VERDICT_COLOURS.get(difference.verdict, _PALE)
            axes.errorbar(
                value,
                place,
                xerr=None if half is None else 100 * half,
                fmt="o",
                markersize=4,
                color=colour,
                capsize=2,
                markerfacecolor=_fill(difference.verdict, colour),
            )
        axes.axvline(0, color="#444444", linewidth=0.8)
        axes.set_yticks(range(len(shown)), [_short(name) for name in names])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlabel(f"change from {comparison.first} to {comparison.second} (%)")
        axes.grid(axis="x", alpha=0.3)
        for verdict in dict.fromkeys(difference.verdict for difference in shown):
            colour = VERDICT_COLOURS.get(verdict, _PALE)
            axes.plot(
                [], [], "o", markersize=4, color=colour, markerfacecolor=_fill(verdict, colour), label=verdict
            )
        explain(figure)


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def _fill(verdict: str, colour: str) -> str:
    """Return what marks are filled with: those of single draws are open."""
    return "white" if verdict == "one draw" else colour
