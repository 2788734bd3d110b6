"""Put the tables that a script measured between two marks of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (heads, *rows)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])


def fill_in(page: Path, measures: Mapping[str, Callable[[], str]]) -> None:
    """Write a page as `filled` returns it."""
    page.write_text(filled(page, measures), encoding="utf-8")


def filled(page: Path, measures: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with what measures return between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""
    text = page.read_text(encoding="utf-8")
    for name, measure in measures.items():
        pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        lines = measure()
        text, count = pattern.subn(lambda match, lines=lines: f"{match[1]}{lines}\n{match[2]}", text)
        if count != 1:
            raise SystemExit(f"{page}: {count} places for {name}")
    return text
