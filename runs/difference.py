"""Two run-time tables compared entry by entry."""

from __future__ import annotations

import pandas as pd

from netplace.runs.tables import ENTRY

COMPARED = ["count", "missing", "failed", "mean", "std", "min", "max"]


def difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return the entries in which two tables of `netplace.runs.tables.time_table` differ.

    The columns are `ENTRY`; ``where`` (``"both"``, ``"first"`` or ``"second"``); ``mean_first`` and
    ``mean_second`` in cycles; ``ratio``, the second mean divided by the first; and the two counts.
    """
    columns = [*ENTRY, *COMPARED]
    merged = first[columns].merge(
        second[columns], how="outer", on=ENTRY, suffixes=("_first", "_second"), indicator="where"
    )
    same = merged["where"] == "both"
    for name in COMPARED:
        left = merged[f"{name}_first"].astype("float64")
        right = merged[f"{name}_second"].astype("float64")
        same &= (left == right) | (left.isna() & right.isna())
    differing = merged.loc[~same].reset_index(drop=True)
    sides = {"both": "both", "left_only": "first", "right_only": "second"}
    differing["where"] = differing["where"].astype(str).map(sides).astype("str")
    differing["ratio"] = differing["mean_second"] / differing["mean_first"]
    return differing[[*ENTRY, "where", "mean_first", "mean_second", "ratio", "count_first", "count_second"]]
