"""Published numbers to compare with; the README names the source of each table."""

from __future__ import annotations

from importlib import resources

import pandas as pd

__all__ = ["published"]


def published(name: str) -> pd.DataFrame:
    """Return the table of a CSV file of this folder."""
    file = resources.files("netplace.experiments.published") / name
    with file.open(encoding="utf-8") as text:
        # Only an empty cell is one without a number: NA is the name of a metric.
        return pd.read_csv(text, dtype={"table": str}, keep_default_na=False, na_values=[""])
