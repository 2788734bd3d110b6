"""Published numbers to compare with; the README names the source of each table."""

from __future__ import annotations

from importlib import resources

import pandas as pd

__all__ = ["in_words", "published"]


def published(name: str) -> pd.DataFrame:
    """Return the table of a CSV file of this folder."""
    file = resources.files("netplace.experiments.published") / name
    with file.open(encoding="utf-8") as text:
        # Only an empty cell is one without a number: NA is the name of a metric.
        return pd.read_csv(text, dtype={"table": str}, keep_default_na=False, na_values=[""])


def in_words(variant: str, relation: str, against: object) -> str:
    """Return a published order as a phrase, such as "SPT-RD and GSPT-RD below SPT and GSPT in most cases"."""
    below, _, cases = relation.partition(" in ")
    others = against if isinstance(against, str) else ""
    words = (_listed(variant), below, _listed(others), cases and f"in {cases}")
    return " ".join(filter(None, words))


def _listed(names: str) -> str:
    first, _, last = names.rpartition(", ")
    return f"{first} and {last}" if first else last
