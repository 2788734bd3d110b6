"""Tables in files that netplace reads again: a column contains their kind, version and checksum.

It is a column, instead of a comment line or a second file, so that any reader of CSV or Parquet can read it.
It detects damage, not forgery, like `netplace.checks.results_file`. A table without it comes from elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.display import abbreviate

if TYPE_CHECKING:
    import pandas as pd

SEAL = "netplace"  # the column
_SEALS = re.compile(r"(.+) (\d{1,9}) ([0-9a-f]{32})", re.ASCII)


def sealed(frame: pd.DataFrame, what: str, version: int) -> pd.DataFrame:
    """Return a table with a column of its kind, version and checksum, equal in every row."""
    return frame.assign(**{SEAL: f"{what} {version} {_checksum(frame)}"})


def opened(frame: pd.DataFrame, path: Path, what: str, version: int) -> pd.DataFrame:
    """Return a table from a file without the column of `sealed`, which is checked."""
    if SEAL not in frame.columns:
        return frame
    plain = frame.drop(columns=SEAL)
    seals = frame[SEAL].fillna("").astype("str")
    for place, seal in enumerate(seals.drop_duplicates()):
        row = f"{path}, row {int((seals == seal).to_numpy().argmax()) + 1}, {SEAL}"
        match = _SEALS.fullmatch(seal)
        if match is None or match[1] != what or place:
            expected = abbreviate(seals.iloc[0], 80) if place else f"{what!r}, a version and a checksum"
            raise ValueError(f"{row}: {abbreviate(seal)} found, expected {expected}")
        if int(match[2]) != version:
            raise ValueError(f"{row}: version {match[2]} found, expected {version}, that of this netplace")
        if match[3] != _checksum(plain):
            raise ValueError(
                f"{row}: checksum {match[3]} found, expected {_checksum(plain)}: the table was damaged or "
                f"edited; if you edited it on purpose, delete its column {SEAL}"
            )
    return plain


def _checksum(frame: pd.DataFrame) -> str:
    """Return the first 32 hexadecimal digits of the SHA-256 of a table as CSV."""
    text = frame.to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
