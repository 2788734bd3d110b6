"""What any other command wrote: every number of its results, under its place there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.checks import abbreviate
from netplace.checks.quantities import NEITHER
from netplace.checks.results_file import read_json
from netplace.report.comparison.outcome import Entry, Outcome, Result, Sample
from netplace.report.pages.kinds.saved import versions_of

_FOLDERS = ("advice.json", "rules.json")  # of folders that have no other kind
_MOST = 100_000  # numbers
_OTHER = ("seconds", "cpu_seconds", "versions", "checksum", "version", "asked")  # no results


def recognises(path: Path) -> bool:
    file = _file(path)
    return file.suffix.lower() == ".json" and file.is_file()


def outcome(path: Path) -> Outcome:
    content = read_json(_file(path))
    if not isinstance(content, dict):
        raise ValueError(
            f"{path}: {abbreviate(content)} found, expected an object from a command of netplace"
        )
    numbers = dict(_numbers(content, ""))
    results = [Result(name, Sample.exact(value), NEITHER) for name, value in numbers.items()]
    if not results:
        raise ValueError(f"{path}: contains no numbers to compare")
    if len(results) > _MOST:
        raise ValueError(f"{path}: contains {len(results):,} numbers, expected at most {_MOST:,}")
    versions = " ".join(text for _, text in versions_of(content.get("versions")))
    return Outcome(f"object with {', '.join(content)}", str(path), [Entry({}, results)], versions)


def _file(path: Path) -> Path:
    return next((path / name for name in _FOLDERS if (path / name).is_file()), path)


def _numbers(value: Any, where: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers in a value of JSON, each with its place."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in _OTHER:
                yield from _numbers(member, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _numbers(member, f"{where}[{place}]")
    elif isinstance(value, int | float) and math.isfinite(value):
        yield where, float(value)
