"""A comparison on the terminal, and as a page, a picture, JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.csv_cells import write_frame
from netplace.checks.results_file import json_text
from netplace.checks.writing import write_atomically
from netplace.report.comparison.compare import MEANINGS, Comparison, Difference
from netplace.report.pages.html import render
from netplace.report.pages.page import DataTable, Page, Part
from netplace.report.plots.charts import VERDICT_COLOURS, interval_figure
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.figure import Figure
from netplace.report.terminal.screen import table

if TYPE_CHECKING:
    from rich.table import Table

_MOST_MARKS, _MOST_IN_PRINT = 60, 40  # in a figure of a page, and of a picture
_MOST_ROWS = 40  # on the terminal
_RANK = (
    "worse",
    "better",
    "less",
    "more",
    "only in the first",
    "only in the second",
    "within chance",
    "one draw",
    "equal",
)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return different requests, and the results, those that differ clearly first."""
    tables = []
    if comparison.asked:
        rows = [list(row) for row in comparison.asked]
        asked = table("different requests", ["", comparison.first, comparison.second], rows)
        for column in asked.columns:
            column.justify = "left"
        tables.append(asked)
    shown = in_order(comparison)[:_MOST_ROWS]
    several = any(difference.of for difference in shown)
    rows = [
        [
            *([difference.of] if several else []),
            difference.name,
            _short(difference.first),
            _short(difference.second),
            change(difference),
            "" if difference.p_value is None else f"{difference.p_value:.2g}",
            difference.verdict,
        ]
        for difference in shown
    ]
    columns = [*(["of"] if several else []), "result", "first", "second", "change", "p", "verdict"]
    left_out = len(comparison.differences) - len(shown)
    title = "results" + (f"; {left_out} more are in --json and -o" if left_out > 0 else "")
    made = table(title, columns, rows)
    for place in (0, 1 if several else 0, len(columns) - 1):
        made.columns[place].justify = "left"
    return [*tables, made]


def in_order(comparison: Comparison) -> list[Difference]:
    """Return the results, those that differ clearly first, each kind by how much."""
    return sorted(
        comparison.differences,
        key=lambda difference: (
            _RANK.index(difference.verdict),
            -abs(difference.share(difference.difference) or 0.0),
        ),
    )


def change(difference: Difference) -> str:
    """Return by how much the second is more or less, with its interval."""
    if difference.difference is None or difference.verdict == "equal":
        return ""
    share, half = difference.share(difference.difference), difference.share(difference.half_width)
    if share is None:
        return f"{difference.difference:+.3g}"
    return f"{100 * share:+.3g} %" if not half else f"{100 * share:+.2f} ± {100 * half:.2f} %"


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1e4 or float(value).is_integer() else f"{value:.4g}"


def write_comparison(path: Path, comparison: Comparison) -> None:
    """Write a comparison; the ending of `path` says how."""
    ending = path.suffix.lower()
    if ending in (".png", ".pdf", ".svg"):
        drawn = [difference for difference in in_order(comparison) if difference.drawn]
        if not drawn:
            raise ValueError(
                f"{path}: {comparison.first} and {comparison.second} have no differences that can be drawn"
            )
        write_figure(path, difference_figure(comparison, drawn, _MOST_IN_PRINT))
        return
    if ending == ".csv":
        import pandas as pd

        write_frame(pd.DataFrame([difference.to_dict() for difference in in_order(comparison)]), path)
        return
    if ending == ".html":
        text = render(comparison_page(comparison))
    else:
        text = json_text(comparison.to_dict()) + "\n"
    write_atomically(path, text)


def comparison_page(comparison: Comparison) -> Page:
    differences = in_order(comparison)
    parts: list[Part] = []
    if comparison.asked:
        asked = [list(row) for row in comparison.asked]
        parts.append(DataTable("Different requests", ["", comparison.first, comparison.second], asked))
    if drawn := [difference for difference in differences if difference.drawn]:
        parts.append(difference_figure(comparison, drawn, _MOST_MARKS))
    columns = ["of", "result", "verdict", comparison.first, comparison.second]
    columns += ["difference", "±", "change (%)", "p", "test"]
    rows = [
        [
            difference.of,
            difference.name,
            difference.verdict,
            difference.first,
            difference.second,
            difference.difference,
            difference.half_width,
            None if (share := difference.share(difference.difference)) is None else 100 * share,
            difference.p_value,
            difference.test,
        ]
        for difference in differences
    ]
    if not any(difference.of for difference in differences):
        columns, rows = columns[1:], [row[1:] for row in rows]
    used = {difference.verdict for difference in differences}
    note = "; ".join(f"{word}: {meaning}" for word, meaning in MEANINGS.items() if word in used)
    parts.append(DataTable("Results", columns, rows, note=f"± is half of a 95 % interval. {note}."))
    command = f"netplace compare {comparison.first} {comparison.second}"
    title = f"{comparison.first} and {comparison.second} compared"
    return Page(title, comparison.sentences(), [("command", command), ("kind", comparison.kind)], parts)


def difference_figure(comparison: Comparison, shown: Sequence[Difference], most: int) -> Figure:
    """Return the change of each result from the first outcome to the second, in per cent."""
    marks = shown[:most]
    cut = (
        f" The figure shows the first {most} of {len(shown)}; the table has all." if len(shown) > most else ""
    )
    return interval_figure(
        "Relative differences of results",
        [": ".join(filter(None, (difference.of, difference.name))) for difference in marks],
        [100 * (difference.share(difference.difference) or 0.0) for difference in marks],
        [100 * half if (half := difference.share(difference.half_width)) else None for difference in marks],
        [difference.verdict for difference in marks],
        unit=f"change from {comparison.first} to {comparison.second} (%)",
        colours=VERDICT_COLOURS,
        caption=f"Change from {comparison.first} to {comparison.second}.{cut}",
    )
