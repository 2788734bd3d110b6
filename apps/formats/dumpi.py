"""DUMPI, the traces of SST: a binary file per rank, and the text that ``dumpi2ascii`` makes of it.

Nothing synchronizes the clocks of the ranks, so computation is what passes on a rank's wall clock between the
end of a call and the begin of the next one. A message is as long as its sender says. A receive from any
source has the source that the status of its completion names; statuses of sends hold rubbish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.apps.formats.dumpi_communicators import CREATING, GROUPS, Step, communicators_of
from netplace.apps.formats.dumpi_file import MAGIC, NAMES, Arguments, DumpiFile, Status, TextCall
from netplace.apps.formats.dumpi_rank import RankCalls
from netplace.apps.formats.stream import TraceError, lines, named
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import Batch, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.files import input_file
from netplace.inputs import abbreviate

_ENTERING = re.compile(r"MPI_(\w+) entering at walltime (\d+)\.(\d{9}), cputime \d+\.\d{9} seconds")
_RETURNING = re.compile(r"MPI_(\w+) returning at walltime (\d+)\.(\d{9}), cputime \d+\.\d{9} seconds")
_ARGUMENT = re.compile(r"\w+ (\w+)((?:\[-?\d+\])*)=(.*)")
_STATUS = re.compile(r"bytes=(-?\d+), cancelled=(-?\d+), source=(-?\d+), tag=(-?\d+), error=(-?\d+)")
_SIZE = re.compile(r"Datatype (\d+) \(.*\) has size (-?\d+)")
_NUMBER = re.compile(r"-?\d+")


def text_calls(path: Path, reading: Reading) -> Iterator[TextCall]:
    begun: tuple[str, int, int] | None = None
    arguments: Arguments = {}
    last = 0
    for number, raw in lines(path, reading):
        line, last = raw.decode("utf-8", "replace"), number
        if match := _ENTERING.match(line):
            if begun is not None:
                raise TraceError(number, f"a call begins before MPI_{begun[0]} of line {begun[1]} returns")
            begun, arguments = (match[1], number, int(match[2] + match[3])), {}
        elif match := _RETURNING.match(line):
            if begun is None or begun[0] != match[1]:
                raise TraceError(number, f"MPI_{match[1]} returns but did not begin")
            yield begun[0].lower(), begun[1], (begun[2], int(match[2] + match[3])), arguments
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


_MEMBER = re.compile(r"(.*)-(\d+)\.(bin|txt)")
_TEXT = re.compile(rb"version=\d+\.\d+\.\d+\nstarttime=")


def recognises(path: Path, head: bytes) -> bool:
    """Return whether a file is a rank's, or the ``.meta`` of a run; or a folder holds one run."""
    if not head:
        return path.is_dir() and any(path.glob("*.meta"))
    if path.suffix == ".meta":
        return b"numprocs=" in head
    return head.startswith(MAGIC) or _TEXT.match(head) is not None


def files(path: Path) -> list[Path]:
    """Return the files of the ranks, in order, of a run named by its ``.meta``, its folder or any of them."""
    if path.is_dir():
        metas = sorted(path.glob("*.meta"))
        if len(metas) != 1:
            names = ", ".join(meta.name for meta in metas[:5])
            raise ValueError(f"{path}: contains {len(metas)} runs, expected one of their files: {names}")
        path = metas[0]
    if path.suffix != ".meta":
        match = _MEMBER.fullmatch(path.name)
        if match is None:
            return [path]
        members = _members(path.parent, match[1], match[3])
        if match[3] == "bin":
            return _all_ranks(path, members, None)
        return [members[rank] for rank in sorted(members)]
    facts = _meta_values(path)
    for prefix in (facts.get("fileprefix", path.stem), path.stem):
        members = _members(path.parent, Path(prefix).name, "bin")
        if members:
            count = facts.get("numprocs", "")
            return _all_ranks(path, members, int(count) if count.isdecimal() and len(count) < 9 else None)
    raise ValueError(f"{path}: the files of the ranks are missing, expected {path.stem}-0000.bin ..")


def _meta_values(meta: Path) -> dict[str, str]:
    try:
        text = input_file(meta).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"{meta}: cannot be read, {error.strerror}") from None
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _members(folder: Path, prefix: str, suffix: str) -> dict[int, Path]:
    members = {}
    for file in folder.glob(f"*.{suffix}"):
        match = _MEMBER.fullmatch(file.name)
        if match and match[1] == prefix:
            members[int(match[2])] = file
    return members


def _all_ranks(path: Path, members: dict[int, Path], count: int | None) -> list[Path]:
    count = max(members) + 1 if count is None else count
    if count > MOST_TASKS:
        raise ValueError(f"{path}: {count} ranks are too many, expected at most {MOST_TASKS}")
    for rank in range(count):
        if rank not in members:
            raise ValueError(f"{path}: the file of rank {rank} of {count} is missing")
    return [members[rank] for rank in range(count)]


def open_trace(path: Path, reading: Reading) -> Trace:
    parts = files(path)
    trace = Trace(len(parts), iter(()))
    trace.batches = _Reader(parts, reading, trace).batches()
    return trace


class _Reader:
    """Reads the files of the ranks one after the other."""

    def __init__(self, parts: list[Path], reading: Reading, trace: Trace) -> None:
        self._parts, self._reading, self._trace = parts, reading, trace
        self._writer = CallWriter()

    def batches(self) -> Iterator[Batch]:
        made = self._communicators()
        for rank, part in enumerate(self._parts):
            with named(part):
                calls, sizes = self._calls(part)
                state = RankCalls(rank, self._trace, self._writer, sizes, iter(made[rank]))
                for call in calls:
                    state.read(call)
                    yield from self._writer.full()
                state.end()
        yield from self._writer.rest()

    def _calls(self, part: Path) -> tuple[Iterator[TextCall], list[int]]:
        """Return the calls of a rank and the bytes of its predefined datatypes."""
        if part.suffix == ".txt":
            self._said_by_text(part)
            return text_calls(part, self._reading), text_sizes(part)
        file = DumpiFile(part)
        self._reading.advance(part.stat().st_size)
        calls = (
            (name, place, wall, dict(zip(NAMES.get(name, ()), arguments, strict=False)))
            for name, place, wall, arguments in file.records()
        )
        return calls, file.sizes

    def _said_by_text(self, part: Path) -> None:
        """Find out how many ranks there are where only some have a file."""
        for name, _, _, given in text_calls(part, Reading()):
            if name == "comm_size" and given.get("comm") == 2:
                if isinstance(given.get("size"), int) and given["size"] > self._trace.ranks:
                    self._trace.has_ranks(given["size"])
                return

    def _communicators(self) -> list[list[Any]]:
        """Return the communicators that each rank's calls create, which all files together define."""
        steps: list[list[Step]] = []
        for part in self._parts:
            own: list[Step] = []
            with named(part):
                if part.suffix == ".txt" or not DumpiFile(part).counts.keys().isdisjoint(CREATING):
                    own = [
                        (name, given)
                        for name, _, _, given in self._calls(part)[0]
                        if name in CREATING + GROUPS
                    ]
            steps.append(own)
        self._reading.advance(-sum(part.stat().st_size for part in self._parts if part.suffix != ".txt"))
        steps += [[]] * (self._trace.ranks - len(steps))
        if not any(steps):
            return steps
        try:
            return communicators_of(self._trace, steps)
        except (KeyError, TypeError, IndexError):
            raise ValueError(
                f"{self._parts[0].parent}: a call that creates a communicator is damaged"
            ) from None
