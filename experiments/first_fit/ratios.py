"""First fit: ratios of the times of jobs, ours by load beside those of the published times.

Times belong to a processor; ratios of two of them hardly do. Table 3.7 of J. A. Pascual's thesis (UPV/EHU
2013) has a time for each search and set of jobs, and no load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from netplace.studies.report import ReportTable

__all__ = ["of_ratios", "ratio_table", "ratios"]

BASE = "IFF"
FACTOR = 2.0


def ratios(beside: pd.DataFrame, loads: Sequence[float]) -> pd.DataFrame:
    """Return a row for each ratio of published times: searches to IFF, and sets to the first one.

    Parameters
    ----------
    beside : DataFrame
        A row for each set and search, with the columns ``ms 0.1``, .. and ``published ms``.
    loads : sequence of float
        Loads that `beside` has.

    Returns
    -------
    DataFrame
        Columns ``ratio``, ``published``, and ``load 0.1``, ..: ours.
    """
    known = beside[beside["published ms"].notna()].set_index(["search", "set"])
    rows = []
    for name, top, bottom in _pairs(known):
        row = {"ratio": name, "published": known.at[top, "published ms"] / known.at[bottom, "published ms"]}
        for load in loads:
            row[f"load {load:g}"] = known.at[top, f"ms {load:g}"] / known.at[bottom, f"ms {load:g}"]
        rows.append(row)
    return pd.DataFrame(rows)


def _pairs(known: pd.DataFrame) -> Iterator[tuple[str, tuple[str, int], tuple[str, int]]]:
    for search, place in known.index:
        if search != BASE and (BASE, place) in known.index:
            yield f"{search} / {BASE}, set {place}", (search, place), (BASE, place)
    for search, place in known.index:
        if place != 1 and (search, 1) in known.index:
            yield f"{search}, set {place} / set 1", (search, place), (search, 1)


def ratio_table(part: str, text: str, beside: pd.DataFrame, loads: Sequence[float]) -> ReportTable:
    """Return the ratios as a table of the report."""
    frame = ratios(beside, loads)
    digits = {name: 2 for name in frame.columns if name != "ratio"}
    return ReportTable(f"{part}-ratios", f"{text}: ratios of times of jobs, by load", frame, digits)


def of_ratios(frame: pd.DataFrame) -> str:
    """Return how many ratios are met within a factor of two at each load."""
    columns = [name for name in frame.columns if name.startswith("load ")]
    met = {
        name: int((frame[name] / frame["published"]).between(1 / FACTOR, FACTOR).sum()) for name in columns
    }
    listed = ", ".join(f"{count} at {name}" for name, count in met.items())
    return f"of {len(frame)} ratios of published times, within a factor of {FACTOR:g}: {listed}."
