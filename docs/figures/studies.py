"""Draw the pictures of studies that ``netplace study`` does not draw, from tables that it wrote.

Run with ``python docs/figures/studies.py``; takes seconds.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure

STUDIES = Path(__file__).parents[1] / "studies"


def _dots(names: pd.Series, series: dict[str, pd.Series]) -> pd.DataFrame:
    """Return rows of dots for each series."""
    return pd.concat(
        pd.DataFrame({"name": names, "series": label, "value": value, "half": float("nan")})
        for label, value in series.items()
    )


def _of_logs(
    path: Path, values: pd.DataFrame, title: str, columns: dict[str, str], base: str, scale: str = "linear"
) -> None:
    """Draw means relative to those of the contestant `base`, a panel for each log."""
    panels = {}
    for log, own in values.groupby("log", sort=False):
        means = own.groupby("name", sort=False)[list(columns.values())].mean()
        made = (means / means.loc[base]).drop(base).reset_index()
        panels[str(log)] = _dots(made["name"], {label: made[name] for label, name in columns.items()})
    write_figure(path, dot_figure(title, panels, f"relative to {base}", line=1.0, scale=scale))


def _two_kinds(path: Path) -> None:
    """Draw the times of schedules relative to the measured ones."""
    table = pd.read_csv(path.with_suffix(".csv"))
    shares = {label: table[label] / table["published"] for label in ("no loss", "greedy", "knapsack")}
    panels = {"": _dots(table["CPUs"].astype(str) + ", " + table["GPUs"].astype(str), shares)}
    title = "SWDUAL's tasks for UniProt, by CPUs and GPUs"
    write_figure(path, dot_figure(title, panels, "time relative to the measured time", line=1.0))


def main() -> None:
    """Draw the pictures."""
    _two_kinds(STUDIES / "two-kinds/workers.png")
    flows = {"sum of flows": "sum_flow", "jobs that succeed": "success"}
    weeks = pd.read_csv(STUDIES / "local-backfilling/values_weeks.csv").rename(columns={"rule": "name"})
    title = "Rules of conservative backfilling"
    _of_logs(STUDIES / "local-backfilling/rules.png", weeks, title, flows, "basic")
    stretches = {"sum of stretches": "sum_bounded_stretch", "sum of flows": "sum_flow"}
    tasks = pd.read_csv(STUDIES / "redirection/values.csv").rename(columns={"policy": "name"})
    _of_logs(STUDIES / "redirection/policies.png", tasks, "Sequential tasks", stretches, "SPT", "log")


if __name__ == "__main__":
    main()
