"""Long traces: what all ranks do again and again is kept once, and replayed as a loop.

Each rank's loop is found by itself (`netplace.apps.recorded.loops`). They become the iterations of one
program if all messages and collectives of an iteration find their partners in an iteration: then all
iterations but some are omitted, the rest is matched and written as any trace, and it is checked that what
became of the iterations is the same for each.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.iterations import in_order, ranges
from netplace.apps.program import Program
from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.gathering import check_kept, check_left_out, complete
from netplace.apps.recorded.iterating import Loop, common_loops
from netplace.apps.recorded.loops import Part, Sequence
from netplace.apps.recorded.matching import with_sizes
from netplace.apps.recorded.normal import COLUMNS, Normal, as_calls
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.trace import Trace
from netplace.apps.recorded.wildcards import resolved
from netplace.apps.repeated import Repeated
from netplace.apps.requests import renumbered

__all__ = ["FOLD_FROM", "folded", "is_longer"]

Int = NDArray[np.int64]
FOLD_FROM = 1 << 20  # calls of a long trace
WRITTEN = 4  # iterations that are written and compared


def folded(
    trace: Trace,
    cycles_per_us: float = 0.0,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Repeated:
    """Return the program of a trace, the iterations of its ranks kept once if they are found.

    The arguments are those of `netplace.apps.recorded.program_of`, which returns the same written out. The
    marks of the trace are omitted.
    """
    check_kept(trace.unrepeated)
    normal = Normal(cycles_per_us)
    sequences: dict[int, Sequence] = {}
    for batch in trace.batches:
        _extend(sequences, normal.rows(batch))
        check_kept(sum(sequence.kept for sequence in sequences.values()) + normal.waiting)
    _extend(sequences, normal.rest())
    check_left_out(trace.left_out, ignore)
    parts = [sequences[rank].parts() if rank in sequences else [] for rank in range(trace.ranks)]
    rest = _Rest(trace, normal.sizes, cycles_per_us, collectives)
    loops = common_loops(parts, WRITTEN, trace.by_length)
    if loops is not None:
        program = rest.folded(loops)
        if program is not None:
            return Repeated(program, loops[0].times)
    check_kept(sum(part.length for rank in parts for part in rank))
    return Repeated(rest.program([np.concatenate(_written(rank)) for rank in parts]))


def is_longer(trace: Trace, calls: int) -> bool:
    """Return whether a trace has at least so many calls, by beginning to read it.

    It goes on from its begin all the same. One whose calls come in no order is not taken for long.
    """
    begun, count = [], 0
    for batch in trace.batches:
        begun.append(batch)
        count += len(batch.calls)
        if count >= calls:
            break
    trace.batches = chain(begun, trace.batches)
    return count >= calls and trace.sorted


def _extend(sequences: dict[int, Sequence], rows: Any) -> None:
    for rank, some in rows:
        sequences.setdefault(rank, Sequence(len(COLUMNS))).extend(some)


def _written(parts: list[Part]) -> list[Int]:
    return [
        np.empty((0, len(COLUMNS)), np.int64),
        *(np.tile(part.rows, (part.times, 1)) for part in parts),
    ]


class _Rest:
    """Makes programs of rows, all that is not in them being the same."""

    def __init__(
        self,
        trace: Trace,
        sizes: list[tuple[int, ...]],
        cycles_per_us: float,
        collectives: Collectives | None,
    ) -> None:
        self._trace, self._sizes = trace, sizes
        self._cycles_per_us, self._collectives = cycles_per_us, collectives

    def program(self, rows: list[Int]) -> Program:
        """Return the program of the rows of each rank."""
        made = [as_calls(rank, own, self._cycles_per_us) for rank, own in enumerate(rows)]
        calls = resolved(complete(np.concatenate(made)), self._trace)
        calls = with_sizes(calls, self._trace.by_length)
        whole = Recorded(self._trace.ranks, calls, self._sizes, self._trace.communicators)
        return whole.program(self._cycles_per_us, self._collectives)

    def folded(self, loops: list[Loop]) -> Program | None:
        """Return the program with one iteration of these loops; None if not all are the same."""
        rows = [loop.written(WRITTEN) for loop in loops]
        check_kept(sum(map(len, rows)))
        program = self.program(rows)
        marks = in_order(program.marks)
        bounds = marks[:, 1].reshape(len(loops), WRITTEN + 1)
        begin, end = bounds[:, :-1], bounds[:, 1:]
        # An iteration without operations has no place of its own between what comes before and after.
        lost = (begin[:, 0] == end[:, 0]) & (end[:, -1] < program.first[1:])
        if lost.any() or not _all_same(program, begin, end):
            return None
        index = ranges(
            np.column_stack([program.first[:-1], end[:, -1]]).ravel(),
            np.column_stack([end[:, 0], program.first[1:]]).ravel(),
        )
        removed = end[:, -1] - end[:, 0]
        first = program.first - np.concatenate([[0], np.cumsum(removed)])
        shift = first[:-1] - program.first[:-1]
        tasks = np.arange(len(loops))
        once = np.concatenate(
            [
                np.column_stack([tasks, begin[:, 0] + shift, np.zeros_like(tasks)]),
                np.column_stack([tasks, end[:, 0] + shift, np.full_like(tasks, -1)]),
            ]
        )
        part = replace(program.taken(index, first), marks=in_order(once))
        return replace(part, request=renumbered(part))


def _all_same(program: Program, begin: Int, end: Int) -> bool:
    """Return whether every task does the same in each of its iterations, with requests of its own."""
    length = end - begin
    if (length != length[:, :1]).any():
        return False
    first = ranges(begin[:, 0], end[:, 0])
    opens = np.concatenate([[0], np.cumsum((program.kind == Call.ISEND) | (program.kind == Call.IRECV))])
    for number in range(1, begin.shape[1]):
        other = ranges(begin[:, number], end[:, number])
        for column in (program.kind, program.peer, program.size, program.tag):
            if (column[first] != column[other]).any():
                return False
        ahead = np.repeat(opens[begin[:, number]] - opens[begin[:, 0]], length[:, 0])
        used = program.request[first] >= 0
        if (program.request[first][used] + ahead[used] != program.request[other][used]).any():
            return False
    return True
