"""Workload files: text, compressed or not, whose name says the format."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path

from netplace.files import BROKEN, atomic_file, decoded, input_file, packed_as, read_content, unpacked

COMPRESSED = ".gz"
_HEAD = 1 << 16  # bytes


def read_text(path: Path) -> str:
    if path.name.lower().endswith(COMPRESSED):
        with input_file(path).open("rb") as file:
            if packed_as(file.read(2)) != "gzip":
                raise ValueError(f"{path}: is not gzip, although its name says so")
    content = read_content(path)
    try:
        return decoded(content)
    except UnicodeDecodeError:  # of names of people in comments; what counts is in ASCII
        return decoded(content.decode("utf-8-sig", "replace").encode())


def head_of(path: Path) -> str:
    """Return how a file begins, unpacked and without blanks; empty for what cannot be read twice."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            head = unpacked(file).read(_HEAD)
        text = decoded(head)
    except UnicodeDecodeError:
        text = head.decode("utf-8-sig", "replace")
    except (OSError, *BROKEN):
        return ""  # whoever reads it says why it cannot be
    return text.strip()


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write text, compressed if the name says so; the same text is always the same file."""
    with atomic_file(path) as draft, draft.open("wb") as raw:
        if not path.name.lower().endswith(COMPRESSED):
            raw.writelines(part.encode() for part in parts)
            return
        with (
            gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text,
        ):
            text.writelines(parts)
