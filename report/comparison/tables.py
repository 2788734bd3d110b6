"""Two outcomes side by side, as tables for the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netplace.report.terminal.screen import table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.report.comparison import Comparison, Difference

_MOST = 40  # rows on the screen
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
    shown = in_order(comparison)[:_MOST]
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
