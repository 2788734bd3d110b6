"""A line of a time-independent trace of SimGrid and the numbers in it."""

from __future__ import annotations

from dataclasses import dataclass

from netplace.apps.formats.errors import TraceError
from netplace.apps.operation import MOST_TASKS
from netplace.checks import abbreviate

__all__ = ["MOST", "Line", "whole_of"]

MOST = 1 << 62


@dataclass(frozen=True)
class Line:
    """A line: its number, whose it is, and its arguments."""

    number: int
    rank: int
    name: str
    words: list[str]

    def has(self, least: int) -> None:
        """Raise TraceError if there are fewer arguments."""
        if len(self.words) < least:
            raise TraceError(
                self.number, f"{self.name} has {len(self.words)} arguments, expected at least {least}"
            )

    def integer(self, place: int, what: str = "count", default: int | None = None) -> int:
        """Return the number at `place` of the arguments."""
        if place >= len(self.words) and default is not None:
            return default
        self.has(place + 1)
        return whole_of(
            self.number, self.words[place], what, MOST_TASKS if what in ("rank", "root") else MOST
        )

    def fits(self, size: int) -> int:
        """Return a number of bytes; raise TraceError if it is too large."""
        if size >= MOST:
            raise TraceError(self.number, f"{size} bytes are too many, expected less than 2**62")
        return size


def whole_of(number: int, word: str, what: str, most: int) -> int:
    """Return the whole number that a word says, perhaps as in ``5e4``."""
    try:
        value = int(word) if word.isdecimal() and len(word) < 20 else _integer(float(word))
    except (ValueError, OverflowError):
        value = -1
    if not 0 <= value < most:
        raise TraceError(
            number, f"{what} {abbreviate(word)} is not a whole number of at least 0 and less than {most}"
        )
    return value


def _integer(value: float) -> int:
    return int(value) if value == int(value) or value >= 0 else -1
