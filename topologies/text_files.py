"""Text files, read with one-sentence errors: lists of parents, and indented text as of YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from netplace.files import input_file
from netplace.inputs import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import levels_of
from netplace.topologies.limits import MOST_WIDTH, check_cables


def tree_file(path: str) -> Graph:
    """Read a tree of any shape from a file with a line ``child parent [width]`` for each cable.

    A name that is not a parent is a node; any other name is a switch. A node has one parent and a width of 1.
    A switch can have several parents. A ValueError is raised if the file cannot be read or does not describe
    such a tree.
    """
    text = f"tree-file:{path}"
    lines = []
    for line, words in read_lines(path, text):
        if len(words) not in (2, 3):
            raise ValueError(f"{text} line {line}: {len(words)} words, expected child parent [width]")
        width = check_int(words[2], f"{text} line {line}: width", 1, MOST_WIDTH) if len(words) == 3 else 1
        lines.append((line, words[0], words[1], width))
    parents = dict.fromkeys(parent for _, _, parent, _ in lines)
    number = {name: place for place, name in enumerate(parents)}
    seen: dict[str, int] = {}
    cables: list[tuple[int, int]] = []
    pairs: list[tuple[int, int]] = []
    nodes_at = np.zeros(len(number), np.int64)
    for line, child, parent, width in lines:
        if child in number:
            check_cables(f"{text} line {line}", len(cables) + width)
            cables += [(number[child], number[parent])] * width
            pairs.append((number[child], number[parent]))
        elif child in seen:
            raise ValueError(f"{text} line {line}: node {child} already has a parent, in line {seen[child]}")
        elif width != 1:
            raise ValueError(f"{text} line {line}: node {child} has a width of {width}, expected 1")
        else:
            seen[child] = line
            nodes_at[number[parent]] += 1
    if not seen:
        raise ValueError(f"{text}: no nodes, expected a child that is not a parent")
    places = levels_of(len(number), pairs, list(number), text)
    return graph(text, Cables.of(cables), nodes_at, names=list(number), places=places, usual="d-mod-k")


def read_lines(path: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the words of every line that is not empty, without comments.

    A line that ends with a backslash continues in the next one, and has the number of the last.
    """
    rows, begun = [], ""
    for line, row in enumerate([*read_text(path, text).splitlines(), ""], 1):
        begun += row.split("#", 1)[0].rstrip()
        if begun.endswith("\\"):
            begun = begun[:-1]
        else:
            rows.append((line, begun.split()))
            begun = ""
    return [(line, words) for line, words in rows if words]


def read_text(path: str, text: str) -> str:
    try:
        return existing(path, text).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{text}: not a text file") from None


def existing(path: str, text: str) -> Path:
    """Return a path; raise ValueError if there is no such file."""
    if not path:
        raise ValueError(f"{text}: does not name a file, expected a path after the colon")
    if Path(path).is_dir():
        raise ValueError(f"{text}: is a folder, expected a file")
    if not input_file(path).is_file():
        raise ValueError(f"{text}: no such file")
    return Path(path)


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
