"""The contents of a trace, counted in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import OPERATIONS, Batch, Call
from netplace.apps.recorded.trace import Trace

_MOST_PENDING = 1 << 20  # rows of pairs kept apart before they are added up


@dataclass
class Summary:
    """The contents of a trace, counted."""

    trace: Trace
    operations: int = 0  # calls and computations
    receives: int = 0
    wildcards: int = 0  # receives that were posted for any source or any tag
    # shape (ranks,): Recorded computation, without that of reductions.
    compute_seconds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    # shape (ranks,): Computation that is given in cycles.
    compute_cycles: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    # Calls of all ranks by (operation, ranks of the communicator, bytes of a call).
    collectives: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pairs: list[NDArray[np.int64]] = []
        self._calls: dict[tuple[int, int, int], int] = {}

    def add(self, batch: Batch) -> None:
        """Count a batch of calls."""
        calls = batch.calls
        rank, kind = calls["rank"], calls["kind"]
        self.operations += int((kind != Call.MARK).sum())
        gap = np.where(kind == Call.REDUCTION, 0.0, calls["gap"])
        self.compute_seconds = _summed(self.compute_seconds, np.bincount(rank, gap))
        computes = kind == Call.COMPUTE
        cycles = np.zeros(int(rank.max(initial=-1)) + 1, np.int64)
        np.add.at(cycles, rank[computes], calls["size"][computes])
        self.compute_cycles = _summed(self.compute_cycles, cycles)
        self.receives += int(((kind == Call.RECV) | (kind == Call.IRECV)).sum())
        self.wildcards += int((calls["wild"] != 0).sum())
        sends = calls[(kind == Call.SEND) | (kind == Call.ISEND)]
        key = (sends["rank"].astype(np.int64) << 32) + sends["peer"]
        self._pairs.append(_added_up(np.column_stack([key, np.ones_like(key), sends["size"]])))
        if sum(map(len, self._pairs)) > _MOST_PENDING:
            self._pairs = [_added_up(np.concatenate(self._pairs))]
        self._add_collectives(calls[kind == Call.COLLECTIVE])

    def _add_collectives(self, calls: NDArray[Any]) -> None:
        columns = np.column_stack([calls["tag"], calls["communicator"], calls["size"]])
        for (operation, communicator, size), times in zip(
            *(part.tolist() for part in np.unique(columns, axis=0, return_counts=True)), strict=True
        ):
            key = (operation, communicator, size)
            self._calls[key] = self._calls.get(key, 0) + times

    def finish(self) -> None:
        """Do what can be done only when all is read: the number of ranks, and so the world, is known now."""
        missing = np.zeros(self.trace.ranks)
        self.compute_seconds = _summed(self.compute_seconds, missing)
        self.compute_cycles = _summed(self.compute_cycles, missing.astype(np.int64))
        for (operation, communicator, size), times in self._calls.items():
            key = (OPERATIONS[operation], len(self.trace.communicators[communicator]), size)
            self.collectives[key] = self.collectives.get(key, 0) + times
        self._calls.clear()

    def pairs(self) -> NDArray[np.int64]:
        """Return rows (source, destination, messages, bytes) of messages from rank to rank, in order."""
        rows = _added_up(np.concatenate(self._pairs)) if self._pairs else np.empty((0, 3), np.int64)
        self._pairs = [rows]
        source, target = rows[:, 0] >> 32, rows[:, 0] & (1 << 32) - 1
        return np.column_stack([source, target, rows[:, 1:]])

    def as_data(self) -> dict[str, Any]:
        """Return all of it as data for JSON."""
        pairs = self.pairs()
        return {
            "ranks": self.trace.ranks,
            "messages": int(pairs[:, 2].sum()),
            "bytes": int(pairs[:, 3].sum()),
            "pairs": pairs.tolist(),
            "collectives": [
                {"operation": name, "ranks": ranks, "calls": calls, "bytes": size}
                for (name, ranks, size), calls in sorted(self.collectives.items())
            ],
            "wildcards": self.wildcards,
            "compute_seconds": self.compute_seconds.tolist(),
            "left_out": [
                {"operation": name, "number": number} for name, number in sorted(self.trace.left_out.items())
            ],
            "operations": self.operations,
            "receives": self.receives,
            "compute_cycles": self.compute_cycles.tolist(),
            "notes": list(self.trace.notes),
        }


def summary_of(trace: Trace) -> Summary:
    """Count what a trace holds; its batches are read to their end."""
    summary = counted(trace)
    for _ in trace.batches:
        pass
    return summary


def counted(trace: Trace) -> Summary:
    """Return the counts of a trace, which are complete when its batches have been read to their end."""
    summary = Summary(trace)

    def batches(given: Iterator[Batch]) -> Iterator[Batch]:
        for batch in given:
            summary.add(batch)
            yield batch
        summary.finish()

    trace.batches = batches(trace.batches)
    return summary


def _summed(first: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of two columns, the shorter one continued with zeros."""
    length = max(len(first), len(other))
    padded: NDArray[Any] = np.pad(first, (0, length - len(first))) + np.pad(other, (0, length - len(other)))
    return padded


def _added_up(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rows of (key, numbers ..), summed by key, in the order of the keys."""
    if not len(rows):
        return rows
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    begins = np.flatnonzero(np.diff(rows[:, 0], prepend=rows[0, 0] - 1))
    sums: NDArray[np.int64] = np.add.reduceat(rows, begins, axis=0)
    sums[:, 0] = rows[begins, 0]
    return sums
