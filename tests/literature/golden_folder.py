"""Golden cases of the literature: our own copies, or those of the folder that NETPLACE_GOLDEN names."""

import csv
import os
from pathlib import Path

OWN = Path(__file__).parent / "golden"


def folders() -> list[Path]:
    """Return the folder of our own copies, or the one that the environment names instead."""
    given = os.environ.get("NETPLACE_GOLDEN")
    return [Path(given)] if given else [OWN]


def rows(pattern: str) -> list[dict[str, str]]:
    """Return the rows of every file that matches, such as ``"cpa_golden*.csv"``; none if there is none."""
    found = []
    for folder in folders():
        for path in sorted(folder.rglob(pattern)):
            with path.open(newline="", encoding="utf-8") as file:
                found += [{**row, "file": path.name} for row in csv.DictReader(file)]
    return found


def listed(text: str) -> list[int]:
    """Return the nodes of ``0-3 8``."""
    found: list[int] = []
    for word in text.split():
        low, _, high = word.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found
