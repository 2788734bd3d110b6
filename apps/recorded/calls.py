"""Calls in batches of columns: a reader fills them, and each contains a limited part of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

BATCH = 1 << 16  # calls
ANY = -1  # source or tag of a receive that takes any, where no status contains the one it took

# Collectives by number; the names are MPI's in lower case, without MPI_.
OPERATIONS = (
    *("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv"),
    *("alltoall", "alltoallv", "alltoallw", "allreduce", "reduce", "reduce_scatter"),
    *("reduce_scatter_block", "scan", "exscan"),
)
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
LISTED = ("alltoallv", "alltoallw", "reduce_scatter")  # whose calls name bytes for each member
ROOTED_NUMBERS = frozenset(OPERATIONS.index(name) for name in ROOTED)


class Call(IntEnum):
    """Kinds of call; the first six are those of `netplace.apps.Op`."""

    COMPUTE = 0
    SEND = 1
    ISEND = 2
    RECV = 3
    IRECV = 4
    WAIT = 5
    COLLECTIVE = 6
    MARK = 7
    REDUCTION = 8  # what the last collective computed, after its messages


# A row of a batch. `rank`, `kind`, and then:
# peer: world rank of the partner; root of a collective; number of the iteration that a mark begins; else -1.
# size: bytes of a message; what one rank gives (v-variants: in all) in a collective, for each partner in an
#     alltoall, the vector in a broadcast or reduction; cycles of a compute.
# tag: of a message; number in OPERATIONS of a collective.
# communicator: a key of `Trace.communicators`.
# request: what a non-blocking call opens and a wait completes, unique within the rank in the whole trace; -1.
# gap: seconds of computation before the call.
# time: seconds at which the call began, NaN where the format has no clock.
# wild: whether a receive was posted for any source (1), any tag (2), or both (3).
# sizes: place in `Batch.sizes` of a collective's sizes by partner, -1: none.
CALL = np.dtype(
    [
        ("rank", np.int32),
        ("kind", np.int8),
        ("wild", np.int8),
        ("peer", np.int32),
        ("communicator", np.int32),
        ("sizes", np.int32),
        ("size", np.int64),
        ("tag", np.int64),
        ("request", np.int64),
        ("gap", np.float64),
        ("time", np.float64),
    ]
)


@dataclass(frozen=True)
class Batch:
    """Some calls, those of each rank in their order."""

    calls: NDArray[Any]  # a row each
    sizes: Sequence[Sequence[int]] = ()  # bytes for each member of a communicator, for the rows that name one


def batched(parts: Iterable[NDArray[Any]]) -> Iterator[Batch]:
    """Yield batches of rows of `CALL` that come in parts of any length."""
    held: list[NDArray[Any]] = []
    length = 0
    for part in parts:
        held.append(part)
        length += len(part)
        if length >= BATCH:
            yield Batch(np.concatenate(held))
            held, length = [], 0
    if length:
        yield Batch(np.concatenate(held))


@dataclass
class CallWriter:
    """Collects calls one by one and hands them on in batches."""

    _rows: list[tuple[Any, ...]] = field(default_factory=list)
    _sizes: list[Sequence[int]] = field(default_factory=list)

    def add(
        self,
        rank: int,
        kind: int,
        peer: int = -1,
        size: int = 0,
        tag: int = 0,
        *,
        communicator: int = 0,
        request: int = -1,
        gap: float = 0.0,
        time: float = np.nan,
        wild: int = 0,
        sizes: Sequence[int] | None = None,
    ) -> None:
        """Add a call; the values are those of `CALL`."""
        place = -1
        if sizes is not None:
            place = len(self._sizes)
            self._sizes.append(sizes)
        self._rows.append((rank, kind, wild, peer, communicator, place, size, tag, request, gap, time))

    def full(self) -> Iterator[Batch]:
        """Yield a batch if there are enough calls for one."""
        if len(self._rows) >= BATCH:
            yield from self.rest()

    def rest(self) -> Iterator[Batch]:
        """Yield a batch of the remaining calls, if any."""
        if self._rows:
            rows, self._rows = self._rows, []
            sizes, self._sizes = self._sizes, []
            try:
                yield Batch(np.array(rows, CALL), sizes)
            except OverflowError:
                raise ValueError(
                    f"{_largest(rows)} is too large a number, expected less than 2**62"
                ) from None


def _largest(rows: list[tuple[Any, ...]]) -> int:
    return max(abs(int(value)) for row in rows for value in row[:9])
