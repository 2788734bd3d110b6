"""An outcome beside the same outcome made again: equal to the bit, or what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from netplace.checks import abbreviate
from netplace.report.files.provenance import Provenance, digests_of, read_provenance

# What depends on the machine and its load, and what follows from it.
_PASSING = ("cpu_seconds", "checksum", "versions")
_TIMED = ("map.json", "advice.json", "rules.json")  # where "seconds" are those of the search
_PAGES = (".html",)
_MOST = 10  # differences told of a file


def differences(folder: Path, made: Provenance, again: Path, root: str = "") -> list[str]:
    """Return the differences between an outcome and its repetition, a sentence each."""
    found = []
    now = read_provenance(again)
    there = digests_of(folder, [name for name in made.outputs if (folder / name).is_file()])
    for name, digest in made.outputs.items():
        if there.get(name) != digest:
            what = "no longer exists" if name not in there else "has changed since netplace wrote it"
            found.append(f"{name}: {what}")
        elif name in now.outputs and (now.outputs[name] != digest) and not name.endswith(_PAGES):
            found += _of_file(name, folder / name, again / name, root)
    for name in sorted(made.outputs.keys() ^ now.outputs.keys()):
        if not name.endswith(_PAGES):
            where = "was not written again" if name in made.outputs else "is new"
            found.append(f"{name}: {where}")
    if made.plans and made.plan_count == now.plan_count and made.seeds != now.seeds:
        found.append(f"seeds: {abbreviate(made.seeds)}, now {abbreviate(now.seeds)}")
    return found


def _of_file(name: str, first: Path, second: Path, root: str) -> list[str]:
    before, after = first.read_bytes(), second.read_bytes()
    if root:
        after = after.replace(root.encode(), b"")
    if before == after:
        return []
    if name.endswith(".json"):
        try:
            passing = (*_PASSING, "seconds") if name in _TIMED else _PASSING
            said = list(_of_values(json.loads(before), json.loads(after), "", passing))
        except (ValueError, RecursionError):
            return [f"{name}: differs"]
        more = [f"{name}: {len(said) - _MOST} more values differ"] if len(said) > _MOST else []
        return [*(f"{name}: {text}" for text in said[:_MOST]), *more]
    if name.endswith(".parquet"):
        return _of_tables(name, first, second)
    try:
        lines, others = before.decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        return [f"{name}: differs, {len(before):,} bytes against {len(after):,}"]
    place = next((n for n, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), None)
    if place is None:
        return [f"{name}: {len(lines):,} lines, now {len(others):,}"]
    return [f"{name}:{place + 1}: {abbreviate(lines[place])}, made again {abbreviate(others[place])}"]


def _of_values(before: Any, after: Any, where: str, passing: Sequence[str]) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys() if before.keys() != after.keys() else before:
            if key not in passing:
                at = f"{where}.{key}" if where else key
                yield from _of_values(before.get(key, _NONE), after.get(key, _NONE), at, passing)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, pair in enumerate(zip(before, after, strict=True)):
            yield from _of_values(*pair, f"{where}[{place}]", passing)
    elif before != after or type(before) is not type(after):
        first, second = ("nothing" if value is _NONE else abbreviate(value) for value in (before, after))
        yield f"{where}: {first}, made again {second}"


_NONE = object()


def _of_tables(name: str, first: Path, second: Path) -> list[str]:
    """Return whether two tables differ; their files also hold the versions that wrote them."""
    import pandas as pd

    before, after = pd.read_parquet(first), pd.read_parquet(second)
    return [] if before.equals(after) else [f"{name}: the tables differ"]
