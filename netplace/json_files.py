"""Result files in JSON that netplace reads again, with their kind, version and checksum.

The checksum detects damage (a cut file, a flipped bit, a mistake in an editor), not forgery: anyone who can
write the file can write its checksum. The contents are therefore only data.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from netplace.files import input_file
from netplace.inputs import abbreviate
from netplace.version import FORMAT

_HEAD = ("netplace", "version", "checksum")
PROVENANCE = "provenance"  # the key under which an outcome in one file says how it was made


def finite(value: Any) -> Any:
    """Return a value for JSON in which undefined and infinite numbers are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [finite(member) for member in value]
    return value


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON; undefined numbers are null.

    Examples
    --------
    >>> json_text({"ratio": float("nan")})
    '{"ratio": null}'
    """
    try:
        return json.dumps(value, allow_nan=False, indent=indent)
    except ValueError:
        return json.dumps(finite(value), allow_nan=False, indent=indent)


def results_text(label: str, content: dict[str, Any], indent: int | None = 1) -> str:
    """Return results as JSON that begins with their kind, format and checksum."""
    plain = json.loads(json_text(content))  # as it will be read: keys are text
    return json_text(dict(zip(_HEAD, (label, FORMAT, _checksum(plain)), strict=True)) | plain, indent)


def read_results(path: Path, label: str) -> dict[str, Any]:
    """Return the content of `results_text`, its format and checksum checked."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ValueError(f"{path}: {abbreviate(content)} found, expected the results of a {label}")
    return opened(content, path, label)


def opened(results: dict[str, Any], path: Path, label: str) -> dict[str, Any]:
    """Return results without their header, which is checked, and without their provenance."""
    plain = {name: value for name, value in results.items() if name not in _HEAD}
    _check_head(path, results, label, plain)
    plain.pop(PROVENANCE, None)
    return plain


def check_format(where: str, found: Any) -> None:
    """Check the format of a file, `netplace.version.FORMAT`: another version of netplace writes another."""
    if isinstance(found, bool) or found != FORMAT:
        by = "netplace 1.0.0rc1 or earlier" if found in (1, 2) else "another version of netplace"
        raise ValueError(
            f"{where}: was written by {by} (format {abbreviate(found)} found, expected {FORMAT}); make it "
            "again with this version"
        )


def _check_head(path: Path, head: dict[str, Any], label: str, content: dict[str, Any]) -> None:
    for name in _HEAD:
        if name not in head:
            raise ValueError(f"{path}: {name}: is missing, expected the results of a {label}")
    if head["netplace"] != label:
        raise ValueError(f"{path}: netplace: {abbreviate(head['netplace'])} found, expected {label!r}")
    check_format(str(path), head["version"])
    if head["checksum"] != _checksum(content):
        raise ValueError(
            f"{path}: checksum: {abbreviate(head['checksum'])} found, expected {_checksum(content)}; "
            "the file was damaged or edited"
        )


def read_json(path: Path) -> Any:
    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) < len(members):
            names = [name for name, _ in members]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"key {abbreviate(twice)} appears twice")
        return made

    def constant(name: str) -> None:
        raise ValueError(f"{name} is not a number in JSON")

    def real(digits: str) -> float:
        if not math.isfinite(value := float(digits)):
            raise ValueError(f"{abbreviate(digits)} is too large for a number")
        return value

    try:
        content = input_file(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file, expected JSON") from None
    if not content.strip():
        raise ValueError(f"{path}: is empty, expected JSON")
    try:
        return json.loads(content, object_pairs_hook=pairs, parse_constant=constant, parse_float=real)
    except ValueError as error:
        raise ValueError(f"{path}: is not a file of results: {error}") from None
    except RecursionError:
        raise ValueError(f"{path}: is not a file of results: it is nested too deeply") from None


def _checksum(content: dict[str, Any]) -> str:
    """Return the first 32 hexadecimal digits of the SHA-256 of the content, its keys in order."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:32]
