"""TOML files as text and values, and where in the text they stand; the standard parser does not tell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from netplace.checks.toml_text import parsed_toml

__all__ = ["line_of", "read_toml"]

_TABLE = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w.-]+?)["']?\s*=""")


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file, and what it says.

    Raises
    ------
    ValueError
        If it cannot be read, or is not TOML.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
    return parsed_toml(content, str(path))


def line_of(text: str, table: str, key: str, value: object = None) -> int:
    """Return the line, counted from 1, in which a key stands, or one value of its list.

    Parameters
    ----------
    text : str
        Valid TOML.
    table : str
        Table of the key: empty for the top, ``"config"``, ``"pairs.0"`` for the first of an array of tables.
    key : str
        The key; empty: the table itself.
    value : object, optional
        A value that `key` has, perhaps in a list of several lines.

    Returns
    -------
    int
        1 if the key is written in another way than a line of its own.
    """
    lines = text.splitlines()
    here, seen = "", dict[str, int]()
    found = 0
    for number, line in enumerate(lines, 1):
        if (header := _TABLE.match(line)) and not found:
            here = header[2]
            if header[1] == "[[":
                seen[here] = seen.get(here, -1) + 1
                here = f"{here}.{seen[here]}"
            if here == table and not key:
                return number
        elif found:
            if _KEY.match(line) or header:
                break
            if _holds(line, value):
                return number
        elif here == table and (match := _KEY.match(line)) and match[1] == key:
            found = number
            if value is None or _holds(line.partition("=")[2], value):
                return number
    return found or 1


def _holds(line: str, value: object) -> bool:
    """Tell whether a value is written in a line."""
    return re.search(rf"(?<![\w.:-]){re.escape(str(value))}(?![\w.:-])", line.partition(" #")[0]) is not None
