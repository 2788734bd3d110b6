"""GOAL's binary schedules, which LogGOPSim's txt2bin makes of the text.

Little-endian, without gaps: the number 4223 in 8 bytes; the number of ranks in 4; the highest CPU and NIC, 1
each; for each rank the places at which its part begins and ends, in 8 each, counted from the byte after the
first number. A part has the number of operations and of those that need nothing, in 4 each; the numbers of
the latter, in 4 each; the operations, as `_NODE` lays them out; and a list of numbers of operations, in 4
each, of which every operation names two stretches: those that begin after its end, and after its begin.

The layout is that of github.com/spcl/LogGOPSim, Parser.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.goal_schedule import HELD, Operation, batches_of
from netplace.apps.formats.stream import TraceError, blocks
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import ANY
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import check_size

_MAGIC, _USED_UP = 4223, 2342
_KINDS = {1: "send", 2: "recv", 3: "calc"}
_ANY = (1 << 32) - 1
_NODE = np.dtype(
    [
        ("needs", "<u4"),
        ("kind", "i1"),
        ("peer", "<u4"),
        ("size", "<u8"),
        ("tag", "<u4"),
        ("cpu", "u1"),
        ("nic", "u1"),
        ("ended", "<u4"),
        ("ended_at", "<u4"),
        ("begun", "<u4"),
        ("begun_at", "<u4"),
    ]
)
_NUMBER = np.dtype("<u4")


def recognises(path: Path, head: bytes) -> bool:
    return head[:8] in (_MAGIC.to_bytes(8, "little"), _USED_UP.to_bytes(8, "little"))


def open_trace(path: Path, reading: Reading) -> Trace:
    trace = Trace(0, iter(()))
    trace.batches = batches_of(path, _schedules(path, reading, trace), trace, reading.in_order)
    return trace


def _schedules(path: Path, reading: Reading, trace: Trace) -> Iterator[tuple[int, list[Operation]]]:
    content = _Content(path, reading)
    if (magic := content.number(8)) == _USED_UP:
        raise _error(0, "LogGOPSim --save-mem has consumed the schedule; create it again with txt2bin")
    if magic != _MAGIC:
        raise _error(0, f"{magic} found, expected {_MAGIC}, the start of a binary GOAL schedule")
    begin = content.place
    ranks = content.number(4)
    if not 1 <= ranks <= MOST_TASKS:
        raise _error(8, f"{ranks} ranks are out of range, expected 1 to {MOST_TASKS}")
    trace.has_ranks(ranks)
    content.take(2)
    table = np.frombuffer(content.take(16 * ranks), "<u8").reshape(ranks, 2).tolist()
    held = 0
    for rank, (first, last) in enumerate(table):
        if first == last:
            yield rank, []
            continue
        if first + begin != content.place or last < first:
            raise _error(
                begin + 6 + 16 * rank,
                f"rank {rank} has the bytes {first} to {last}, expected to begin at "
                f"{content.place - begin}, the end of the previous rank",
            )
        part = _Part(rank, content.place, content.take(last - first))
        check_size(held + len(part.nodes), HELD, "operations that must fit into memory", str(path))
        held += len(part.nodes) if reading.in_order else 0
        yield rank, part.operations(ranks)


class _Content:
    """The bytes of a file, one piece after the other."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self._path, self._blocks, self._rest = path, blocks(path, reading), b""
        self.place = 0

    def take(self, count: int) -> bytes:
        parts, length = [self._rest], len(self._rest)
        while length < count:
            block = next(self._blocks, None)
            if block is None:
                raise _error(self.place + length, f"ends too early, {count - length} bytes are missing")
            parts.append(block)
            length += len(block)
            check_size(length, 2, "bytes that must be read as a whole", str(self._path))
        content = b"".join(parts)
        self._rest = content[count:]
        self.place += count
        return content[:count]

    def number(self, size: int) -> int:
        """Return the number in the next bytes."""
        return int.from_bytes(self.take(size), "little")


class _Part:
    """What a file has of a rank."""

    def __init__(self, rank: int, place: int, content: bytes) -> None:
        self._rank, self._place = rank, place
        if len(content) < 8:
            raise self._wrong(f"has {len(content)} bytes, expected at least 8")
        count, free = np.frombuffer(content[:8], _NUMBER).tolist()
        self._nodes_at = 8 + 4 * free
        rest = len(content) - self._nodes_at - count * _NODE.itemsize
        if rest < 0 or rest % 4:
            raise self._wrong(f"has {len(content)} bytes, which do not match {count} operations")
        self.nodes = np.frombuffer(content, _NODE, count, self._nodes_at)
        self._listed = np.frombuffer(content, _NUMBER, rest // 4, len(content) - rest)

    def operations(self, ranks: int) -> list[Operation]:
        self._check(ranks)
        operations = [
            Operation(_KINDS[kind], size, ANY if peer == _ANY else peer, ANY if tag == _ANY else tag, cpu)
            for kind, size, peer, tag, cpu in zip(
                *(self.nodes[name].tolist() for name in ("kind", "size", "peer", "tag", "cpu")), strict=True
            )
        ]
        for name in ("ended", "begun"):
            for place, later in self._later(name):
                getattr(operations[later], name).append(place)
        needs = np.array([len(each.ended) + len(each.begun) for each in operations], np.int64)
        self._refuse(
            needs != self.nodes["needs"],
            "has a number of requirements that does not match the operations that name it",
        )
        return operations

    def _check(self, ranks: int) -> None:
        """Refuse operations that cannot be."""
        nodes = self.nodes
        kind, peer = nodes["kind"], nodes["peer"]
        self._refuse((kind < 1) | (kind > 3), "is not a send, recv or calc")
        away = (peer >= ranks) & ((kind == 1) | ((kind == 2) & (peer != _ANY)))
        self._refuse(away, f"has a partner outside 0 to {ranks - 1}")
        self._refuse((kind == 1) & (nodes["tag"] == _ANY), "is a send without a tag")
        self._refuse(nodes["size"] >= np.uint64(1 << 62), "is too large, expected less than 2**62")
        for name in ("ended", "begun"):
            end = nodes[name].astype(np.int64) + nodes[f"{name}_at"]
            self._refuse((nodes[name] > 0) & (end > len(self._listed)), "refers to a list beyond the end")
        named = int(nodes["ended"].sum(dtype=np.int64) + nodes["begun"].sum(dtype=np.int64))
        if named != len(self._listed):
            raise self._wrong(f"has a list of {len(self._listed)} operations, of which {named} are named")

    def _later(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield operations and those that begin when they have `ended`, or `begun`."""
        counts = self.nodes[name].tolist()
        for place, (count, at) in enumerate(zip(counts, self.nodes[f"{name}_at"].tolist(), strict=True)):
            for later in self._listed[at : at + count].tolist() if count else ():
                if later >= len(self.nodes):
                    raise self._wrong(
                        f"operation {place}: its successor {later} does not exist, expected less than "
                        f"{len(self.nodes)}"
                    )
                yield place, later

    def _refuse(self, wrong: NDArray[Any], reason: str) -> None:
        if wrong.any():
            place = int(wrong.argmax())
            at = self._place + self._nodes_at + place * _NODE.itemsize
            raise _error(at, f"rank {self._rank}, operation {place} {reason}")

    def _wrong(self, reason: str) -> TraceError:
        return _error(self._place, f"rank {self._rank} {reason}")


def _error(place: int, reason: str) -> TraceError:
    return TraceError(place, reason, "byte")
