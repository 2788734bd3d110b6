"""Files of indented lists and keys: the part of YAML that topology files of schedulers use."""

from __future__ import annotations

from typing import Any

_Row = tuple[int, int, str]  # line, indent, text


def read_indented(text: str, where: str) -> Any:
    """Return the lists, dictionaries and strings of a file in the block style of YAML.

    A value is on the line of its key or on deeper lines. Lists are lines with a dash, or ``[a, b]``; keys can
    also be in ``{a: 1, b: 2}``. Values are strings. Anchors, tags, quoted keys and multi-line strings are not
    supported.
    """
    rows: list[_Row] = []
    for line, raw in enumerate(text.splitlines(), 1):
        bare = raw.split(" #", 1)[0].rstrip()
        if not bare.strip() or bare.lstrip().startswith("#") or bare.strip() in ("---", "..."):
            continue
        if "\t" in bare[: len(bare) - len(bare.lstrip())]:
            raise ValueError(f"{where} line {line}: indented by a tab, expected spaces")
        rows.append((line, len(bare) - len(bare.lstrip()), bare.strip()))
    if not rows:
        return None
    value, rest = _block(rows, where)
    if rest:
        raise ValueError(
            f"{where} line {rest[0][0]}: {rest[0][2]!r} has an indentation that matches no line before it"
        )
    return value


def _block(rows: list[_Row], where: str) -> tuple[Any, list[_Row]]:
    """Return the value in the first lines, and the lines after it."""
    indent = rows[0][1]
    if rows[0][2].startswith("-"):
        return _list(rows, indent, where)
    entries: dict[str, Any] = {}
    while rows and rows[0][1] == indent and not rows[0][2].startswith("-"):
        line, _, text = rows[0]
        key, colon, value = text.partition(":")
        if not colon or (value and not value.startswith(" ")):
            raise ValueError(f"{where} line {line}: {text!r}, expected a form such as key: value")
        if key in entries:
            raise ValueError(f"{where} line {line}: {key} appears twice")
        rows = rows[1:]
        if value.strip():
            entries[key] = _scalar(value.strip(), f"{where} line {line}")
        elif rows and (rows[0][1] > indent or (rows[0][1] == indent and rows[0][2].startswith("-"))):
            entries[key], rows = _block(rows, where)
        else:
            entries[key] = None
    return entries, rows


def _list(rows: list[_Row], indent: int, where: str) -> tuple[list[Any], list[_Row]]:
    """Return the list in lines with a dash, and the lines after it."""
    items = []
    while rows and rows[0][1] == indent and rows[0][2].startswith("-"):
        line, _, text = rows[0]
        item = text[1:].lstrip()
        if ":" not in item or item.startswith("{"):
            items.append(_scalar(item, f"{where} line {line}"))
            rows = rows[1:]
            continue
        within = (line, indent + len(text) - len(item), item)
        value, rows = _block([within, *rows[1:]], where)
        items.append(value)
    return items, rows


def _scalar(text: str, where: str) -> Any:
    """Return a value of one line: a list in brackets, keys in braces, or a string without quotes."""
    if text.startswith("[") and text.endswith("]") and "[" not in text[1:]:
        return [_scalar(part.strip(), where) for part in text[1:-1].split(",") if part.strip()]
    if text.startswith("{"):
        words = [part.partition(":") for part in text[1:-1].split(",") if part.strip()]
        keys = [key.strip() for key, _, _ in words]
        if not text.endswith("}") or "{" in text[1:] or not all(colon for _, colon, _ in words):
            raise ValueError(f"{where}: {text!r}, expected keys and values such as {{x: 4, y: 4}}")
        if len({*keys}) < len(keys):
            raise ValueError(f"{where}: {text!r}, the same key appears twice")
        return {key: _scalar(value.strip(), where) for key, (_, _, value) in zip(keys, words, strict=True)}
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
