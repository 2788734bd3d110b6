"""TOML files as text and values, with the lines of keys, which the standard parser does not give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from netplace.files import input_file, parsed_toml
from netplace.inputs import abbreviate, check_choice


class TableList(NamedTuple):
    """A TOML file of tables with the same name."""

    text: str
    tables: list[dict[str, Any]]
    others: dict[str, Any]  # the other keys


Check = Callable[[Any, str], Any]  # returns a value as it is used; the text names it in errors
_TABLE = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w.-]+?)["']?\s*=""")


def read_toml(path: Path, flags: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file and its contents; `flags`: keys are flags, in which ``-`` is ``_``."""
    try:
        content = input_file(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
    text, fields = parsed_toml(content, str(path))
    return text, underscored(fields, path) if flags else fields


def read_table_list(path: Path, name: str, others: Sequence[str] = ()) -> TableList:
    """Return the tables ``[[name]]`` of a TOML file, at least one."""
    text, content = read_toml(path)
    for key in content:
        if key not in (name, *others):
            known = " or ".join([f"[[{name}]]", *others])
            raise ValueError(
                f"{path}:{line_of(text, '', key)}: unknown key {abbreviate(key)}, expected {known}"
            )
    tables = content.pop(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(
            f"{path}:{line_of(text, '', name)}: {name} is {abbreviate(tables)}, expected tables [[{name}]]"
        )
    if not tables:
        raise ValueError(f"{path}: has no [[{name}]], expected at least one")
    return TableList(text, tables, content)


def checked_table(
    path: Path, text: str, table: str, content: Mapping[str, Any], checks: Mapping[str, Check]
) -> dict[str, Any]:
    """Return the values of a table such as ``pairs.0``, each through the check of its key."""
    made = {}
    for key, value in content.items():
        where = f"{path}, line {line_of(text, table, key)}"
        check_choice(key, checks, f"{where}, key")
        made[key] = checks[key](value, f"{where}: {key}")
    return made


def check_text(value: object, label: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{label} is {abbreviate(value)}, expected text")
    return value


def check_flag(value: object, label: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{label} is {abbreviate(value)}, expected true or false")
    return value


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Let errors begin with the name of the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def underscored(item: Any, path: Path) -> Any:
    """Return values whose keys have ``_`` instead of ``-``; `path` is where they came from."""
    if isinstance(item, list):
        return [underscored(entry, path) for entry in item]
    if not isinstance(item, dict):
        return item
    renamed = {key.replace("-", "_"): underscored(value, path) for key, value in item.items()}
    if len(renamed) < len(item):
        twice = next(key for key in item if "-" in key and key.replace("-", "_") in item)
        raise ValueError(f"{path}: {twice} and {twice.replace('-', '_')} are the same key, expected it once")
    return renamed


def line_of(text: str, table: str, key: str, value: object = None) -> int:
    """Return the line, from 1, of a key, or a value of it, in a table such as ``pairs.0``; 1 if unknown."""
    lines = text.splitlines()
    here, seen = "", dict[str, int]()
    key_line = 0
    for number, line in enumerate(lines, 1):
        if (header := _TABLE.match(line)) and not key_line:
            here = header[2]
            if header[1] == "[[":
                seen[here] = seen.get(here, -1) + 1
                here = f"{here}.{seen[here]}"
            if here == table and not key:
                return number
        elif key_line:
            if _KEY.match(line) or header:
                break
            if _holds(line, value):
                return number
        elif here == table and (match := _KEY.match(line)) and _alike(match[1], key):
            key_line = number
            if value is None or _holds(line.partition("=")[2], value):
                return number
    return key_line or 1


def _alike(written: str, key: str) -> bool:
    return written.replace("-", "_") == key.replace("-", "_")


def _holds(line: str, value: object) -> bool:
    """Return whether a value is written in a line."""
    return re.search(rf"(?<![\w.:-]){re.escape(str(value))}(?![\w.:-])", line.partition(" #")[0]) is not None
