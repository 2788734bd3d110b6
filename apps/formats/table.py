"""Text in columns, read as a whole: no step takes Python time per line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import TraceError
from netplace.inputs import abbreviate

_NEWLINE, _HASH, _MINUS, _ZERO = 10, 35, 45, 48
_WORD = 8  # bytes by which words are distinguished
_DIGITS = 19  # of the largest number
_BITS = 62  # of a number


class Table:
    """Lines of words separated by blanks, without empty lines and lines that begin with ``#``."""

    def __init__(self, text: bytes, before: int = 0) -> None:
        # A blank at each end closes the first and last word; more let `_bytes` look beyond the last one.
        self._text = np.frombuffer(b" " + text + b" " * (_DIGITS + _WORD), np.uint8)
        inside = self._text > 32
        self._lines_before = before
        self._check_characters(inside)
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        start, end = edges[::2], edges[1::2]
        newlines = np.flatnonzero(self._text == _NEWLINE)
        at = np.concatenate([[0], np.searchsorted(start, newlines), [len(start)]])
        words = np.diff(at)
        rows = np.flatnonzero(words)
        rows = rows[self._text[start[at[rows]]] != _HASH]
        self.line = rows + 1 + before  # shape (rows,): number of each row's line in the text, from 1
        self.columns = words[rows]  # shape (rows,): words in each row
        self._first = at[rows]
        self._start, self._length = start, end - start

    def __len__(self) -> int:
        return len(self.line)

    def texts(self, rows: NDArray[np.int64], column: int) -> list[str]:
        word = self._first[rows] + column
        starts, ends = self._start[word], self._start[word] + self._length[word]
        return [
            self._text[a:b].tobytes().decode("ascii")
            for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def words(self, rows: NDArray[np.int64], column: int) -> NDArray[np.uint64]:
        """Return a column's words in `rows`, as numbers to be compared with those of `packed`."""
        start, length = self._place(rows, column)
        word = np.zeros(len(rows), np.uint64)
        for k in range(_WORD):
            byte = np.where(k < length, self._text[start + k], 0)
            word |= byte.astype(np.uint64) << np.uint64(8 * k)
        # A longer word is none that anybody asks for.
        return np.where(length > _WORD, np.uint64(0), word)

    def integers(
        self, rows: NDArray[np.int64], column: int, label: str, minimum: int = 0, bits: int = _BITS
    ) -> NDArray[np.int64]:
        start, length = self._place(rows, column)
        negative = self._text[start] == _MINUS
        start, length = start + negative, length - negative
        value = np.zeros(len(rows), np.int64)
        wrong = (length == 0) | (length > _DIGITS)
        for k in range(min(int(length.max(initial=0)), _DIGITS)):
            digit = self._text[start + k].astype(np.int64) - _ZERO
            here = k < length
            wrong |= here & ((digit < 0) | (digit > 9))
            value = np.where(here, value * 10 + digit, value)
        # Nineteen digits beyond the range of int64 wrap to a negative value.
        large = ~wrong & ((value < 0) | (value >= 1 << bits))
        if large.any():
            raise self._error(rows, column, large, f"{label} must be less than 2**{bits}")
        value = np.where(negative, -value, value)
        wrong |= value < minimum
        if wrong.any():
            raise self._error(rows, column, wrong, f"{label} must be a whole number of at least {minimum}")
        return value

    def reals(self, rows: NDArray[np.int64], column: int, label: str) -> NDArray[np.float64]:
        """Return a column of `rows` as decimal numbers of at least 0."""
        start, length = self._place(rows, column)
        # Only digits around at most one point: what float() would take besides is a mistake here.
        point = np.full(len(rows), -1, np.int64)
        digits = np.zeros(len(rows), np.int64)
        wrong = (length == 0) | (length >= _DIGITS)
        for k in range(min(int(length.max(initial=0)), _DIGITS - 1)):
            byte = self._text[start + k].astype(np.int64)
            here = k < length
            is_point = here & (byte == ord("."))
            wrong |= is_point & (point >= 0)
            point = np.where(is_point, k, point)
            number = here & ~is_point
            wrong |= number & ((byte < _ZERO) | (byte > _ZERO + 9))
            digits = np.where(number, digits * 10 + byte - _ZERO, digits)
        wrong |= (point >= 0) & (length == 1)
        if wrong.any():
            raise self._error(rows, column, wrong, f"{label} must be a decimal number of at least 0")
        return digits / 10.0 ** np.where(point >= 0, length - 1 - point, 0)

    def fault(self, row: int, reason: str) -> TraceError:
        return TraceError(int(self.line[row]), reason)

    def _place(self, rows: NDArray[np.int64], column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        word = self._first[rows] + column
        return self._start[word], self._length[word]

    def _error(
        self, rows: NDArray[np.int64], column: int, wrong: NDArray[np.bool_], reason: str
    ) -> TraceError:
        row = rows[int(wrong.argmax())]
        return self.fault(row, f"{reason}, not {abbreviate(self.texts(np.array([row]), column)[0])}")

    def _check_characters(self, inside: NDArray[np.bool_]) -> None:
        blank = (self._text == 32) | (self._text == 9) | (self._text == 13) | (self._text == _NEWLINE)
        strange = (inside & (self._text > 126)) | ~(inside | blank)
        if strange.any():
            where = int(strange.argmax())
            line = int((self._text[:where] == _NEWLINE).sum()) + 1 + self._lines_before
            raise TraceError(line, f"byte 0x{self._text[where]:02x} is not text")


def packed(word: str) -> np.uint64:
    """Return the number that `Table.words` returns for `word`, of at most 8 characters."""
    return np.uint64(int.from_bytes(word.encode("ascii"), "little"))
