"""Errors of trace files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileError(ValueError):
    """A fault of a file, which the message names."""


class TraceError(ValueError):
    """A fault at a place in a trace file."""

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
