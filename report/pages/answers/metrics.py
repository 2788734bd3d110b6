"""Partition metrics of configurations: ``netplace metrics``."""

from __future__ import annotations

from typing import Any

from netplace.report.pages.html import Page, Part
from netplace.report.tables.data_table import DataTable

_SIGNIFICANT = 0.01
_TIME = "cycles"
_HEADINGS = ["metric", "slowest job, r", "p", "mean of jobs, r", "p"]


def page(results: dict[str, Any]) -> Page:
    rows, correlations = results["rows"], results.get("correlations", {})
    slowest = correlations.get(_TIME, {})
    known = {name: correlation for name, correlation in slowest.items() if correlation is not None}
    parts: list[Part] = []
    columns = list(dict.fromkeys(key for row in rows for key in row))
    shown = [[row.get(key) for key in columns] for row in rows]
    digits = [0 if name.endswith(("seed", "cycles", "load")) else 2 for name in columns]
    parts.append(DataTable("Configurations", list(map(_named, columns)), shown, digits=digits))
    spread = [
        [_named(name), *(spread[key] for key in ("mean", "std", "min", "max"))]
        for name, spread in results["spread"].items()
    ]
    parts.append(DataTable("Over all configurations", ["metric", "mean", "std", "min", "max"], spread))
    if known:
        cells = [[_named(name), *(_cells(of[name]) for of in correlations.values())] for name in slowest]
        flat = [[name, *slow, *mean] for name, slow, mean in cells]
        parts.append(DataTable("Correlation with run time", _HEADINGS, flat, "r: Pearson's coefficient."))
    note = (
        "Dispersal: nodes and links affected (NA, LA), average distance (AD), distance from the center "
        "(DFC), diameter (Diam). Of the application: task and weighted task distance (TAD, WTAD), and the "
        "same with asymmetry (_AL)."
    )
    return Page(
        f"Which metric tells the run time? {results['title']}",
        _verdict(results, known),
        parts=parts,
        notes=[note],
    )


def _named(name: str) -> str:
    return name.replace("_", " ") if name.islower() else name


def _cells(correlation: dict[str, Any] | None) -> list[float | None]:
    return [None, None] if correlation is None else [correlation["r"], correlation["p"]]


def _verdict(results: dict[str, Any], known: dict[str, Any]) -> list[str]:
    count = len(results["rows"])
    if not known:
        distance = results["spread"].get("AD") or results["spread"]["pair_hops"]
        return [
            f"{count} configurations, with {distance['min']:.3g} to {distance['max']:.3g} hops between "
            "two nodes of the job on average.",
            "Nothing was simulated; --simulate adds the correlation of each metric with run time.",
        ]
    clear = [name for name, correlation in known.items() if correlation["p"] < _SIGNIFICANT]
    plural, time = len(clear) > 1, results["spread"][_TIME]
    best = max(known, key=lambda name: abs(known[name]["r"]))
    doubt = "" if clear else ", but not clearly"
    return [
        f"{best} is correlated most{doubt}: r = {known[best]['r']:.3f}, p = {known[best]['p']:.2g}, "
        f"over {count} configurations that take {time['min']:,.0f} to {time['max']:,.0f} cycles.",
        f"{len(clear) or 'None'} of {len(known)} metrics {'are' if plural else 'is'} clearly correlated "
        f"with run time (p below {_SIGNIFICANT}{' each' if plural else ''}).",
    ]
