"""The output of ``netplace record``: a folder with the calls of each rank, as seen by its interposer.

The layout is that of ``struct entry`` in ``apps/recording/interposer/recorder.h``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded import CALL, Batch, Call, Reading, Trace
from netplace.apps.recorded.calls import BATCH, OPERATIONS
from netplace.files import input_file
from netplace.inputs import MOST

ENTRY = np.dtype(
    [
        ("kind", np.uint8),
        ("wild", np.uint8),
        ("operation", np.uint16),
        ("peer", np.int32),
        ("communicator", np.int32),
        ("tag", np.int32),
        ("size", np.int64),
        ("request", np.int64),
        ("begin", np.int64),
        ("end", np.int64),
        ("list", np.int64),
        ("numbers", np.int64),
    ]
)
# Kinds 1 to 6 are those of `Call`.
_NOTHING, _COMMUNICATOR, _LEFT_OUT, _CANCELLED, _FINALIZED, _ABORTED, _BEGUN, _EXCHANGE = 0, *range(7, 14)
_MAGIC = int.from_bytes(b"netplace", "little")
_WORLD = 1  # the key of the communicator of all ranks


def recognises(path: Path, head: bytes) -> bool:
    return path.is_dir() and any(path.glob("rank-*.calls"))


def files(path: Path) -> list[Path]:
    return sorted([*path.glob("rank-*.calls"), *path.glob("rank-*.lists")])


def open_trace(path: Path, reading: Reading) -> Trace:
    ranks: dict[int, Path] = {}
    count = 0
    for file in sorted(path.glob("rank-*.calls")):
        rank, size = _begun(file)
        if ranks and size != count:
            raise ValueError(
                f"{file}: belongs to a run of {size} ranks, but the other files to a run of {count}"
            )
        ranks[rank], count = file, size
    if len(ranks) < count:
        missing = next(rank for rank in range(count) if rank not in ranks)
        raise ValueError(
            f"{path}: has no calls of rank {missing} ({count - len(ranks)} of {count} ranks are missing)"
        )
    trace = Trace(count, iter(()))
    trace.batches = _batches(trace, ranks, reading)
    return trace


def _begun(file: Path) -> tuple[int, int]:
    """Return rank and number of ranks from the first entry of a file."""
    first = np.fromfile(input_file(file), ENTRY, 1)
    if len(first) != 1 or first["kind"][0] != _BEGUN or first["list"][0] != _MAGIC:
        raise ValueError(f"{file}: is not a recording of netplace record")
    rank, size = int(first["peer"][0]), int(first["size"][0])
    if not 0 <= rank < size:
        raise ValueError(f"{file}: belongs to rank {rank} of {size}")
    return rank, size


def _batches(trace: Trace, ranks: dict[int, Path], reading: Reading) -> Iterator[Batch]:
    unfinished = []
    for rank in sorted(ranks):
        part = _Rank(trace, rank, ranks[rank])
        place = 1
        while len(entries := _entries(ranks[rank], place)):
            reading.advance(entries.nbytes)
            place += len(entries)
            yield from part.batch(entries)
        if not part.finished:
            unfinished.append(rank)
        reading.advance(ENTRY.itemsize)
    if unfinished:
        shown = ", ".join(map(str, unfinished[:5])) + (" .." if len(unfinished) > 5 else "")
        trace.notes.append(
            f"{len(unfinished)} of {trace.ranks} ranks did not reach MPI_Finalize ({shown}), so their calls "
            f"are incomplete"
        )


def _entries(file: Path, place: int) -> NDArray[Any]:
    """Return entries from `place` on; in a file that was not closed, zeros follow the last one."""
    entries = np.fromfile(file, ENTRY, BATCH, offset=place * ENTRY.itemsize)
    ends = np.flatnonzero(entries["kind"] == _NOTHING)
    return entries[: ends[0]] if len(ends) else entries


class _Rank:
    def __init__(self, trace: Trace, rank: int, file: Path) -> None:
        self.finished = False
        self._trace, self._rank, self._file = trace, rank, file
        self._lists = _mapped(file.with_suffix(".lists"))
        self._began = self._end = int(np.fromfile(file, ENTRY, 1)["begin"][0])
        self._numbers: dict[int, int] = {}  # of communicators: this rank's own, and the trace's
        self._members: dict[int, tuple[tuple[int, ...], int]] = {}  # of each, with its key

    def batch(self, entries: NDArray[Any]) -> Iterator[Batch]:
        if (entries["kind"] > _EXCHANGE).any():
            wrong = int(entries["kind"].max())
            raise ValueError(f"{self._file}: has an entry of kind {wrong}, expected at most {_EXCHANGE}")
        for entry in entries[entries["kind"] == _COMMUNICATOR]:
            self._communicator(entry)
        entries = self._written_out(entries)
        for entry in entries[entries["kind"] == _LEFT_OUT]:
            name = self._list(entry).tobytes().rstrip(b"\0").decode("ascii", "replace")
            self._trace.left_out[name.removeprefix("MPI_").lower()] += int(entry["size"])
        ended = np.isin(entries["kind"], (_FINALIZED, _ABORTED))
        self.finished |= bool((entries["kind"] == _FINALIZED).any())
        self._check_range(entries[entries["kind"] == Call.COLLECTIVE], "operation", len(OPERATIONS))
        self._check_range(entries[entries["kind"] < Call.WAIT], "peer", self._trace.ranks)
        self._check_range(entries[entries["kind"] <= Call.COLLECTIVE], "size", MOST)
        timed = entries[(entries["kind"] <= Call.COLLECTIVE) | (entries["kind"] == _CANCELLED) | ended]
        if not len(timed):
            return
        before = np.concatenate([[self._end], np.maximum.accumulate(timed["end"])[:-1]])
        gap = np.maximum(timed["begin"] - np.maximum(before, self._end), 0)
        self._end = max(self._end, int(timed["end"].max()))
        calls, sizes = self._calls(timed, gap)
        yield Batch(calls, sizes)

    def _written_out(self, entries: NDArray[Any]) -> NDArray[Any]:
        """Return entries with each exchange replaced by its receives, sends and waits."""
        rows = np.flatnonzero(entries["kind"] == _EXCHANGE).tolist()
        parts, done = [], 0
        for row in rows:
            parts += [entries[done:row], self._messages(entries[row])]
            done = row + 1
        return np.concatenate([*parts, entries[done:]]) if rows else entries

    def _messages(self, entry: Any) -> NDArray[Any]:
        """Return the messages of an exchange, which nothing else on its communicator can take."""
        values = self._list(entry)
        ins, outs = (int(values[0]), int(values[1])) if len(values) > 1 else (-1, -1)
        count = ins + outs
        if min(ins, outs) < 0 or len(values) != 2 + 2 * count:
            raise ValueError(f"{self._file}: has an exchange whose list does not match its messages")
        own = int(entry["communicator"])
        if own not in self._members:
            raise ValueError(f"{self._file}: communicator {own} is used before its members are defined")
        members, key = self._members[own]
        self._numbers[~own] = self._trace.communicator(members, ("exchange", key))
        # One that does not block is waited for in entries of its own.
        waits = 0 if entry["operation"] else count
        messages = np.repeat(entry, max(count + waits, 1))
        messages["communicator"], messages["end"], messages["operation"] = ~own, entry["begin"], 0
        messages["numbers"] = 0
        messages["end"][-1] = entry["end"]
        if not count:
            messages["kind"] = _CANCELLED
            return messages
        messages["kind"][:count] = np.repeat([Call.IRECV, Call.ISEND], [ins, outs])
        messages["peer"][:count], messages["size"][:count] = values[2::2], values[3::2]
        messages["kind"][count:], messages["peer"][count:], messages["size"][count:] = Call.WAIT, -1, 0
        messages["request"] = entry["request"] + np.tile(np.arange(count), 1 + (waits > 0))
        return messages

    def _check_range(self, entries: NDArray[Any], name: str, end: int) -> None:
        """Check that numbers are in 0..end-1; peers can also be negative."""
        wrong = entries[name] >= end
        if name != "peer":
            wrong |= entries[name] < 0
        if wrong.any():
            value = int(entries[name][wrong][0])
            raise ValueError(f"{self._file}: has an entry with {name} {value}, expected 0 to {end - 1}")

    def _calls(self, timed: NDArray[Any], gap: NDArray[np.int64]) -> tuple[NDArray[Any], list[list[int]]]:
        kept = timed["kind"] <= Call.COLLECTIVE
        # Computation before a cancelled call, or before the end, precedes the next call, or stands alone.
        calls = np.zeros(len(timed), CALL)
        calls["rank"], calls["kind"] = self._rank, np.where(kept, timed["kind"], Call.COMPUTE)
        for name in ("wild", "size", "request"):
            calls[name] = timed[name]
        calls["peer"] = np.where(kept, timed["peer"], -1)
        collective = timed["kind"] == Call.COLLECTIVE
        calls["tag"] = np.where(collective, timed["operation"], timed["tag"])
        calls["size"][~kept] = 0
        calls["request"][~kept] = -1
        calls["communicator"] = self._known(timed, kept)
        calls["gap"] = gap * 1e-9
        calls["time"] = (timed["begin"] - self._began) * 1e-9
        calls["sizes"] = -1
        listed = np.flatnonzero(collective & (timed["numbers"] > 0))
        calls["sizes"][listed] = np.arange(len(listed))
        return calls, [self._list(timed[row]).tolist() for row in listed]

    def _known(self, timed: NDArray[Any], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
        numbers = np.where(kept & (timed["kind"] != Call.WAIT), timed["communicator"], 0)
        used, places = np.unique(numbers, return_inverse=True)
        for number in used.tolist():
            if number not in self._numbers:
                raise ValueError(
                    f"{self._file}: communicator {number} is used before its members are defined"
                )
        return np.array([self._numbers[number] for number in used.tolist()], np.int64)[places]

    def _communicator(self, entry: Any) -> None:
        members = tuple(self._list(entry).tolist())
        key = int(entry["request"])
        if not members or not set(members) <= set(range(self._trace.ranks)):
            raise ValueError(
                f"{self._file}: communicator {int(entry['communicator'])} has members beyond the ranks"
            )
        # Ranks that did not agree on a key know a communicator by its members.
        number = self._trace.communicator(members, None if key in (0, _WORLD) else key)
        own = int(entry["communicator"])
        self._numbers[own], self._members[own] = number, (members, key)

    def _list(self, entry: Any) -> NDArray[np.int64]:
        begin, count = int(entry["list"]), int(entry["numbers"])
        if not 0 <= begin <= begin + count <= len(self._lists):
            raise ValueError(
                f"{self._file}: an entry has {count} numbers from place {begin} of {len(self._lists)} in "
                f"{self._file.with_suffix('.lists').name}"
            )
        return self._lists[begin : begin + count]


def _mapped(file: Path) -> NDArray[np.int64]:
    """Return the numbers in a file, read as they are requested."""
    if not file.is_file():
        raise ValueError(f"{file}: is missing, expected next to {file.with_suffix('.calls').name}")
    count = file.stat().st_size // 8
    return np.memmap(file, np.int64, "r", shape=(count,)) if count else np.empty(0, np.int64)
