"""One rank's binary DUMPI file: its records, decoded."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from netplace.apps.formats.dumpi_layout import END_OF_STREAM, FUNCTIONS
from netplace.apps.formats.errors import TraceError
from netplace.checks import check_size
from netplace.checks.inputs import input_file

__all__ = ["MAGIC", "Arguments", "DumpiFile", "Record", "Status"]

# What a call was given and gave, by the names of MPI's parameters: numbers, lists of them, statuses.
Arguments = dict[str, Any]

MAGIC = b"\xff\xaa\xddDUMPI"
_STATUSES, _CPU, _WALL, _THREAD, _COUNTERS = 3, 1 << 2, 1 << 3, 1 << 6, 1 << 7
_SECOND = 1_000_000_000
_WRAP = 1 << 16  # seconds are stored in 16 bits
_NUMBERS = {"i": ">i", "r": ">i", "t": ">h", "c": ">h", "g": ">h", "h": ">h", "b": ">b", "q": ">q"}
_ARRAYS = {"I": "i", "R": "i", "T": "h", "B": "b"}


@dataclass(frozen=True)
class Status:
    """What a completed receive got; of a completed send it holds rubbish."""

    bytes: int
    source: int
    cancelled: int
    error: int
    tag: int


@dataclass(frozen=True)
class Record:
    """A call.

    Attributes
    ----------
    name : str
        MPI's name in lower case, without ``mpi_``.
    place : int
        Byte of the file at which it begins.
    cpu, wall : (int, int)
        Begin and end in nanoseconds, of the process' CPU time and of the machine's clock.
    arguments : list
        As `FUNCTIONS` lays them out: numbers, lists of numbers, text; statuses are a list of `Status`.
    """

    name: str
    place: int
    cpu: tuple[int, int]
    wall: tuple[int, int]
    arguments: list[Any]


class DumpiFile:
    """What is in a file.

    Parameters
    ----------
    path : Path
        The file; it is read as a whole.

    Attributes
    ----------
    version : tuple of int
        Of the library that wrote it.
    sizes : list of int
        Bytes of the predefined datatypes on the machine that was traced; empty if the file does not say.
    counts : dict of str to int
        How often each function was called.
    """

    def __init__(self, path: Path) -> None:
        try:
            check_size(path.stat().st_size, 1, "bytes that must be read as a whole", str(path))
            self._data = input_file(path).read_bytes()
        except OSError as error:
            raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
        if not self._data.startswith(MAGIC):
            raise TraceError(0, "does not begin as a DUMPI file", "byte")
        offsets = self._index()
        self._stream = offsets[2]
        self.version = self._version(offsets[3])
        self.sizes = self._sizes(offsets[6]) if len(offsets) > 6 and offsets[6] else []
        self.counts = self._counts(offsets[1])

    def _index(self) -> list[int]:
        """Return the offsets at the end of the file, the last one first."""
        offsets: list[int] = []
        place = len(self._data) - 8
        while place >= 8 and len(offsets) <= 16:
            word = self._data[place : place + 8]
            if word == MAGIC:
                break
            offsets.append(int.from_bytes(word, "big"))
            place -= 8
        else:
            raise TraceError(len(self._data), "has no index at its end: it is cut off or broken", "byte")
        if len(offsets) < 4 or max(offsets) >= len(self._data):
            raise TraceError(place, "has a broken index at its end", "byte")
        return offsets

    def _version(self, place: int) -> tuple[int, int, int]:
        version = tuple(self._data[place : place + 3])
        if len(version) != 3:
            raise TraceError(place, "has no header here, where its index says", "byte")
        return version[0], version[1], version[2]

    def _sizes(self, place: int) -> list[int]:
        (count,), place = self._unpacked(">I", place)
        if count > 1 << 16:
            raise TraceError(place, f"names {count} sizes of datatypes", "byte")
        return list(self._unpacked(f">{count}i", place)[0])

    def _counts(self, place: int) -> dict[str, int]:
        names = [name for name, _ in FUNCTIONS]
        room = min(len(names), (len(self._data) - place - 8) // 4)
        counts = self._unpacked(f">{room}I", place + 8)[0]
        return {name: count for name, count in zip(names, counts, strict=False) if count}

    def _unpacked(self, layout: str, place: int) -> tuple[tuple[Any, ...], int]:
        try:
            return struct.unpack_from(layout, self._data, place), place + struct.calcsize(layout)
        except struct.error:
            raise TraceError(place, "ends in the middle of a record", "byte") from None

    def records(self) -> Iterator[Record]:
        """Yield the calls in their order."""
        biases, place = self._unpacked(">iI", self._stream)
        before = [bias * _SECOND for bias in biases]
        last = [0, 0]
        while True:
            (label,), after = self._unpacked(">H", place)
            if label == END_OF_STREAM:
                return
            if label >= len(FUNCTIONS):
                raise TraceError(place, f"function {label} is not known", "byte")
            record, end = self._record(label, place, after, before, last)
            yield record
            place = end

    def _record(
        self, label: int, begin: int, place: int, before: list[int], last: list[int]
    ) -> tuple[Record, int]:
        (mask,), place = self._unpacked(">B", place)
        if mask & _THREAD:
            place += 2
        clocks = []
        for number, bit in enumerate((_CPU, _WALL)):
            times = (0, 0)
            if mask & bit:
                fields, place = self._unpacked(">HIHI", place)
                times = self._times(fields, before, last, number)
            clocks.append(times)
        if mask & _COUNTERS:
            (count,), place = self._unpacked(">B", place)
            place += 16 * count
        name, layout = FUNCTIONS[label]
        if layout == "-":
            raise TraceError(begin, f"MPI_{name.capitalize()} cannot be decoded", "byte")
        arguments, place = self._arguments(layout, place, bool(mask & _STATUSES))
        return Record(name, begin, clocks[0], clocks[1], arguments), place

    @staticmethod
    def _times(fields: tuple[int, ...], before: list[int], last: list[int], clock: int) -> tuple[int, int]:
        """Return begin and end; the 16 bits of seconds begin again when they are full."""
        times = []
        for seconds, nanoseconds in (fields[:2], fields[2:]):
            time = before[clock] + seconds * _SECOND + nanoseconds
            if last[clock] - time > _WRAP * _SECOND // 2:
                before[clock] += _WRAP * _SECOND
                time += _WRAP * _SECOND
            last[clock] = max(last[clock], time)
            times.append(time)
        return times[0], times[1]

    def _arguments(self, layout: str, place: int, statuses: bool) -> tuple[list[Any], int]:
        always, _, rest = layout.partition("/")
        arguments: list[Any] = []
        place = self._read(always, arguments, place, statuses)
        if rest:
            # These begin with the rank of the caller, and end with root and communicator.
            at_root, _, after = rest.partition("/")
            if arguments[0] == arguments[-2]:
                place = self._read(at_root, arguments, place, statuses)
            place = self._read(after, arguments, place, statuses)
        return arguments, place

    def _read(self, layout: str, arguments: list[Any], place: int, statuses: bool) -> int:
        for letter in layout:
            value: Any
            if letter in _NUMBERS:
                (value,), place = self._unpacked(_NUMBERS[letter], place)
            elif letter in _ARRAYS or (letter == "J" and self.version >= (0, 6, 9)):
                value, place = self._array(_ARRAYS.get(letter, "i"), place)
            elif letter == "J":
                (value,), place = self._unpacked(">i", place)
            elif letter == "s":
                value, place = self._array("b", place)
            elif letter == "S":
                value, place = self._statuses(place) if statuses else ([], place)
            else:
                value, place = self._list("I" if letter == "D" else "s", place)
            arguments.append(value)
        return place

    def _array(self, code: str, place: int) -> tuple[list[int], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        values, place = self._unpacked(f">{count}{code}", place)
        return list(values), place

    def _list(self, letter: str, place: int) -> tuple[list[Any], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        values: list[Any] = []
        if letter == "s" and self.version < (0, 6, 2):
            place += 4
        for _ in range(count):
            place = self._read(letter, values, place, False)
        return values, place

    def _statuses(self, place: int) -> tuple[list[Status], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        statuses = []
        layout = ">iiBBi" if self.version >= (0, 6, 3) else ">iiBB"
        for _ in range(count):
            fields, place = self._unpacked(layout, place)
            statuses.append(Status(*(*fields, -1)[:5]))
        return statuses, place
