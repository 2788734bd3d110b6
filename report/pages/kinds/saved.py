"""What commands printed with --json, saved in a file: an object that declares its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.inputs import abbreviate, check_choice
from netplace.json_files import PROVENANCE, opened, read_json
from netplace.report.files.provenance import Provenance
from netplace.report.terminal.screen import PRINTED
from netplace.settings import read_back

_MOST_BYTES = 1 << 30


def declared_kind(path: Path) -> str:
    """Return the kind of results, a key of `PRINTED`, that a file declares; empty if it declares none."""
    return _read(path)[0]


def saved_object(path: Path) -> dict[str, Any]:
    return _read(path)[1]


def saved_results(path: Path, label: str) -> dict[str, Any]:
    """Return the results in a file, a run or load points."""
    found, results, _ = _read(path)
    if found != label:
        raise ValueError(f"{path}: contains {found or 'other results'}, expected the results of a {label}")
    return results


def provenance_in(path: Path) -> Provenance | None:
    """Return how an outcome in one file was made, where it says so."""
    made = _read(path)[2] if path.suffix.lower() == ".json" and path.is_file() else None
    return None if made is None else read_back(Provenance, made, f"{path}: {PROVENANCE}")


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
    label = check_choice(content["netplace"], PRINTED, f"{path}: netplace")
    return label, opened(content, path, label), made


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
