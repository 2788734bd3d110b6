"""Result files in JSON that netplace reads again, with their kind, version and checksum.

The checksum detects damage (a cut file, a flipped bit, a mistake in an editor), not forgery: anyone who can
write the file can write its checksum. The contents are therefore only data; see `netplace.checks.schema`.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from netplace.checks.display import abbreviate
from netplace.checks.inputs import input_file
from netplace.checks.schema import Kind
from netplace.version import __version__

_HEAD = ("netplace", "version", "checksum")


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
    return json.dumps(finite(value), allow_nan=False, indent=indent)


def results_text(what: str, version: int, content: dict[str, Any], indent: int | None = 1) -> str:
    """Return results as JSON that begins with their kind, version and checksum."""
    plain = json.loads(json_text(content))  # as it will be read: keys are text
    return json_text(dict(zip(_HEAD, (what, version, _checksum(plain)), strict=True)) | plain, indent)


def read_results(path: Path, what: str, version: int, kind: Kind) -> dict[str, Any]:
    """Return the content of `results_text`: version, checksum and every key are checked."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ValueError(f"{path}: {abbreviate(content)} found, expected the results of a {what}")
    plain = opened(content, path, what, version)
    check_contents(plain, path, kind, whole="checksum" in content)
    return plain


def check_contents(content: dict[str, Any], path: Path, kind: Kind, *, whole: bool) -> None:
    """Check every key of results; other keys in `whole` ones, by their checksum, are of another version."""
    try:
        kind(content, str(path))
    except ValueError as error:
        versions = content.get("versions")
        known = versions.get("netplace") if isinstance(versions, dict) else None
        if not whole or known == __version__:
            raise
        by = f"version {abbreviate(known)}" if isinstance(known, str) else "another version"
        told = str(error).removeprefix(f"{path}: ")
        raise ValueError(
            f"{path}: was written by {by} of netplace, with contents that this version does not "
            f"read ({told}); use the version that wrote it, or repeat the command that made it"
        ) from None


def opened(results: dict[str, Any], path: Path, what: str, version: int) -> dict[str, Any]:
    """Return results without their header, which is checked."""
    head = {name: results[name] for name in _HEAD if name in results}
    plain = {name: value for name, value in results.items() if name not in _HEAD}
    if head:
        _check_head(path, head, what, version, plain)
    return plain


def _check_head(path: Path, head: dict[str, Any], what: str, version: int, content: dict[str, Any]) -> None:
    for name in _HEAD:
        if name not in head:
            raise ValueError(f"{path}: {name}: is missing, expected it beside {' and '.join(head)}")
    if head["netplace"] != what:
        raise ValueError(f"{path}: netplace: {abbreviate(head['netplace'])} found, expected {what!r}")
    if head["version"] != version or isinstance(head["version"], bool | float):
        raise ValueError(
            f"{path}: version: {abbreviate(head['version'])} found, expected {version}; "
            "use the version of netplace that wrote the file, or repeat the command that wrote it"
        )
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
