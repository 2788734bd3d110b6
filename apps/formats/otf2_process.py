"""The OTF2 library in a separate process, so that a damaged archive ends only that process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypedDict

import msgspec

from netplace.apps.formats.stream import FileError


@dataclass
class Location:
    """The state of a location while its events are read; times in ticks."""

    rank: int
    events: int = 0
    mpi: list[str] = field(default_factory=list)  # names of the open regions of MPI
    last_end: int | None = None
    off_since: int | None = None
    off: int = 0  # since the last region of MPI
    gap: int = 0  # since the last call
    last: int = 0
    sendrecv: list[int] = field(default_factory=list)  # requests of the sends of an open MPI_Sendrecv
    # Source, tag and communicator by message.
    probed: dict[int, tuple[int, int, int]] = field(default_factory=dict)


def bytes_of(name: str, ranks: int, place: int, sent: int, received: int) -> int:
    """Return the size in a collective call from the bytes that Score-P recorded as sent and received.

    What all give to all is counted once for each rank, or once less where the own part stays in place; a scan
    once for each rank from `place` on.
    """
    if name in ("bcast", "scatter", "scatterv"):
        return received
    if name in ("allgather", "allgatherv", "allreduce", "alltoall", "reduce_scatter_block"):
        maximum = max(sent, received)
        if name == "allgatherv":
            maximum = sent
        if maximum % ranks and ranks > 1 and maximum % (ranks - 1) == 0:
            return maximum // (ranks - 1)
        return maximum // ranks
    if name == "scan":
        return sent // (ranks - place)
    if name == "exscan":
        return sent // (ranks - place - 1) if place < ranks - 1 else received // max(place, 1)
    return sent


_CHILD = Path(__file__).with_name("otf2_library.py")
_MOST = 1 << 30  # bytes of a message
_LAST = 1 << 16  # bytes of what the library says that are looked at


class Definitions(TypedDict):
    """What the events of an archive refer to; each dict by the number of its items."""

    # Ticks of the clock in a second, and the first one.
    resolution: int
    offset: int
    regions: dict[int, tuple[str, str]]  # name and paradigm
    locations: dict[int, tuple[str, int | None, int]]  # kind, group and number of events
    groups: dict[int, tuple[str, str, list[int]]]  # kind, paradigm and members
    # Name, and the group; for those between two groups None and both.
    communicators: dict[int, tuple[str, int | None, int | None, int | None]]


_definitions = msgspec.msgpack.Decoder(Definitions)
_events = msgspec.msgpack.Decoder(list[tuple[int | str | None, ...]])


class Library:
    """Messages from the process of the library, which ends when this object is deleted.

    It imports nothing from the working folder or from beside the archive (``-P``), and works elsewhere. Its
    stderr goes to a file, so that it never waits for a reader.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD), os.path.abspath(path)],
            cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        self.close = weakref.finalize(self, _end, self._process, self._said)

    def definitions(self) -> Definitions:
        """Return the first message, the definitions."""
        made: Definitions = self._next(_definitions)
        return made

    def __iter__(self) -> Iterator[list[tuple[Any, ...]]]:
        while events := self._next(_events):
            yield events

    def _next(self, decoder: msgspec.msgpack.Decoder[Any]) -> Any:
        pipe = self._process.stdout
        assert pipe is not None
        length = int.from_bytes(head, "little") if len(head := pipe.read(8)) == 8 else _MOST + 1
        content = pipe.read(length) if length <= _MOST else b""
        try:
            if len(content) == length:
                return decoder.decode(content)
        except msgspec.MsgspecError:
            pass
        raise FileError(f"{self._path}: is a damaged OTF2 archive{self._reason()}")

    def _reason(self) -> str:
        self._process.kill()
        self._process.wait()
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - _LAST))
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        self.close()
        errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
        return f": the library reports {errors[-1][:200]!r}" if errors else ": the library failed"


def _end(process: subprocess.Popen[bytes], stderr: IO[bytes]) -> None:
    process.kill()
    process.communicate()
    stderr.close()
