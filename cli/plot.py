"""``netplace plot``: bars of run times with their deviation, relative to one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import PICTURE, flag
from netplace.inputs import check_choice

if TYPE_CHECKING:
    import pandas as pd

_MOST_GROUPS = 60  # more bars than that nobody can read


@command("plot")
@click.argument("file")
@flag("-o picture", "Picture to write (.png, .pdf or .svg).", PICTURE, required=True, metavar="FILE")
@flag("--bars", "Column whose values are shown as bars.", default="mapping", metavar="COLUMN")
@flag(
    "--normal",
    "Value whose bar has height 1; with none, bars show cycles. [default: consecutive, or the first]",
    metavar="VALUE",
)
@flag("--column", "Draw the picture as wide as a column of a two-column paper.", bool)
def plot_command(file: str, picture: Path, bars: str, normal: str | None, column: bool) -> None:
    """Draw run times as bars, with the standard deviation over the seeds.

    FILE is a table (CSV or Parquet), a store, or a sweep file with its store. Each entry of the table is
    a group of bars, with a bar for each value of one column, in the order of the file. A star marks a
    bar that is significantly faster than all others in its group (Welch's test, level 0.05); a cross
    marks failed runs.
    """
    from netplace.cli.table import load_frame
    from netplace.report.plots import write_figure
    from netplace.report.plots.charts import marked_figure
    from netplace.runs.tables import times_of
    from netplace.scheduling.metrics.comparison import clear_best

    relative = relative_times(times_of(load_frame(Path(file)), file), bars, normal)
    series, spread = (
        {name or "(empty)": frame[name].tolist() for name in frame} for frame in (relative.mean, relative.std)
    )
    failed = {name or "(empty)": relative.failed[name].tolist() for name in relative.failed}
    best = {}
    for group in relative.mean.index:
        place = clear_best(relative.mean.loc[group], relative.std.loc[group], relative.count.loc[group])
        if place is not None:
            best[str(group)] = relative.mean.columns[place] or "(empty)"
    title = f"run time by {bars}"
    figure = marked_figure(
        title,
        list(relative.mean.index),
        series,
        half=spread,
        unit=relative.unit,
        best=best,
        failed=failed,
        narrow=column,
    )
    write_figure(picture, figure)


@dataclass(frozen=True)
class Bars:
    """The drawn tables, with a row for each group and a column for each bar, in the order of the file."""

    # mean, std: means and standard deviations; NaN where there is no run time.
    mean: pd.DataFrame
    std: pd.DataFrame
    # count, failed: runs behind them, and those that failed.
    count: pd.DataFrame
    failed: pd.DataFrame
    unit: str  # of `mean` and `std`


def relative_times(times: pd.DataFrame, bars: str, normal: str | None) -> Bars:
    """Return run times by group and bar, relative to those of one bar."""
    from netplace.runs.tables import ENTRY

    check_choice(bars, ENTRY, "--bars")
    if not (times["count"] > 0).any():
        raise ValueError("plot: the table has no run times")
    known = times[(times["count"] > 0) | (times["failed"] > 0)]
    others = [name for name in ENTRY if name != bars and known[name].nunique(dropna=False) > 1]
    words = known[others or ["application"]].astype("string").fillna("")
    groups = words.agg(_joined, axis=1).rename("group")
    table = known.assign(group=groups, **{bars: known[bars].astype("string").fillna("")})
    rows, columns = (list(dict.fromkeys(table[name])) for name in ("group", bars))
    if len(rows) > _MOST_GROUPS:
        raise ValueError(f"plot: {len(rows)} groups of bars, expected at most {_MOST_GROUPS}")
    mean, std, count, failed = (
        table.pivot(index="group", columns=bars, values=name).reindex(index=rows, columns=columns)
        for name in ("mean", "std", "count", "failed")
    )
    count, failed = (part.fillna(0).astype(int) for part in (count, failed))
    if normal == "none":
        return Bars(mean, std.fillna(0.0), count, failed, "run time (cycles)")
    base = check_choice(normal, columns, "--normal") if normal else _first(columns)
    divisor, where = mean[base], ""
    if "partition" in others:
        divisor, where = _divisors(table, mean[base], [name for name in others if name != "partition"])
    if divisor.isna().any():
        lacking = str(divisor.index[divisor.isna()][0]) or "(empty)"
        raise ValueError(f"--normal {base}: has no run time for {lacking}; choose another, or none")
    mean, std = (part.div(divisor, axis=0) for part in (mean, std.fillna(0.0)))
    return Bars(mean, std, count, failed, f"run time / mean of {base}{where}")


def _divisors(table: pd.DataFrame, base: pd.Series, rest: list[str]) -> tuple[pd.Series, str]:
    """Return by what each group is divided, and in which partition: groups that differ in it share one."""
    # Divided each by itself, partitions would all look alike.
    import pandas as pd

    first = table.drop_duplicates("group").set_index("group")
    partitions = list(dict.fromkeys(first["partition"].astype("string").fillna("")))
    keys = (
        first[rest].astype("string").fillna("").agg("\n".join, axis=1)
        if rest
        else pd.Series("", index=first.index)
    )
    kept = dict.fromkeys(keys)
    for group, key in reversed(list(keys.items())):
        if not pd.isna(base[group]):
            kept[key] = base[group]
    where = f" in {partitions[0]}" if partitions[0] else ""
    return pd.Series([kept[key] for key in keys], index=keys.index, dtype=float).reindex(base.index), where


def _joined(row: Any) -> str:
    return "\n".join(text for text in row if text)


def _first(names: list[str]) -> str:
    return "consecutive" if "consecutive" in names else names[0]
