"""The global operations of Dimemas traces, written out as messages.

A record tells how many bytes its task sent and received. Where descriptions of the format are silent we
assume: the root's vector of a broadcast is the largest size that any record names; SENT of an all-to-all
is for each pair, and that of an all-to-all-v is the total, sent in equal parts; a reduce-scatter reduces
to the first member and scatters from there; a scan goes along a chain; the v-variants of gather and
scatter are plain messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netplace.apps import collectives
from netplace.apps.task import TaskWriter

__all__ = ["GLOBAL_OPERATIONS", "NAMES", "ROOTED", "Call", "bytes_of"]


@dataclass(frozen=True)
class Call:
    """A global operation of a communicator.

    Attributes
    ----------
    members : sequence of int
        World ranks.
    root : int
        World rank of the root.
    sent, received : sequence of int
        Bytes that each member sent and received.
    """

    members: Sequence[int]
    root: int
    sent: Sequence[int]
    received: Sequence[int]


def _barrier(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.barrier(writer, call.members, tag)


def _bcast(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.bcast(writer, call.members, call.root, max(*call.sent, *call.received), tag)


def _gather(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.gather(writer, call.members, call.root, max(call.sent), tag)


def _gatherv(writer: TaskWriter, call: Call, tag: int) -> None:
    for member, size in zip(call.members, call.sent, strict=True):
        if call.root == writer.task != member:
            writer.recv(member, size, tag)
        elif member == writer.task != call.root:
            writer.send(call.root, size, tag)


def _scatter(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.scatter(writer, call.members, call.root, max(call.received), tag)


def _scatterv(writer: TaskWriter, call: Call, tag: int) -> None:
    for member, size in zip(call.members, call.received, strict=True):
        if call.root == writer.task != member:
            writer.send(member, size, tag)
        elif member == writer.task != call.root:
            writer.recv(call.root, size, tag)


def _allgather(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.allgatherv(writer, call.members, call.sent, tag)


def _alltoall(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.alltoall(writer, call.members, max(call.sent), tag)


def _alltoallv(writer: TaskWriter, call: Call, tag: int) -> None:
    shares = [total // len(call.members) for total in call.sent]
    own = shares[call.members.index(writer.task)]
    collectives.alltoallv(writer, call.members, [own] * len(shares), shares, tag)


def _reduce(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.reduce(writer, call.members, call.root, max(call.sent), tag)


def _allreduce(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.allreduce(writer, call.members, max(call.sent), tag)


def _reduce_scatter(writer: TaskWriter, call: Call, tag: int) -> None:
    if writer.collectives is not None:
        collectives.reduce_scatter(writer, call.members, max(call.sent), tag)
        return
    collectives.reduce(writer, call.members, call.members[0], max(call.sent), tag)
    collectives.scatter(writer, call.members, call.members[0], max(call.received), tag)


def _scan(writer: TaskWriter, call: Call, tag: int) -> None:
    collectives.scan(writer, call.members, max(call.sent), tag)


# By number in the file.
GLOBAL_OPERATIONS: dict[int, Callable[[TaskWriter, Call, int], None]] = {
    0: _barrier,
    1: _bcast,
    2: _gather,
    3: _gatherv,
    4: _scatter,
    5: _scatterv,
    6: _allgather,
    7: _allgather,
    8: _alltoall,
    9: _alltoallv,
    10: _reduce,
    11: _allreduce,
    12: _reduce_scatter,
    13: _scan,
}
ROOTED = (1, 2, 3, 4, 5, 10)
NAMES = (
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
)


def bytes_of(name: str, sent: int, received: int) -> int:
    """Return the bytes of a call of which its task sent and received so many."""
    if name in ("scatter", "scatterv"):
        return received
    return max(sent, received) if name == "bcast" else sent
