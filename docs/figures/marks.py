"""Put what a script measured between two marks of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path


def fill_in(page: Path, measures: Mapping[str, Callable[[], str]]) -> None:
    """Replace what stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` by what each returns.

    Parameters
    ----------
    page : Path
        The document, which is written when all is measured.
    measures : mapping
        By name of a mark: what measures, and returns Markdown.

    Raises
    ------
    SystemExit
        If the page has not one such place for each.
    """
    text = page.read_text(encoding="utf-8")
    for name, measure in measures.items():
        pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        lines = measure()
        text, count = pattern.subn(lambda match, lines=lines: f"{match[1]}{lines}\n{match[2]}", text)
        if count != 1:
            raise SystemExit(f"{page}: {count} places for {name}")
    page.write_text(text, encoding="utf-8")
