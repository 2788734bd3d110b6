"""Words of a configuration of processor sets, each with the line where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from netplace.checks.display import abbreviate

__all__ = ["Tokens"]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|\d+(?:\.\d+)?|\.\.|<=|>=|==|[][{}()=@/:;,+*<>-]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DIGITS = 30  # of a number, at most; more than any bound has


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


class Tokens:
    """A file, word by word.

    Parameters
    ----------
    path : Path
        Where it came from, for messages.
    text : str
        What is in it.
    """

    def __init__(self, path: Path, text: str):
        self._path = path
        self._tokens: list[_Token] = []
        self._at = 0
        for number, line in enumerate(text.splitlines(), 1):
            rest = line.partition("#")[0]
            place = 0
            while place < len(rest):
                if rest[place].isspace():
                    place += 1
                    continue
                match = _WORD.match(rest, place)
                if match is None:
                    raise ValueError(f"{path}:{number}: {abbreviate(rest[place])} is part of no word")
                self._tokens.append(_Token(match[0], number))
                place = match.end()

    @property
    def next(self) -> str:
        """The next word; empty at the end."""
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    @property
    def line(self) -> int:
        """The line of the next word, or of the last one."""
        if not self._tokens:
            return 1
        return self._tokens[min(self._at, len(self._tokens) - 1)].line

    def error(self, expected: str, line: int | None = None) -> ValueError:
        """Return the error that something else was expected here."""
        seen = abbreviate(self.next) if self.next else "the end of the file"
        return ValueError(f"{self._path}:{line or self.line}: {seen} was found, expected {expected}")

    def wrong(self, what: str, line: int | None = None) -> ValueError:
        """Return an error of this file."""
        return ValueError(f"{self._path}:{line or self.line}: {what}")

    def accept(self, *words: str) -> bool:
        """Take the next words if they are these, and return whether they were."""
        texts = tuple(token.text for token in self._tokens[self._at : self._at + len(words)])
        if texts == words:
            self._at += len(words)
        return texts == words

    def expect(self, *words: str, instead: str = "") -> None:
        """Take the next words, which must be these; `instead` of the first, another could be there."""
        for place, word in enumerate(words):
            if not self.accept(word):
                other = f"{instead} or " if instead and not place else ""
                raise self.error(f"{other}'{word}'")

    def name(self, what: str) -> str:
        """Take and return a name."""
        if not _NAME.fullmatch(self.next):
            raise self.error(what)
        return self._take()

    def number(self, what: str, least: int = 0) -> int:
        """Take and return a whole number of at least `least`."""
        self._check_length()
        if not self.next.isdecimal() or int(self.next) < least:
            raise self.error(f"{what}, a whole number of at least {least}")
        return int(self._take())

    def decimal(self) -> str:
        """Take and return a number as it is written; empty if the next word is none."""
        self._check_length()
        return self._take() if self.next[:1].isdecimal() else ""

    def _check_length(self) -> None:
        word = self.next
        if word[:1].isdecimal() and len(word) > _DIGITS:
            raise self.wrong(f"{word[:8]}.. has {len(word)} digits, expected at most {_DIGITS}")

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1].text
