"""Long traces: repeated sequences of all ranks are stored once and replayed as a loop.

Each rank's loop is found by itself (`netplace.apps.recorded.loops`). They become the iterations of one
program if all messages and collectives of an iteration find their partners in an iteration: then all
iterations but some are omitted, the rest is matched and written as any trace, and it is checked that what
became of the iterations is the same for each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.iterations import in_order, ranges
from netplace.apps.program import Program, Repeated
from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.loops import COLUMNS, Normal, Part, Sequence, as_calls
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.settling import check_kept, check_left_out, complete
from netplace.apps.recorded.trace import Trace
from netplace.apps.recorded.wildcards import resolved, with_sizes
from netplace.apps.replay import renumbered

Int = NDArray[np.int64]
# Source, destination, communicator, tag, perhaps length; or a communicator alone, for collectives.
Channel = tuple[int, ...]
_KIND, _PEER, _COMMUNICATOR, _SIZE, _TAG, _AGE = 0, 1, 2, 3, 4, 7
_NOTHING = np.empty((0, len(COLUMNS)), np.int64)
_SENDS, _RECEIVES = (Call.SEND, Call.ISEND), (Call.RECV, Call.IRECV)


@dataclass(frozen=True)
class _Loop:
    """The rows of a rank: those before, an iteration that occurs `times` times, and those after."""

    before: Int
    body: Int
    times: int
    after: Int

    def written(self, times: int) -> Int:
        """Return the rows with as many iterations, each marked."""
        parts = [self.before]
        for number in [*range(times), -1]:
            mark = np.zeros((1, len(COLUMNS)), np.int64)
            mark[0, _KIND], mark[0, _PEER] = Call.MARK, number
            parts += [mark, self.body if number >= 0 else self.after]
        return np.concatenate(parts)


def _common_loops(parts: list[list[Part]], written: int, by_length: bool = False) -> list[_Loop] | None:
    """Return the loop of each rank, all of one number of iterations; None if there is none.

    `parts`: the rows of each rank. `written`: iterations that will be written and compared: partners may be
    that many less two apart. `by_length`: whether messages of different lengths are of different channels.
    """
    if not any(part.times > 1 for rank in parts for part in rank):
        return None
    if any(_unknown(part.rows) for rank in parts for part in rank):
        return None
    chosen = [
        max(rank, key=lambda part: part.length * (part.times > 1), default=Part(_NOTHING)) for rank in parts
    ]
    bodies = [part.rows if part.times > 1 else _NOTHING for part in chosen]
    counts = [_channels(rank, body, by_length) for rank, body in enumerate(bodies)]
    factors = _factors(counts, [part.times if part.times > 1 else 0 for part in chosen])
    if factors is None:
        return None
    # One less than all, since a rank may begin its loop within an iteration.
    times = min(part.times // factor for part, factor in zip(chosen, factors, strict=True) if factor) - 1
    if times <= written:
        return None
    loops = []
    for rank, part, body, factor in zip(parts, chosen, bodies, factors, strict=True):
        loop = _loop(rank, part, np.tile(body, (factor, 1)), times)
        if loop is None:
            return None
        loops.append(loop)
    return loops if _aligned(loops, written - 2, by_length) else None


def _unknown(rows: Int) -> bool:
    """Return whether some receive has no source or tag."""
    receives = np.isin(rows[:, _KIND], _RECEIVES)
    return bool((rows[receives][:, [_PEER, _TAG]] < 0).any())


def _loop(rank: list[Part], part: Part, body: Int, times: int) -> _Loop | None:
    """Return the loop with an iteration that begins where no request is open; None if there is none."""
    place = next((number for number, other in enumerate(rank) if other is part), len(rank))
    if not len(body):
        return _Loop(_written(rank), _NOTHING, times, _NOTHING)
    shift = _rest_point(body)
    if shift is None:
        return None
    left = np.tile(part.rows, (part.times - times * (len(body) // len(part.rows)), 1))
    return _Loop(
        np.concatenate([_written(rank[:place]), body[:shift]]),
        np.concatenate([body[shift:], body[:shift]]),
        times,
        np.concatenate([left[shift:], _written(rank[place + 1 :])]),
    )


def _rest_point(body: Int) -> int | None:
    """Return the first place of a body, done again and again, at which no request is open."""
    three = np.tile(body, (3, 1))
    kind = three[:, _KIND]
    opening = np.isin(kind, (Call.ISEND, Call.IRECV)) | ((kind == Call.COLLECTIVE) & (three[:, _AGE] > 0))
    waits = np.flatnonzero(kind == Call.WAIT)
    if opening.sum() != len(waits):
        return None
    where, count = np.flatnonzero(opening), np.cumsum(opening)
    middle = waits[(waits >= len(body)) & (waits < 2 * len(body))]
    number = count[middle] - 1 - three[middle, _AGE]
    if (number < 0).any():
        return None
    opened = where[number]
    if (middle - opened > len(body)).any():
        return None
    # Open from after its opening to its wait, in places of the body.
    depth = np.zeros(3 * len(body) + 1, np.int64)
    np.add.at(depth, opened + 1, 1)
    np.add.at(depth, middle + 1, -1)
    busy = np.cumsum(depth)[: 3 * len(body)].reshape(3, -1).sum(axis=0)
    free = np.flatnonzero(busy == 0)
    return int(free[0]) if len(free) else None


def _channels(rank: int, rows: Int, by_length: bool) -> tuple[Counter[Channel], Counter[Channel]]:
    """Return by channel how many messages rows send and collectives they call, and how many they receive."""
    sent: Counter[Channel] = Counter()
    received: Counter[Channel] = Counter()
    for kinds, counter in ((_SENDS, sent), (_RECEIVES, received)):
        columns = [_PEER, _COMMUNICATOR, _TAG, _SIZE] if by_length else [_PEER, _COMMUNICATOR, _TAG]
        some = rows[np.isin(rows[:, _KIND], kinds)][:, columns]
        for (peer, *rest), count in zip(*_counted(some), strict=True):
            ends = (rank, peer) if counter is sent else (peer, rank)
            counter[(*ends, *rest)] = count
    calls = rows[rows[:, _KIND] == Call.COLLECTIVE][:, [_COMMUNICATOR]]
    for (communicator,), count in zip(*_counted(calls), strict=True):
        sent[communicator,] = count
    return sent, received


def _counted(rows: Int) -> tuple[list[list[int]], list[int]]:
    if not len(rows):
        return [], []
    values, counts = np.unique(rows, axis=0, return_counts=True)
    return values.tolist(), counts.tolist()


def _factors(counts: list[tuple[Counter[Channel], Counter[Channel]]], times: list[int]) -> list[int] | None:
    """Return how many times over each rank's body makes an iteration, 0 without one; None if nothing fits."""
    # In an iteration as much is sent as is received on every channel, and all members call as many
    # collectives.
    ties = _ties(counts)
    if ties is None:
        return None
    factors = [Fraction(0)] * len(times)
    groups: list[list[int]] = []
    for start, own in enumerate(times):
        if not own or factors[start]:
            continue
        factors[start], group = Fraction(1), [start]
        for rank in group:
            for other, ratio in ties[rank].items():
                if not factors[other]:
                    factors[other] = factors[rank] * ratio
                    group.append(other)
                elif factors[other] != factors[rank] * ratio:
                    return None
        scale = lcm(*(factors[rank].denominator for rank in group))
        for rank in group:
            factors[rank] *= scale
        groups.append(group)
    rounds = [min(int(times[rank] // factors[rank]) for rank in group) for group in groups]
    if not rounds or not min(rounds):
        return None
    for group, own in zip(groups, rounds, strict=True):
        for rank in group:
            factors[rank] *= own // min(rounds)
    return [int(factor) for factor in factors]


def _ties(counts: list[tuple[Counter[Channel], Counter[Channel]]]) -> list[dict[int, Fraction]] | None:
    """Return, for each rank, by how much the factors of ranks that it talks to exceed its own."""
    ties: list[dict[int, Fraction]] = [{} for _ in counts]
    callers: dict[Channel, list[tuple[int, int]]] = defaultdict(list)
    for rank, (sent, received) in enumerate(counts):
        for channel, count in sent.items():
            if len(channel) == 1:
                callers[channel].append((rank, count))
                continue
            others = counts[channel[1]][1][channel] if channel[1] < len(counts) else 0
            if not others or not _tie(ties, rank, count, channel[1], others):
                return None
        if any(counts[channel[0]][0][channel] == 0 for channel in received):
            return None
    for members in callers.values():
        (first, count), *rest = members
        if not all(_tie(ties, first, count, other, others) for other, others in rest):
            return None
    return ties


def _tie(ties: list[dict[int, Fraction]], first: int, count: int, other: int, others: int) -> bool:
    ratio = Fraction(count, others)
    if first == other:
        return ratio == 1
    if ties[first].setdefault(other, ratio) != ratio:
        return False
    return ties[other].setdefault(first, 1 / ratio) == 1 / ratio


def _aligned(loops: list[_Loop], apart: int, by_length: bool) -> bool:
    """Return whether all messages of an iteration have partners in iterations at most so far apart."""
    before = [_channels(rank, loop.before, by_length) for rank, loop in enumerate(loops)]
    inside = [_channels(rank, loop.body, by_length) for rank, loop in enumerate(loops)]
    called: dict[Channel, tuple[int, int]] = {}
    for rank, (sent, _) in enumerate(inside):
        for channel, count in sent.items():
            if len(channel) == 1:
                minimum, maximum = called.get(channel, (before[rank][0][channel],) * 2)
                ahead = before[rank][0][channel]
                called[channel] = min(minimum, ahead), max(maximum, ahead)
                if called[channel][1] - called[channel][0] > apart * count:
                    return False
            elif abs(before[rank][0][channel] - before[channel[1]][1][channel]) > apart * count:
                return False
    return True


FOLD_FROM = 1 << 20  # calls of a long trace
WRITTEN = 4  # iterations that are written and compared


def folded(
    trace: Trace,
    cycles_per_us: float = 0.0,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Repeated:
    """Return the program of a trace, the iterations of its ranks stored once if they are found.

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
    loops = _common_loops(parts, WRITTEN, trace.by_length)
    if loops is not None:
        program = rest.folded(loops)
        if program is not None:
            return Repeated(program, loops[0].times)
    check_kept(sum(part.length for rank in parts for part in rank))
    return Repeated(rest.program(list(map(_written, parts))))


def is_longer(trace: Trace, calls: int) -> bool:
    """Return whether a trace has at least the given number of calls, by beginning to read it.

    The trace can still be read from its beginning. A trace with unordered calls does not count as long.
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


def _written(parts: list[Part]) -> Int:
    return np.concatenate([_NOTHING, *(np.tile(part.rows, (part.times, 1)) for part in parts)])


class _Rest:
    """Makes programs of rows, with everything else unchanged."""

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
        made = [as_calls(rank, own, self._cycles_per_us) for rank, own in enumerate(rows)]
        calls = resolved(complete(np.concatenate(made)), self._trace)
        calls = with_sizes(calls, self._trace.by_length)
        whole = Recorded(
            self._trace.ranks, calls, self._sizes, self._trace.communicators, by_length=self._trace.by_length
        )
        return whole.program(self._cycles_per_us, self._collectives)

    def folded(self, loops: list[_Loop]) -> Program | None:
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
    """Return whether the iterations of every task are all alike, each with its own requests."""
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
