"""A comparison as a page, a picture, JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from netplace.checks.csv_cells import write_frame
from netplace.checks.results_file import json_text
from netplace.checks.writing import write_atomically
from netplace.report.comparison.compare import MEANINGS, Comparison, Difference
from netplace.report.pages.figures import DataTable, Figure, Intervals
from netplace.report.pages.html import Page, render
from netplace.report.plots.differences import draw_differences
from netplace.report.tables.comparison import in_order

__all__ = ["comparison_page", "write_comparison"]

_MOST_MARKS = 60  # in a figure


def write_comparison(path: Path, comparison: Comparison) -> None:
    """Write a comparison; the ending of `path` says how."""
    ending = path.suffix.lower()
    if ending in (".png", ".pdf", ".svg"):
        draw_differences(path, comparison)
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
    """Return the page of a comparison."""
    differences = in_order(comparison)
    parts: list[DataTable | Figure] = []
    if comparison.asked:
        asked = [list(row) for row in comparison.asked]
        parts.append(
            DataTable("What was asked differently", ["", comparison.first, comparison.second], asked)
        )
    if any(difference.drawn for difference in differences):
        parts.append(_figure(comparison, [difference for difference in differences if difference.drawn]))
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


def _figure(comparison: Comparison, shown: Sequence[Difference]) -> Intervals:
    marks = shown[:_MOST_MARKS]
    cut = f" The first {_MOST_MARKS} of {len(shown)}; the table has all." if len(shown) > len(marks) else ""
    return Intervals(
        title="By how much results differ",
        caption=f"Change from {comparison.first} to {comparison.second}; whiskers: 95 % intervals.{cut}",
        height=120 + 26 * len(marks),
        names=[": ".join(filter(None, (difference.of, difference.name))) for difference in marks],
        values=[100 * (difference.share(difference.difference) or 0.0) for difference in marks],
        half_widths=[
            100 * half if (half := difference.share(difference.half_width)) else None for difference in marks
        ],
        groups=[difference.verdict for difference in marks],
        unit="change (%)",
    )
