"""The messages of one collective as arrays, which are the basis of counts and of replay."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives.call import Call, Round
from netplace.apps.task import TaskWriter

MOST_RANKS = 1 << 18  # of a list of messages, which take 200 bytes each
MOST_MESSAGES = 1 << 22  # of one collective; 32 bytes each, and a second or so for a million


# Open MPI and MPICH send down a tree by blocking sends, child by child (bcast_intra_generic in
# coll_base_bcast.c, coll_base_scatter.c, bcast_intra_binomial.c). Only these have all requests open at once.
_DOWN = ("bcast", "scatter")
_TOGETHER = ("linear", "linear_nb", "double_binary_tree")


def exchange(
    writer: TaskWriter, requests: list[int], sends: Sequence[tuple[int, int]], tag: int, in_turn: bool = False
) -> None:
    """Send to each destination its number of bytes, and wait for `requests` and the sends.

    Several messages are sent at once or, `in_turn`, one after the other.
    """
    if in_turn or len(sends) == 1:
        for destination, size in sends:
            writer.send(destination, size, tag)
    else:
        requests = requests + [writer.isend(destination, size, tag) for destination, size in sends]
    writer.waitall(requests)


@dataclass(frozen=True, eq=False)
class Schedule:
    """The messages of one collective, in order."""

    call: Call
    algorithm: str  # name of the algorithm
    # shape (messages,): Number of the round, from 0, ranks and size of each message.
    round: NDArray[np.int64]
    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    bytes: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        call: Call,
        algorithm: str,
        rounds: Iterable[Round],
        progress: Callable[[int], None] | None = None,
        unit: int = 1,
    ) -> Schedule:
        """Record the messages of `rounds`, without empty messages and messages of a task to itself.

        After each round, `progress` is called with the number of messages so far. Lengths are in units of
        `unit` bytes.
        """
        columns = array("q"), array("q"), array("q"), array("q")
        number = 0
        for messages in rounds:
            before = len(columns[0])
            for source, destination, size, _ in messages:
                if not (0 <= source < call.ranks and 0 <= destination < call.ranks and size >= 0):
                    raise ValueError(
                        f"algorithm {algorithm!r} of {call.operation}: sends {size} bytes from rank {source} "
                        f"to rank {destination}, expected ranks from 0 to {call.ranks - 1} and at least 0 "
                        f"bytes"
                    )
                if source != destination:
                    if len(columns[0]) >= MOST_MESSAGES:
                        raise ValueError(
                            f"algorithm {algorithm!r} of {call.operation}: sends more than {MOST_MESSAGES:,} "
                            f"messages among {call.ranks} ranks, expected fewer: use fewer ranks or longer "
                            f"segments"
                        )
                    values = number, source, destination, size * unit
                    for column, value in zip(columns, values, strict=True):
                        column.append(value)
            number += len(columns[0]) > before
            if progress is not None:
                progress(len(columns[0]))
        return cls(call, algorithm, *(np.array(column, np.int64) for column in columns))

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return int(self.round[-1]) + 1 if len(self.round) else 0

    def pairs(self) -> list[tuple[int, int, int, int]]:
        """Return (source, destination, messages, bytes) of each pair that communicates, in order."""
        pair, place = np.unique(self.source * self.call.ranks + self.destination, return_inverse=True)
        messages = np.bincount(place, minlength=len(pair))
        volume = np.zeros(len(pair), np.int64)
        np.add.at(volume, place, self.bytes)
        source, destination = np.divmod(pair, self.call.ranks)
        return list(
            zip(source.tolist(), destination.tolist(), messages.tolist(), volume.tolist(), strict=True)
        )

    def write(self, writer: TaskWriter, members: Sequence[int], rank: int, tag: int = 0) -> None:
        """Append to `writer` the operations of member number `rank` of `members`.

        Receives of a round are posted before its sends, and completed after them.
        """
        in_turn = self.call.operation in _DOWN and self.algorithm not in _TOGETHER
        for _, steps in groupby(self._of_rank(rank), key=lambda step: step[0]):
            sends: list[tuple[int, int]] = []
            receives: list[tuple[int, int]] = []
            for _, sent, peer, size in steps:
                (sends if sent else receives).append((members[peer], size))
            if len(receives) == 1 and not sends:
                ((source, size),) = receives
                writer.recv(source, size, tag)
                continue
            exchange(
                writer, [writer.irecv(source, size, tag) for source, size in receives], sends, tag, in_turn
            )

    @cached_property
    def _by_rank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the messages of every rank, as both source and destination, and where each rank's begin."""
        either = np.concatenate([self.source, self.destination])
        message = np.tile(np.arange(len(self.source)), 2)
        order = np.lexsort((message, either))
        first = np.searchsorted(either[order], np.arange(self.call.ranks + 1))
        return message[order], first

    def _of_rank(self, rank: int) -> list[tuple[int, bool, int, int]]:
        """Return (round, whether sent, other rank, bytes) of each message of `rank`, in order."""
        message, first = self._by_rank
        own = message[first[rank] : first[rank + 1]]
        sent = self.source[own] == rank
        peer = np.where(sent, self.destination[own], self.source[own])
        return list(
            zip(self.round[own].tolist(), sent.tolist(), peer.tolist(), self.bytes[own].tolist(), strict=True)
        )
