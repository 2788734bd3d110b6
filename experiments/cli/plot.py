"""``netplace plot``: bars of run times with their deviation, relative to one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.experiments.cli.examples import examples_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["plot_command", "relative_times"]

_MOST_GROUPS = 60  # more bars than that nobody can read


@click.command("plot", epilog=examples_of("plot"))
@click.argument("file")
@click.option("-o", "picture", required=True, metavar="FILE", help="The picture to draw (png, pdf or svg).")
@click.option(
    "--bars", default="mapping", show_default=True, metavar="COLUMN", help="Column whose values are the bars."
)
@click.option(
    "--normal",
    metavar="VALUE",
    help="Value of that column that counts as 1; none for cycles. [default: consecutive, or the first]",
)
def plot_command(file: str, picture: str, bars: str, normal: str | None) -> None:
    """Draw run times as bars, with the standard deviation over the seeds.

    FILE is a table (CSV or Parquet), a store, or a sweep file with its store. There is a group of bars for
    each entry of the table, and in it a bar for each value of one column.
    """
    from netplace.experiments.cli.frames import load_frame
    from netplace.experiments.files.outputs import PICTURES, check_output
    from netplace.experiments.plots.bars import draw_bars
    from netplace.runs.tables import times_of

    path = check_output(Path(picture), PICTURES)
    times = times_of(load_frame(Path(file)), file)
    means, deviations, label = relative_times(times, bars, normal)
    series = {
        str(name) or "(empty)": list(zip(means[name], deviations[name], strict=True))
        for name in means.columns
    }
    draw_bars(path, list(means.index), series, f"run time by {bars}", label)


def relative_times(
    times: pd.DataFrame, bars: str, normal: str | None
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return means and standard deviations, a row for each group and a column for each bar, and their unit.

    Parameters
    ----------
    times : DataFrame
        A run-time table.
    bars : str
        Column whose values become columns.
    normal : str or None
        Value by whose means the rows are divided; ``"none"``: cycles stay; None: ``"consecutive"``, or the
        first value.

    Raises
    ------
    ValueError
        If there is no such column or value, or nothing to draw.
    """
    from netplace.checks import one_of
    from netplace.runs.tables import ENTRY

    one_of(bars, ENTRY, "--bars")
    known = times[times["count"] > 0]
    if known.empty:
        raise ValueError("plot: the table has no run times")
    others = [name for name in ENTRY if name != bars and known[name].nunique(dropna=False) > 1]
    groups = known[others or ["application"]].astype(str).agg(_joined, axis=1).rename("group")
    table = known.assign(group=groups, **{bars: known[bars].astype(str)})
    means = table.pivot(index="group", columns=bars, values="mean")
    deviations = table.pivot(index="group", columns=bars, values="std").fillna(0.0)
    if len(means) > _MOST_GROUPS:
        raise ValueError(f"plot: {len(means)} groups of bars, expected at most {_MOST_GROUPS}")
    if normal == "none":
        return means, deviations, "run time (cycles)"
    names = list(means.columns)
    base = one_of(normal, names, "--normal") if normal else _first(names)
    divisor = means[base]
    if divisor.isna().any():
        lacking = str(divisor.index[divisor.isna()][0])
        raise ValueError(f"--normal {base}: has no run time for {lacking}; choose another, or none")
    return means.div(divisor, axis=0), deviations.div(divisor, axis=0), f"run time / mean of {base}"


def _joined(row: Any) -> str:
    return "\n".join(text for text in row if text)


def _first(names: list[str]) -> str:
    return "consecutive" if "consecutive" in names else names[0]
