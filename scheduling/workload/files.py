"""Workload files: text, compressed or not, whose name says the format."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable
from pathlib import Path

from netplace.files import atomic_file, input_file, is_packed, read_content

COMPRESSED = ".gz"
_HEAD = 1 << 16  # bytes


def read_text(path: Path) -> str:
    if path.name.lower().endswith(COMPRESSED):
        with input_file(path).open("rb") as file:
            if not is_packed(file.read(2)):
                raise ValueError(f"{path}: is not gzip, although its name says so")
    content = read_content(path)
    # Names of people in comments are in all sorts of encodings; what counts is in ASCII.
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")  # which spreadsheets write
    return text.replace("\r\n", "\n").replace("\r", "\n")


def head_line(path: Path) -> str:
    """Return the first line of a file that is not blank, unpacked; empty for what cannot be read twice."""
    try:
        head = b""
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD)
    except OSError:
        return ""  # whoever reads it says why it cannot be
    if is_packed(head):
        try:
            head = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, _HEAD)
        except zlib.error:
            return ""
    return next(
        (line.strip() for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()), ""
    )


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
