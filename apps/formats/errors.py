"""How a trace file's errors speak."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["FileError", "TraceError", "named"]


class FileError(ValueError):
    """What is wrong with a file, which the message names."""


class TraceError(ValueError):
    """What is wrong with a place in a trace file.

    Attributes
    ----------
    line : int
        Number of the line, from 1; of a binary file, that of the byte, from 0.
    reason : str
        What is wrong with it.
    """

    def __init__(self, line: int, reason: str, unit: str = "line") -> None:
        super().__init__(f"{unit} {line}: {reason}")
        self.line = line
        self.reason = reason


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Let the errors about what is in a file begin with its name."""
    try:
        yield
    except TraceError as error:
        raise FileError(f"{path}, {error}") from None
