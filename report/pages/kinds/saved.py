"""What commands printed with --json, saved in a file: an object, distinguished by its keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.checks import abbreviate, check_choice
from netplace.checks.results_file import check_contents, opened, read_json
from netplace.report.pages.kinds.result_kinds import RESULT_KINDS
from netplace.report.terminal.screen import PRINTED

_MOST_BYTES = 1 << 30


def holds(path: Path, what: str, keys: Iterable[str]) -> bool:
    """Return whether a file has results of a kind: it names the kind, or names none and has these keys."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    said, content = _read(path)
    return said == what if said else set(keys) <= content.keys()


def saved_object(path: Path) -> dict[str, Any]:
    return _read(path)[1]


def saved_results(path: Path, what: str) -> dict[str, Any]:
    """Return the results in a file of one of `RESULT_KINDS`, every key of them checked."""
    said, results = _read(path)
    check_contents(results, path, RESULT_KINDS[what], whole=bool(said))
    return results


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return what a file says that it holds, nothing if it does not say so, and the object in it."""
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
def _parsed(path: Path, changed: int, size: int) -> tuple[str, dict[str, Any]]:
    content = read_object(path)
    if "netplace" not in content:
        return "", content
    what = check_choice(content["netplace"], PRINTED, f"{path}: netplace")
    return what, opened(content, path, what, PRINTED[what])


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
