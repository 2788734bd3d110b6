"""Tables of the study of tasks outside the subtree, and how many published cells each reading meets."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from netplace.experiments.published import published
from netplace.experiments.shared.relative_bars import draw_relative
from netplace.experiments.shared.statistics import constant, spread
from netplace.studies.report import Report, ReportTable

__all__ = ["LAYOUTS", "OUTSIDE", "report_of"]

OUTSIDE = (1, 2, 3, 4)
LAYOUTS = ("contiguous", *(f"{count} outside" for count in OUTSIDE), "random")
PRINTED = dict(
    zip(LAYOUTS, ("contiguous", "1_task", "2_task", "3_task", "4_task", "random"), strict=True)
)  # column of the published table
ALIKE = 0.10  # share by which a time relative to contiguous may differ and still be called the same


def report_of(runs: pd.DataFrame, titles: dict[str, str]) -> Report:
    """Return a table for each part, ours beside the published, and how far they agree.

    Parameters
    ----------
    runs : DataFrame
        As `netplace.studies.study.measured` returns it, with ``table``, ``app``, ``layout``,
        ``number``, ``reading`` and ``program``.
    titles : dict of str to str
        What each part is.
    """
    printed = published("quasi_contiguous_4ary4tree_16_tasks.csv").set_index("app")
    tables, figures, sentences = list[ReportTable](), {}, tuple[str, ...]()
    for name, title in titles.items():
        own = runs[runs["table"] == name]
        if len(own[["reading", "program"]].drop_duplicates()) > 1:
            counted, times = _by_reading(own, printed)
            tables.append(ReportTable(name, f"{title}; printed cells within {ALIKE:.0%}", counted, _DIGITS))
            tables.append(ReportTable(f"{name}-times", "time relative to contiguous", times, _DIGITS))
            sentences += (_best(name, counted),)
            continue
        cells = _cells(own, printed)
        tables.append(
            ReportTable(name, f"{title}; time of the slowest job, in 10,000 cycles", cells, _DIGITS)
        )
        figures[name] = partial(_draw, cells=cells, title=title)
        sentences += tuple(f"{name}: {sentence}" for sentence in _summary(cells))
    return Report(tuple(tables), sentences, figures)


def _by_reading(runs: pd.DataFrame, printed: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how many printed cells each reading meets, and its times relative to contiguous."""
    counted, times = [], []
    for (program, reading), own in runs.groupby(["program", "reading"], sort=False):
        same = {"program": program, "reading": reading}
        cells = _cells(own, printed)
        beside = cells[cells["published"].notna() & (cells["layout"] != "contiguous")]
        met = (beside["to contiguous"] / beside["published"] - 1).abs() <= ALIKE
        by_app = {f"met {app}": int(met[beside["app"] == app].sum()) for app in beside["app"].unique()}
        off = float(beside["difference"].abs().mean())
        counted.append(same | by_app | {"met": int(met.sum()), "of": len(beside), "mean difference": off})
        for app, mine in cells.groupby("app", sort=False):
            relative = mine.set_index("layout")["to contiguous"]
            times.append(same | {"app": app} | {name: float(relative[name]) for name in LAYOUTS[1:]})
    return pd.DataFrame(counted), pd.DataFrame(times)


def _best(part: str, counted: pd.DataFrame) -> str:
    first = counted.sort_values(["met", "mean difference"], ascending=[False, True]).iloc[0]
    least, most = counted["met"].min(), counted["met"].max()
    return (
        f"{part}: {least} to {most} of {first['of']} cells are met; most, and of these with the least mean "
        f"absolute difference ({first['mean difference']:.2f}), by {first['program']}: {first['reading']}."
    )


_DIGITS = {
    "mean": 2,
    "std": 2,
    "runs": 0,
    "to contiguous": 2,
    "least": 2,
    "most": 2,
    "published": 2,
    "difference": 2,
    "met": 0,
    "of": 0,
    "mean difference": 2,
} | dict.fromkeys(LAYOUTS[1:], 2)


def _cells(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each application and layout: ours and the published, relative to contiguous."""
    cells = []
    for app, group in runs.groupby("app", sort=False):
        base = float(group.loc[group["layout"] == "contiguous", "cycles"].mean())
        for layout, own in group.groupby("layout", sort=False):
            mean, deviation = spread((own["cycles"] / 1e4).tolist())
            relative = own["cycles"] / base
            theirs = float(printed.loc[app, PRINTED[str(layout)]]) if app in printed.index else np.nan
            cells.append(
                {
                    "app": app,
                    "layout": layout,
                    "mean": mean,
                    "std": deviation if len(own) > 1 else np.nan,
                    "runs": len(own),
                    "to contiguous": float(relative.mean()),
                    "least": float(relative.min()),
                    "most": float(relative.max()),
                    "published": theirs,
                    "difference": float(relative.mean()) - theirs,
                }
            )
    return pd.DataFrame(cells)


def _summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on what straying costs, and how far that agrees with what was published."""
    table = cells.pivot(index="app", columns="layout", values="to contiguous")
    few = table[[f"{count} outside" for count in OUTSIDE]].to_numpy() - 1
    far = table["random"].to_numpy() - 1
    sentences = [
        f"1 to 4 tasks outside the subtree add {few.min():.0%} to {few.max():.0%} to the contiguous time "
        f"(means of an application's layouts), random nodes {far.min():.0%} to {far.max():.0%}."
    ]
    beside = cells[cells["published"].notna() & (cells["layout"] != "contiguous")]
    if beside.empty:
        return [*sentences, "Nothing is published for these applications."]
    off = beside["to contiguous"] / beside["published"] - 1
    differ = [
        f"{row['app']} {row['layout']} {row['to contiguous']:.2f} (published {row['published']:.2f})"
        for _, row in beside[off.abs() > ALIKE].iterrows()
    ]
    value, met = constant(beside["published"] * (1 - ALIKE), beside["published"] * (1 + ALIKE))
    same = (
        f"{len(beside) - len(differ)} of {len(beside)} relative times within {ALIKE:.0%} of the published "
        f"(every one {value:.2f}: {met})"
    )
    sentences.append(f"{same}; not {', '.join(differ)}." if differ else f"{same}.")
    sentences.append(
        f"Mean absolute difference of the relative times: {beside['difference'].abs().mean():.2f}."
    )
    return sentences


_draw = partial(
    draw_relative, series="layout", value="to contiguous", published="published", base="contiguous"
)
