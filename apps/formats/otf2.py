"""The Open Trace Format 2 of Score-P and others, read with its library (``pip install netplace[otf2]``).

Computation is the time from the end of an outermost MPI region to the begin of the next one, from the first
region on, without unmeasured time. The sizes that Score-P records for a collective are not the arguments of
the call; `bytes_of` converts them back. The source of a receive is that of the received message, because
wildcards are not recorded. A non-blocking collective is placed where it was completed; older versions of
Score-P do not record it, and it is omitted.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.apps.formats.otf2_process import Definitions, Library, Location, bytes_of
from netplace.apps.formats.stream import FileError
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace, ignorable
from netplace.files import input_file

_SUFFIX = ".otf2"
_UNEVEN = ("alltoallv", "alltoallw")
_MESSAGES = {"MpiIsend": Call.ISEND, "MpiRecv": Call.RECV, "MpiIrecv": Call.WAIT}  # kinds of events
_COMPLETED = ("MpiIsendComplete", "MpiImrecv")


def recognises(path: Path, head: bytes) -> bool:
    """Return whether a file is an anchor file, or a folder holds one."""
    return head.startswith(b"OTF2") or path.name.lower().endswith(_SUFFIX) or bool(not head and _anchor(path))


def _anchor(path: Path) -> Path | None:
    return next(iter(sorted(path.glob("*" + _SUFFIX))), None) if path.is_dir() else None


def files(path: Path) -> list[Path]:
    anchor = _anchor(path) or path
    parts = anchor.parent / anchor.stem
    return [anchor, *sorted([anchor.with_suffix(".def"), *parts.glob("*")] if parts.is_dir() else [])]


def open_trace(path: Path, reading: Reading) -> Trace:
    if importlib.util.find_spec("otf2") is None:
        raise ValueError(
            f"{path}: OTF2 needs the library otf2, which is not installed; pip install 'netplace[otf2]'"
        )
    anchor = _anchor(path) or path
    for file in files(path):
        input_file(file)
    library = Library(anchor)
    return _Reader(anchor, library.definitions(), reading).open(library)


class _Reader:
    """Turns events into calls."""

    def __init__(self, path: Path, definitions: Definitions, reading: Reading) -> None:
        self._path, self._definitions, self._reading = path, definitions, reading
        self._resolution = definitions["resolution"]
        if not self._resolution:
            raise ValueError(f"{path}: is a damaged OTF2 archive: its clock has a resolution of 0")
        world = [
            members
            for kind, paradigm, members in definitions["groups"].values()
            if (kind, paradigm) == ("COMM_LOCATIONS", "MPI")
        ]
        if not world:
            raise ValueError(f"{path}: contains no MPI, expected a group of the locations of MPI ranks")
        self._rank_of = {location: rank for rank, location in enumerate(world[-1])}
        processes = {
            definitions["locations"][location][1]: rank
            for location, rank in self._rank_of.items()
            if location in definitions["locations"]
        }
        self._locations = {
            location: Location(self._rank_of.get(location, processes.get(group, -1)))
            for location, (_, group, _) in definitions["locations"].items()
        }
        named = {name: number for number, (name, *_) in definitions["communicators"].items()}
        self._world = named.get("MPI_COMM_WORLD")
        self._regions: dict[int, tuple[str, str]] = definitions["regions"]
        self._writer = CallWriter()
        self._uneven = False  # whether some collective has only the total of its sizes
        self._internal = -2  # numbers of requests that the trace does not name
        self._sides: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}

    def open(self, library: Library) -> Trace:
        self._trace = Trace(len(self._rank_of), self._batches(library))
        return self._trace

    def _batches(self, library: Library) -> Iterator[Batch]:
        try:
            for events in library:
                for event in events:
                    self._read(event)
                yield from self._writer.full()
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(
                f"{self._path}: is a damaged OTF2 archive: {error} is not defined in it"
            ) from None
        finally:
            library.close()
        self._check_whole()
        for location in self._locations.values():
            if location.gap:
                self._add(location, location.last, Call.COMPUTE)
        yield from self._writer.rest()
        self._tell()

    def _check_whole(self) -> None:
        """Refuse an archive of which the library could not read all events, because it reports no error."""
        for number, (_, _, count) in self._definitions["locations"].items():
            location = self._locations[number]
            if location.events < count:
                raise FileError(
                    f"{self._path}: is a damaged OTF2 archive: only {location.events} of {count} events of "
                    f"location {number} (rank {location.rank}) can be read"
                )

    def _read(self, event: tuple[Any, ...]) -> None:
        number, kind, time, *fields = event
        location = self._locations[number]
        location.events += 1
        location.last = max(location.last, time)
        if location.rank < 0:
            return
        if kind in _MESSAGES:
            self._message(location, time, _MESSAGES[kind], *fields)
        elif kind in _COMPLETED:
            self._add(location, time, Call.WAIT, request=fields[0])
        elif handler := getattr(self, f"_{kind}", None):
            handler(location, time, *fields)

    def _add(self, location: Location, time: int, kind: int, peer: int = -1, *rest: Any, **more: Any) -> None:
        gap, location.gap = location.gap, 0
        seconds = (time - self._definitions["offset"]) / self._resolution
        self._writer.add(location.rank, kind, peer, *rest, gap=gap / self._resolution, time=seconds, **more)

    # Regions and time.

    def _Enter(self, location: Location, time: int, region: int) -> None:  # noqa: N802
        name, paradigm = self._regions[region]
        if paradigm != "MPI":
            return
        if not location.mpi:
            if location.off_since is not None:
                location.off += time - location.off_since
                location.off_since = time
            if location.last_end is not None:
                location.gap += max(time - location.last_end - location.off, 0)
            location.off = 0
        location.mpi.append(name)
        operation = name.removeprefix("MPI_").lower()
        if ignorable(operation) or (operation.startswith("i") and operation[1:] in OPERATIONS):
            self._trace.left_out[operation] += 1

    def _Leave(self, location: Location, time: int, region: int) -> None:  # noqa: N802
        if self._regions[region][1] != "MPI" or not location.mpi:
            return
        location.mpi.pop()
        if not location.mpi:
            for request in location.sendrecv:
                self._add(location, time, Call.WAIT, request=request)
            location.sendrecv.clear()
            location.last_end = time
            location.off = 0
            if location.off_since is not None:
                location.off_since = time

    def _MeasurementOnOff(self, location: Location, time: int, mode: str) -> None:  # noqa: N802
        if mode == "OFF":
            location.off_since = time
        elif location.off_since is not None:
            location.off += time - location.off_since
            location.off_since = None

    # Messages.

    def _partner(self, location: Location, communicator: int, rank: int) -> tuple[int, int]:
        number, members = self._communicator(location, communicator)
        return members[rank], number

    def _communicator(self, location: Location, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the number of a communicator in the trace, and the world ranks that a partner may be."""
        known = self._sides.get((number, location.rank))
        if known is None:
            _, group, *sides = self._definitions["communicators"][number]
            if group is None:
                own, other = (self._members(location, side) for side in sides)
                partners = other if location.rank in own else own
                place = self._trace.communicator((*own, *other), number)
            else:
                partners = self._members(location, group)
                # Several communicators may have the same members, and a number several SELF-like ones.
                place = 0 if number == self._world else self._trace.communicator(partners, number)
            known = self._sides[number, location.rank] = (place, partners)
        return known

    def _members(self, location: Location, group: int | None) -> tuple[int, ...]:
        if group is None:
            raise KeyError("a group")
        kind, _, members = self._definitions["groups"][group]
        if kind == "COMM_SELF":
            return (location.rank,)
        return tuple(self._rank_of[member] for member in members)

    def _message(
        self, location: Location, time: int, kind: int, rank: int, communicator: int, *rest: int
    ) -> None:
        """Add a message to or from a rank of a communicator; the rest are tag, size and perhaps request."""
        peer, number = self._partner(location, communicator, rank)
        tag, size, request = (*rest, -1)[:3]
        self._add(location, time, kind, peer, size, tag, communicator=number, request=request)

    def _MpiSend(self, location: Location, time: int, *fields: int) -> None:  # noqa: N802
        if location.mpi and "endrecv" in location.mpi[-1]:
            self._internal -= 1
            location.sendrecv.append(self._internal)
            self._message(location, time, Call.ISEND, *fields, self._internal)
        else:
            self._message(location, time, Call.SEND, *fields)

    def _MpiIrecvRequest(self, location: Location, time: int, request: int) -> None:  # noqa: N802
        self._add(location, time, Call.IRECV, -2, request=request)

    def _MpiProbe(  # noqa: N802
        self, location: Location, time: int, sender: int, communicator: int, tag: int, message: int
    ) -> None:
        peer, number = self._partner(location, communicator, sender)
        location.probed[message] = (peer, tag, number)

    def _MpiMrecv(self, location: Location, time: int, message: int, size: int) -> None:  # noqa: N802
        peer, tag, number = location.probed.pop(message)
        self._add(location, time, Call.RECV, peer, size, tag, communicator=number)

    def _MpiImrecvRequest(self, location: Location, time: int, message: int, request: int) -> None:  # noqa: N802
        peer, tag, number = location.probed.pop(message)
        self._add(location, time, Call.IRECV, peer, 0, tag, communicator=number, request=request)

    # Collectives.

    def _MpiCollectiveEnd(  # noqa: N802
        self,
        location: Location,
        time: int,
        operation: str,
        communicator: int,
        root: int,
        sent: int,
        received: int,
    ) -> None:
        number, members = self._communicator(location, communicator)
        name = operation.lower()
        self._uneven |= name in _UNEVEN
        if name not in OPERATIONS:
            return
        size = bytes_of(name, len(members), members.index(location.rank), sent, received)
        at = members[root] if root < len(members) else -1
        tag = OPERATIONS.index(name)
        self._add(location, time, Call.COLLECTIVE, at, size, tag, communicator=number)

    def _NonBlockingCollectiveRequest(self, location: Location, time: int, request: int) -> None:  # noqa: N802
        name = location.mpi[-1].removeprefix("MPI_").lower() if location.mpi else ""
        if self._trace.left_out.get(name):
            self._trace.left_out[name] -= 1
            self._trace.left_out += Counter()

    def _NonBlockingCollectiveComplete(self, location: Location, time: int, *fields: Any) -> None:  # noqa: N802
        self._MpiCollectiveEnd(location, time, *fields[:5])

    def _tell(self) -> None:
        if any(name.startswith("i") for name in self._trace.left_out if not ignorable(name)):
            self._trace.notes.append(
                "non-blocking collectives are omitted, because the trace does not record their sizes and "
                "communicators"
            )
        if self._uneven:
            self._trace.notes.append(
                "the trace records only the total bytes that a rank sends in an alltoallv or alltoallw, so "
                "netplace assumes equal parts"
            )
