"""Files read piece by piece, unpacked while they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.trace import Reading
from netplace.files import BROKEN, input_file, packed_as, unpacked
from netplace.inputs import check_size


class FileError(ValueError):
    """A fault of a file, which the message names."""


class TraceError(ValueError):
    def __init__(self, line: int, reason: str, unit: str = "line") -> None:
        super().__init__(f"{unit} {line}: {reason}")
        self.line = line  # number of the line, from 1; for a binary file, the position in bytes, from 0
        self.reason = reason


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Let the errors about what is in a file begin with its name."""
    try:
        yield
    except TraceError as error:
        raise FileError(f"{path}, {error}") from None


HEAD = 1 << 16  # bytes from which a format is recognized
BLOCK = 1 << 22  # bytes read at a time
_LEFT_OUT = re.compile(rb"^(?:#|/\*) left out: ([^\n*]*)", re.MULTILINE)
_NUMBER_AND_NAME = re.compile(rb"(\d{1,18}) ([A-Za-z_][\w -]{0,63})")
_LONGEST_LINE = 1 << 26  # bytes; no line of a trace is longer


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked."""
    return next(blocks(path, Reading(), HEAD), b"")


def first_line(head: bytes) -> bytes:
    """Return the first line that is neither blank nor a comment; empty if there is none."""
    lines = (line.strip() for line in head.split(b"\n"))
    return next((line for line in lines if line and not line.startswith(b"#")), b"")


def blocks(path: Path, reading: Reading, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the contents of a file, unpacked if it is compressed, in pieces of at most `size` bytes."""
    try:
        with input_file(path).open("rb") as raw:
            kind, before = packed_as(raw.read(HEAD)), 0
            file = unpacked(raw)
            while block := file.read(size):
                reading.advance(raw.tell() - before)
                before = raw.tell()
                yield block
    except (OSError, *BROKEN) as error:
        if isinstance(error, BROKEN) or error.errno is None:
            raise FileError(f"{path}: is a broken {kind} file, {_reason(error)}") from None
        raise FileError(f"{path}: cannot be read, {error.strerror}") from None


def whole_content(path: Path, reading: Reading, bytes_each: int) -> bytes:
    """Return the unpacked contents of a file; each byte takes `bytes_each` in memory once parsed."""
    parts, length = [], 0
    for block in blocks(path, reading):
        length += len(block)
        check_size(length, bytes_each, "bytes that must be read as a whole", str(path))
        parts.append(block)
    return b"".join(parts)


def lines(path: Path, reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, from 1; blanks at their ends are dropped."""
    number, rest = 0, b""
    for block in blocks(path, reading):
        rest += block
        *whole, rest = rest.split(b"\n")
        for line in whole:
            number += 1
            yield number, line.strip()
        if len(rest) > _LONGEST_LINE:
            raise TraceError(number + 1, "has no end, expected a line of text")
    if rest:
        yield number + 1, rest.strip()


def whole_lines(path: Path, reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file many at a time: how many came before, and the text of whole lines."""
    before, rest = 0, b""
    for block in blocks(path, reading):
        head, newline, tail = block.rpartition(b"\n")
        if newline:
            text = rest + head + newline
            yield before, text
            before += text.count(b"\n")
            rest = tail
        else:
            rest += tail
        if len(rest) > _LONGEST_LINE:
            raise TraceError(before + 1, "has no end, expected a line of text")
    if rest:
        yield before, rest


def left_out_in(text: bytes) -> Counter[str]:
    """Return the omitted calls that comments of a trace list, as `left_out_lines` writes them."""
    found: Counter[str] = Counter()
    if b" left out: " in text:
        for line in _LEFT_OUT.findall(text):
            for number, name in _NUMBER_AND_NAME.findall(line):
                found[name.decode().strip()] += int(number)
    return found


def _reason(error: Any) -> str:
    return "the end is missing" if isinstance(error, EOFError) else str(error)


BY_LENGTH = "receives by length"  # what a comment in the first line says of a trace that has them so


def declaration(tasks: int) -> str:
    """Return the number of tasks as words for the comment in the first line."""
    return f"tasks {tasks}"


def declared(head: bytes) -> int | None:
    """Return the number of tasks in the first line of a file; None if it contains none."""
    match = re.match(rb"#[^\n]*\btasks (\d{1,9})\b", head)
    return int(match[1]) if match else None


def is_by_length_said(head: bytes) -> bool:
    """Return whether receives find their sends by length, according to the comment in the first line."""
    return re.match(rb"#(?:[^\n]*;)? " + BY_LENGTH.encode() + rb"; columns: ", head) is not None


def count_tasks(largest: int, declared_tasks: int | None) -> int:
    """Return the number of tasks of a trace that names tasks up to `largest`."""
    tasks = largest + 1 if declared_tasks is None else declared_tasks
    if largest >= tasks:
        raise ValueError(f"task {largest} is too large, expected less than {tasks}, the number of tasks")
    if tasks > MOST_TASKS:
        raise ValueError(f"{tasks} tasks are too many, expected at most {MOST_TASKS}")
    return tasks
