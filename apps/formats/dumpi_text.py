"""The text that ``dumpi2ascii`` makes of a DUMPI file: the same calls, by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from netplace.apps.formats.dumpi_file import Arguments, Status
from netplace.apps.formats.errors import TraceError
from netplace.apps.formats.stream import lines
from netplace.apps.recorded.trace import Reading
from netplace.checks import abbreviate

_ENTERING = re.compile(r"MPI_(\w+) entering at walltime (\d+)\.(\d{9}), cputime (\d+)\.(\d{9}) seconds")
_RETURNING = re.compile(r"MPI_(\w+) returning at walltime (\d+)\.(\d{9}), cputime (\d+)\.(\d{9}) seconds")
_ARGUMENT = re.compile(r"\w+ (\w+)((?:\[-?\d+\])*)=(.*)")
_STATUS = re.compile(r"bytes=(-?\d+), cancelled=(-?\d+), source=(-?\d+), tag=(-?\d+), error=(-?\d+)")
_SIZE = re.compile(r"Datatype (\d+) \(.*\) has size (-?\d+)")
_NUMBER = re.compile(r"-?\d+")

# Name, line, CPU and wall time in nanoseconds (begin, end), arguments by name.
TextCall = tuple[str, int, tuple[int, int], tuple[int, int], Arguments]


def text_calls(path: Path, reading: Reading) -> Iterator[TextCall]:
    begun: tuple[str, int, int, int] | None = None
    arguments: Arguments = {}
    last = 0
    for number, raw in lines(path, reading):
        line, last = raw.decode("utf-8", "replace"), number
        if match := _ENTERING.match(line):
            if begun is not None:
                raise TraceError(number, f"a call begins before MPI_{begun[0]} of line {begun[1]} returns")
            wall, cpu = _times(match)
            begun, arguments = (match[1], number, wall, cpu), {}
        elif match := _RETURNING.match(line):
            if begun is None or begun[0] != match[1]:
                raise TraceError(number, f"MPI_{match[1]} returns but did not begin")
            wall, cpu = _times(match)
            yield begun[0].lower(), begun[1], (begun[3], cpu), (begun[2], wall), arguments
            begun = None
        elif begun is not None:
            _argument(number, line, arguments)
    if begun is not None:
        raise TraceError(last, f"ends before MPI_{begun[0]} of line {begun[1]} returns")


def text_sizes(path: Path) -> list[int]:
    """Return the bytes of the predefined datatypes, which are at the end."""
    sizes = {}
    for _, raw in lines(path, Reading()):
        if raw.startswith(b"Datatype") and (match := _SIZE.match(raw.decode("ascii", "replace"))):
            sizes[int(match[1])] = int(match[2])
    return [sizes.get(number, 0) for number in range(max(sizes, default=-1) + 1)]


def _times(match: re.Match[str]) -> tuple[int, int]:
    return int(match[2] + match[3]), int(match[4] + match[5])


def _argument(number: int, line: str, arguments: Arguments) -> None:
    match = _ARGUMENT.match(line)
    if match is None:
        if not line or line[0] in "[],{":  # a list of lists goes on
            return
        raise TraceError(number, f"{abbreviate(line)} is not an argument, expected: type name=value")
    name, brackets, value = match.groups()
    if line.startswith("MPI_Status"):
        arguments[name] = [
            Status(int(s[1]), int(s[3]), int(s[2]), int(s[5]), int(s[4])) for s in _STATUS.finditer(value)
        ]
    elif brackets or value.startswith("["):
        numbers = [int(word) for word in _NUMBER.findall(value)] if '"' not in value else []
        single = not brackets and len(numbers) == 1
        arguments[name] = numbers[0] if single else numbers
    elif word := _NUMBER.match(value):
        arguments[name] = int(word[0])
    else:
        arguments[name] = value
