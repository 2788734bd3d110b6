"""One rank's binary DUMPI file: decoded records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from netplace.apps.formats.stream import TraceError
from netplace.files import input_file
from netplace.inputs import check_size

_TABLE = (resources.files("netplace.apps.formats") / "dumpi_functions.txt").read_text(encoding="utf-8")
_FUNCTIONS = [line.split() for line in _TABLE.splitlines() if not line.startswith("#")]
# Name and layout of each MPI function in the order of its number, and the names of the parameters of some.
FUNCTIONS = tuple((name, layout) for name, _, layout in (words[0].partition(":") for words in _FUNCTIONS))
NAMES = {words[0].partition(":")[0]: tuple(words[1:]) for words in _FUNCTIONS if len(words) > 1}
END_OF_STREAM = len(FUNCTIONS) + 3  # after two labels for functions of the program
# Arguments and results of a call by the names of MPI's parameters: numbers, lists of them, statuses.
Arguments = dict[str, Any]
# Name, line, time in nanoseconds (begin, end) by the machine's clock, arguments by name.
TextCall = tuple[str, int, tuple[int, int], Arguments]
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


class Record(NamedTuple):
    """A call."""

    name: str  # MPI's name in lower case, without ``mpi_``
    place: int  # byte of the file at which it begins
    wall: tuple[int, int]  # begin and end in nanoseconds by the machine's clock
    # As `FUNCTIONS` lays them out: numbers, lists of numbers, text; statuses are a list of `Status`.
    arguments: list[Any]


class DumpiFile:
    def __init__(self, path: Path) -> None:
        try:
            check_size(path.stat().st_size, 1, "bytes that must be read as a whole", str(path))
            self._data = input_file(path).read_bytes()
        except OSError as error:
            raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
        if not self._data.startswith(MAGIC):
            raise TraceError(0, "is not a DUMPI file", "byte")
        offsets = self._index()
        self._stream = offsets[2]
        self.version = self._version(offsets[3])  # version of the library that wrote it
        # Bytes of the predefined datatypes on the traced machine; empty if the file has none.
        self.sizes = self._sizes(offsets[6]) if len(offsets) > 6 and offsets[6] else []
        self.counts = self._counts(offsets[1])  # number of calls of each function

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
            raise TraceError(len(self._data), "has no index at its end: it is incomplete or damaged", "byte")
        if len(offsets) < 4 or max(offsets) >= len(self._data):
            raise TraceError(place, "has a damaged index at its end", "byte")
        return offsets

    def _version(self, place: int) -> tuple[int, int, int]:
        version = tuple(self._data[place : place + 3])
        if len(version) != 3:
            raise TraceError(place, "has no header at the place in its index", "byte")
        return version[0], version[1], version[2]

    def _sizes(self, place: int) -> list[int]:
        (count,), place = self._unpacked(">I", place)
        if count > 1 << 16:
            raise TraceError(place, f"has {count} sizes of datatypes", "byte")
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
        (bias,), place = self._unpacked(">4xI", self._stream)
        self._before: int = bias * _SECOND
        self._last = 0
        while True:
            (label,), after = self._unpacked(">H", place)
            if label == END_OF_STREAM:
                return
            if label >= len(FUNCTIONS):
                raise TraceError(place, f"unknown function {label}", "byte")
            record, place = self._record(label, place, after)
            yield record

    def _record(self, label: int, begin: int, place: int) -> tuple[Record, int]:
        (mask,), place = self._unpacked(">B", place)
        if mask & _THREAD:
            place += 2
        place += 12 * bool(mask & _CPU)
        wall = (0, 0)
        if mask & _WALL:
            fields, place = self._unpacked(">HIHI", place)
            wall = self._time(*fields[:2]), self._time(*fields[2:])
        if mask & _COUNTERS:
            (count,), place = self._unpacked(">B", place)
            place += 16 * count
        name, layout = FUNCTIONS[label]
        if layout == "-":
            raise TraceError(begin, f"MPI_{name.capitalize()} cannot be decoded", "byte")
        arguments, place = self._arguments(layout, place, bool(mask & _STATUSES))
        return Record(name, begin, wall, arguments), place

    def _time(self, seconds: int, nanoseconds: int) -> int:
        """Return a time; the 16 bits of seconds begin again when they are full."""
        time = self._before + seconds * _SECOND + nanoseconds
        if self._last - time > _WRAP * _SECOND // 2:
            self._before += _WRAP * _SECOND
            time += _WRAP * _SECOND
        self._last = max(self._last, time)
        return time

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
