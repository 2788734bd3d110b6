"""A comparison as a page, on the terminal too, as a picture, JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from netplace.checks.csv_cells import write_frame
from netplace.checks.results_file import json_text
from netplace.checks.writing import write_atomically
from netplace.report.comparison.compare import MEANINGS, Comparison, Difference
from netplace.report.pages.html import Page, Part, render
from netplace.report.plots.charts import VERDICT_COLOURS, interval_figure
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable

_MOST_MARKS, _MOST_IN_PRINT = 60, 40  # in a figure of a page, and of a picture
_RANK = (
    "worse",
    "better",
    "less",
    "more",
    "only in the first",
    "only in the second",
    "within chance",
    "one run",
    "equal",
)


def in_order(comparison: Comparison) -> list[Difference]:
    """Return the results, those that differ clearly first, each kind by how much."""
    return sorted(
        comparison.differences,
        key=lambda difference: (
            _RANK.index(difference.verdict),
            -abs(difference.share(difference.difference) or 0.0),
        ),
    )


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
