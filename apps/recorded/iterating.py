"""The loops of all ranks as iterations of one program."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.loops import Part
from netplace.apps.recorded.normal import COLUMNS

__all__ = ["Loop", "common_loops"]

Int = NDArray[np.int64]
Channel = tuple[
    int, ...
]  # source, destination, communicator, tag, perhaps length; or a communicator alone, for collectives
_KIND, _PEER, _COMMUNICATOR, _SIZE, _TAG, _AGE = 0, 1, 2, 3, 4, 7
_NOTHING = np.empty((0, len(COLUMNS)), np.int64)
_SENDS, _RECEIVES = (Call.SEND, Call.ISEND), (Call.RECV, Call.IRECV)


@dataclass(frozen=True)
class Loop:
    """What a rank does: rows before, an iteration that stands `times` times, rows after."""

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


def common_loops(parts: list[list[Part]], written: int, by_length: bool = False) -> list[Loop] | None:
    """Return the loop of each rank, all of one number of iterations; None if there is none.

    Parameters
    ----------
    parts : list of list of Part
        The rows of each rank.
    written : int
        Iterations that will be written and compared: partners may be that many less two apart.
    by_length : bool
        Whether messages of different lengths are of different channels.
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


def _loop(rank: list[Part], part: Part, body: Int, times: int) -> Loop | None:
    """Return the loop with an iteration that begins where no request is open; None if there is none."""
    place = next((number for number, other in enumerate(rank) if other is part), len(rank))
    before = [np.tile(other.rows, (other.times, 1)) for other in rank[:place]]
    after = [np.tile(other.rows, (other.times, 1)) for other in rank[place + 1 :]]
    if not len(body):
        whole = [np.tile(other.rows, (other.times, 1)) for other in rank]
        return Loop(np.concatenate([_NOTHING, *whole]), _NOTHING, times, _NOTHING)
    shift = _rest_point(body)
    if shift is None:
        return None
    left = np.tile(part.rows, (part.times - times * (len(body) // len(part.rows)), 1))
    return Loop(
        np.concatenate([_NOTHING, *before, body[:shift]]),
        np.concatenate([body[shift:], body[:shift]]),
        times,
        np.concatenate([_NOTHING, *[left[shift:]], *after]),
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


def _aligned(loops: list[Loop], apart: int, by_length: bool) -> bool:
    """Return whether all messages of an iteration have partners in iterations at most so far apart."""
    before = [_channels(rank, loop.before, by_length) for rank, loop in enumerate(loops)]
    inside = [_channels(rank, loop.body, by_length) for rank, loop in enumerate(loops)]
    called: dict[Channel, tuple[int, int]] = {}
    for rank, (sent, _) in enumerate(inside):
        for channel, count in sent.items():
            if len(channel) == 1:
                least, most = called.get(channel, (before[rank][0][channel],) * 2)
                ahead = before[rank][0][channel]
                called[channel] = min(least, ahead), max(most, ahead)
                if called[channel][1] - called[channel][0] > apart * count:
                    return False
            elif abs(before[rank][0][channel] - before[channel[1]][1][channel]) > apart * count:
                return False
    return True
