"""Bine trees and butterflies: binomial ones whose partners are a third nearer.

De Sensi and others, "Bine trees: enhancing collective operations by optimizing communication locality", SC
2025 (arXiv 2508.17311). In negabinary (base -2), a rank of a tree and its child of step k differ in the
lowest k + 1 digits, which are all equal: an even rank p meets p + d, an odd one p - d, d = 1, -1, 3, -5, 11,
.. In a butterfly all ranks do so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from netplace.apps.collectives.call import COMBINING, Call, Message, Part, Phase, Rounds, joined, renamed

Step = Callable[[int], int]
"""The partner of each rank in a step, of which that rank is in turn the partner."""


def partner(rank: int, step: int, ranks: int) -> int:
    distance: int = (1 - (-2) ** (step + 1)) // 3
    return (rank + (distance if rank % 2 == 0 else -distance)) % ranks


def reached(rank: int, steps: Sequence[Step]) -> list[int]:
    """Return the ranks to which data of `rank` can get in these steps."""
    found = [rank]
    for step in steps:
        found += [step(p) for p in found]
    return found


def scattering(offsets: Sequence[int], steps: Sequence[Step]) -> Rounds:
    """Reduce-scatter: in each step, send the blocks of all ranks that the partner reaches later."""
    return COMBINING.of(
        [
            Message.of(p, q, *joined(offsets, reached(q, steps[number + 1 :])))
            for p in range(len(offsets) - 1)
            for q in (step(p),)
        ]
        for number, step in enumerate(steps)
    )


def gathering(offsets: Sequence[int], steps: Sequence[Step]) -> Rounds:
    """Allgather: the steps of `scattering` in reverse, in which a rank sends all blocks that it has."""
    for number in reversed(range(len(steps))):
        yield [
            Message.of(p, steps[number](p), *joined(offsets, reached(p, steps[number + 1 :])))
            for p in range(len(offsets) - 1)
        ]


def allgather(call: Call) -> Rounds:
    return gathering(call.offsets, _steps(call))


def reduce_scatter(call: Call) -> Rounds:
    return scattering(call.offsets, _steps(call))


def allreduce(call: Call) -> Rounds:
    """Reduce-scatter, near ranks first, then allgather."""
    yield from scattering(call.offsets, _steps(call))
    yield from gathering(call.offsets, _steps(call))


def doubling(call: Call) -> Rounds:
    """Allreduce: exchange the whole vector in each step."""
    return COMBINING.of(
        [Message.of(p, step(p), (0, call.bytes)) for p in range(call.ranks)] for step in _steps(call)
    )


def alltoall(call: Call) -> Rounds:
    """In each step, send all blocks that are here and are for ranks that the partner reaches later."""
    steps = _steps(call)
    for number, step in enumerate(steps):
        sent = []
        for p in range(call.ranks):
            ends = reached(step(p), steps[number + 1 :])
            origins = reached(p, steps[:number][::-1])
            sent.append(
                Message.of(p, step(p), *(call.block(origin, end) for origin in origins for end in ends))
            )
        yield sent


def bcast(call: Call) -> Rounds:
    """Send down the tree, far ranks first, to all children at once."""
    return renamed(Phase("segments").of(_down(call, lambda ranks: [(0, call.bytes)])), call.rank)


def reduce(call: Call) -> Rounds:
    return renamed(COMBINING.of(_up(call, lambda ranks: [(0, call.bytes)])), call.rank)


def scatter(call: Call) -> Rounds:
    """Send down the tree what the child and all below it are to have."""
    down = _down(call, lambda ranks: joined(call.offsets, map(call.rank, ranks)))
    return renamed(down, call.rank)


def gather(call: Call) -> Rounds:
    up = _up(call, lambda ranks: joined(call.offsets, map(call.rank, ranks)))
    return renamed(up, call.rank)


def scatter_allgather(call: Call) -> Rounds:
    """Broadcast: scatter the blocks down the tree, then allgather."""
    down = _down(call, lambda ranks: joined(call.offsets, ranks))
    return renamed(chain(down, gathering(call.offsets, _steps(call))), call.rank)


def reduce_scatter_gather(call: Call) -> Rounds:
    """Reduce: reduce-scatter, then gather along the tree."""
    up = _up(call, lambda ranks: joined(call.offsets, ranks))
    return renamed(chain(scattering(call.offsets, _steps(call)), up), call.rank)


def _steps(call: Call) -> list[Step]:
    ranks = call.ranks
    return [lambda p, k=k: partner(p, k, ranks) for k in range(ranks.bit_length() - 1)]  # type: ignore[misc]


def _down(call: Call, load: Callable[[list[int]], Iterable[Part]]) -> Rounds:
    """Send down the tree of rank 0; `load` returns the parts for a child and all below it."""
    steps = _steps(call)[::-1]
    have = [0]
    for number, step in enumerate(steps):
        yield [Message.of(p, step(p), *load(reached(step(p), steps[number + 1 :]))) for p in have]
        have += [step(p) for p in have]


def _up(call: Call, load: Callable[[list[int]], Iterable[Part]]) -> Rounds:
    """Send along the edges of `_down` in the other direction, last ones first."""
    for messages in reversed(list(_down(call, load))):
        yield [
            message._replace(source=message.destination, destination=message.source) for message in messages
        ]
