"""Bruck's algorithms: all operations in ceil(log2 ranks) rounds, with any number of ranks.

Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all communications in multiport
message-passing systems", IEEE TPDS 8(11), 1997. The barrier is that of Hensgen, Finkel and Manber, "Two
algorithms for barrier synchronization", Int. J. Parallel Programming 17(1), 1988.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from netplace.apps.collectives.call import Call, Message, Part, Rounds, Shifted


def bruck(call: Call) -> Shifted:
    """In round k, p sends the blocks that it has, at most as many as are lacking, to p - 2^k."""
    distance = 1
    while distance < call.ranks:
        count = min(distance, call.ranks - distance)
        yield -distance, lambda p, count=count: call.blocks(p, count)  # type: ignore[misc]
        distance *= 2


def modified_bruck(call: Call) -> Rounds:
    """In round k, p sends to p + 2^k all blocks that have a way to go in whose number bit k is set."""
    ranks, distance = call.ranks, 1
    while distance < ranks:
        ways = [way for way in range(ranks) if way & distance]
        size = len(ways) * call.bytes
        yield [
            Message(p, (p + distance) % ranks, size, _Travelling(call, p, distance, ways))
            for p in range(ranks)
        ]
        distance *= 2


def dissemination(call: Call) -> Shifted:
    """In round k, p sends an empty message to p + 2^k."""
    distance = 1
    while distance < call.ranks:
        yield distance, lambda p: ()
        distance *= 2


@dataclass(frozen=True)
class _Travelling:
    """The blocks of an all-to-all that leave a rank for ranks at `distance`; computed on demand."""

    call: Call
    rank: int
    distance: int
    ways: list[int]

    def __iter__(self) -> Iterator[Part]:
        ranks, size = self.call.ranks, self.call.bytes
        for way in self.ways:
            origin = (self.rank - way % self.distance) % ranks
            begin = (origin * ranks + (origin + way) % ranks) * size
            yield begin, begin + size
