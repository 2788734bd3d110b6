"""What commands printed with --json, saved in a file: an object that declares its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.inputs import MOST, abbreviate, check_choice
from netplace.json_files import PROVENANCE, opened, read_json
from netplace.netsim import Config
from netplace.netsim.bounds import Bounds
from netplace.netsim.critical_path import COMPONENTS
from netplace.netsim.outcome import OUTCOMES
from netplace.report.files.provenance import Provenance, checked_provenance
from netplace.report.terminal.screen import PRINTED
from netplace.runs.loads import LOAD_POINT
from netplace.schema import (
    Kind,
    amount,
    anything,
    choice,
    kind_of,
    listed,
    maybe,
    number,
    row,
    table,
    table_of,
    text,
)

_MOST_BYTES = 1 << 30


def declared_kind(path: Path) -> str:
    """Return the kind of results, a key of `PRINTED`, that a file declares; empty if it declares none."""
    return _read(path)[0]


def saved_object(path: Path) -> dict[str, Any]:
    return _read(path)[1]


def saved_results(path: Path, what: str) -> dict[str, Any]:
    """Return the results in a file, a run or load points, every key of them checked."""
    results = saved_object(path)
    _CHECKED[what](results, str(path))
    return results


def provenance_in(path: Path) -> Provenance | None:
    """Return how an outcome in one file was made, where it says so."""
    made = _read(path)[2] if path.suffix.lower() == ".json" and path.is_file() else None
    return None if made is None else checked_provenance(made, f"{path}: {PROVENANCE}")


def _read(path: Path) -> tuple[str, dict[str, Any], Any]:
    """Return what a file says that it holds, if it does say so, the object in it, and its provenance."""
    status = path.stat()
    if status.st_size > _MOST_BYTES:
        raise ValueError(
            f"{path}: {status.st_size / 1e9:.1f} GB, expected at most {_MOST_BYTES / 1e9:.1f} GB"
        )
    return _parsed(path, status.st_mtime_ns, status.st_size)


def read_object(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise ValueError(f"{path}: {abbreviate(content)} found, expected the output of a command with --json")
    return content


@lru_cache(maxsize=1)
def _parsed(path: Path, changed: int, size: int) -> tuple[str, dict[str, Any], Any]:
    content = read_object(path)
    made = content.get(PROVENANCE)
    if "netplace" not in content:
        return "", {name: value for name, value in content.items() if name != PROVENANCE}, made
    what = check_choice(content["netplace"], PRINTED, f"{path}: netplace")
    return what, opened(content, path, what), made


@contextmanager
def details_of(path: Path, key: str) -> Iterator[None]:
    """Report in a sentence the key that the block could not read."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ValueError(f"{path}: {key}: does not have the format of netplace") from None


def asked_of(plan: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return what was asked as names and values; empty values are omitted."""
    rows: list[tuple[str, str]] = []
    for name, value in plan.items():
        if isinstance(value, Mapping):
            rows += asked_of(value, f"{prefix}{name}.")
        elif value not in (None, "", [], ()):
            rows.append((prefix + name, _written(value)))
    return rows


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        if all(
            isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str) for item in value
        ):
            return ", ".join(f"{name}={_written(part)}" for name, part in value)
        return ", ".join(_written(item) for item in value)
    return str(value)


def versions_of(versions: Any) -> list[tuple[str, str]]:
    """Return the versions with which something was made, as a row."""
    return [("versions", written_versions(versions))] if isinstance(versions, Mapping) else []


def written_versions(versions: Any) -> str:
    known = versions if isinstance(versions, Mapping) else {}
    return ", ".join(f"{name} {version}" for name, version in known.items())


# The keys that results of --json need to be shown again, by kind of result.
_COUNT = amount(0, MOST)  # the mean of several runs is no whole number
_NODES = listed(number(most=2**40))
_CONFIG = kind_of(Config)
_ANY_TABLE = table({}, others=True)

_DELAYS = table({"mean": maybe(_COUNT)}, dict.fromkeys(("count", "p50", "p95", "p99", "most"), maybe(_COUNT)))
_BOUND_NAMES = tuple(item.name for item in fields(Bounds))
_BOUNDS = table(
    {
        **dict.fromkeys(_BOUND_NAMES, table({"cycles": _COUNT, "task": _COUNT})),
        "least": _COUNT,
        "binding": choice(*_BOUND_NAMES),
    }
)
_JOB = table(
    {"name": text, "tasks": number(1), "start": _COUNT, "end": _COUNT, "cycles": maybe(_COUNT)},
    {
        "nodes": _NODES,
        "winner": maybe(text),
        "bounds": _BOUNDS,
        "outcome": choice(*OUTCOMES),
        "reason": maybe(text),
        "failed": number(),
    },
)
_WINDOW = table(dict.fromkeys(("end", "mean_link_load", "most_link_load"), _COUNT))
_SPREAD = table_of(table(dict.fromkeys(("mean", "min", "max"), _COUNT), {"std": maybe(_COUNT)}))
_RUN: dict[str, Kind] = {
    **dict.fromkeys(("packets", "packet_hops", "most_link_load"), _COUNT),
    **dict.fromkeys(("cycles", "seconds"), maybe(_COUNT)),  # none if a job did not finish
    "packet_delay": _DELAYS,
    "message_delay": _DELAYS,
    "jobs": listed(_JOB, 1),
    "network": text,
    "seed": number(),
    "config": _CONFIG,
}
_LINKS = table({"cycles": _COUNT, "ends": listed(_COUNT), "rows": listed(listed(_COUNT, 3))})
_TIMELINE = table(
    {
        "name": text,
        "start": _COUNT,
        "ends": listed(_COUNT),
        "sent": _COUNT,
        "messages": listed(row(*[_COUNT] * 6)),
        "spent": maybe(table(dict.fromkeys(COMPONENTS, _COUNT))),
        "path": maybe(listed(row(text, _COUNT, _COUNT, _COUNT))),
    }
)
_RUN_OPTIONS: dict[str, Kind] = {
    **dict.fromkeys(("drained_cycles", "phits", "injection_blocked", "events", "cpu_seconds"), _COUNT),
    **dict.fromkeys(("engine", "partition", "mapping"), text),
    "faults": listed(_ANY_TABLE),
    "notes": listed(text),
    "versions": table_of(text),
    "slowest_job": maybe(number()),
    "slowest_cycles": maybe(_COUNT),
    "failed": number(),
    "window": number(1),
    "windows": listed(_WINDOW),
    "critical_paths": anything,
    "links": _LINKS,
    "timeline": listed(_TIMELINE),
}

_SATURATION = table(
    {"curve": text, **dict.fromkeys(("accepted", "highest"), _COUNT)}
    | dict.fromkeys(("load", "half_width", "low", "high"), maybe(_COUNT))
    | dict.fromkeys(("seeds", "saturated_seeds"), number())
)

# What was asked for a load point stands beside all points, where it is the same, or in each.
_LOAD_ASKED: dict[str, Kind] = {
    "network": text,
    "contents": anything,
    "traffic": text,
    "offered": _COUNT,
    "config": _CONFIG,
    "engine": text,
    "warmup": number(),
    "measure": maybe(number()),
    "hot_node": maybe(number()),
    "hot_share": amount(0, 1),
    "seed": number(),
}
_ASKED_POINT = table(
    {"offered": _COUNT, "network": text}, {**_LOAD_ASKED, "versions": table_of(text)}, others=True
)


def _run(value: Any, where: str) -> None:
    several: dict[str, Kind] = {
        "seeds": listed(number()),
        "spread": _SPREAD,
        "runs": listed(table(_RUN, _RUN_OPTIONS), 1),
    }
    if isinstance(value, dict) and several.keys() & value.keys():
        table({**_RUN, **several}, _RUN_OPTIONS)(value, where)
    else:
        table(_RUN, _RUN_OPTIONS)(value, where)


def _load(value: Any, where: str) -> None:
    more = {"answer": text, "saturation": listed(_SATURATION)}
    table({"points": listed(LOAD_POINT, 1)}, _LOAD_ASKED | more)(value, where)
    same = {name: member for name, member in value.items() if name not in ("answer", "points", "saturation")}
    for place, point in enumerate(value["points"]):
        _ASKED_POINT(same | point, f"{where}: points[{place}]")


_CHECKED: dict[str, Kind] = {"run": _run, "load": _load}
