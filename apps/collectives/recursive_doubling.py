"""Exchanges at distances of 1, 2, 4, ..: allreduce, allgather, reduce_scatter_block, scan and barrier.

In a reduce-scatter by halving, a rank sends away half of its partial sums at each step. Thakur, Rabenseifner
and Gropp, IJHPCA 19(1), 2005; the butterfly is that of Träff, "An improved algorithm for (non-commutative)
reduce-scatter with an application", EuroPVM/MPI 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from netplace.apps.collectives.call import (
    COMBINING,
    Call,
    Message,
    Part,
    Phase,
    Rounds,
    Shifted,
    doubling,
    in_rounds,
)


@dataclass(frozen=True)
class Folding:
    """The first ``2 rest`` of `ranks` in pairs; one rank of each pair stays in the core of ``size`` ranks."""

    ranks: int  # their number
    stays: int = 1  # which of a pair stays: 0, the even rank, or 1

    @property
    def size(self) -> int:
        """The largest power of two that is at most `ranks`."""
        return 1 << (self.ranks.bit_length() - 1)

    @property
    def rest(self) -> int:
        """How many are folded in."""
        return self.ranks - self.size

    def rank(self, place: int) -> int:
        return 2 * place + self.stays if place < self.rest else place + self.rest

    def place(self, rank: int) -> int:
        """Return the place in the core of a rank, or of the one that stays for it."""
        return rank // 2 if rank < 2 * self.rest else rank - self.rest

    def pairs(self) -> list[tuple[int, int]]:
        """Return (the rank that leaves, the rank that stays) of each pair."""
        return [(2 * pair + 1 - self.stays, 2 * pair + self.stays) for pair in range(self.rest)]

    def blocks(self, first: int, count: int) -> tuple[int, int]:
        """Return the first block and the number of blocks of `count` places of the core."""
        begin, end = (place + min(place, self.rest) for place in (first, first + count))
        return begin, end - begin


def recursive_halving(call: Call) -> Rounds:
    """Halve at distances of a half, a quarter, .. of the core; ranks that left get their blocks last."""
    folding = Folding(call.ranks)
    yield from fold(call, folding)
    count = folding.size // 2
    while count:

        def window(v: int, count: int = count) -> tuple[int, int]:
            return v - v % count, count

        sent = [message for message in _exchange(call, folding, count, window) if message.bytes]
        yield from COMBINING.of([sent])
        count //= 2
    last = [Message.of(staying, leaving, *call.blocks(leaving)) for leaving, staying in folding.pairs()]
    yield [message for message in last if message.bytes]


def butterfly(call: Call) -> Rounds:
    """Halve at distances of 1, 2, ..; each rank then sends its remaining blocks to their owners.

    Unlike `recursive_halving`, it sends empty parts too.
    """
    folding = Folding(call.ranks)
    steps = folding.size.bit_length() - 1
    yield from fold(call, folding)
    for step in range(steps):
        count = folding.size >> (step + 1)

        def window(v: int, step: int = step, count: int = count) -> tuple[int, int]:
            return _reversed(v & ((2 << step) - 1), step + 1) * count, count

        yield from COMBINING.of([_exchange(call, folding, 1 << step, window)])
    last = []
    for v in range(folding.size):
        first, count = folding.blocks(_reversed(v, steps), 1)
        last += [
            Message.of(folding.rank(v), owner, *call.blocks(owner)) for owner in range(first, first + count)
        ]
    sent = [message for message in last if message.source != message.destination]
    yield from Phase(blocking=True).of([sent])


def reduce_scatter_block_butterfly(call: Call) -> Rounds:
    """As the butterfly; a power of two of ranks order their blocks so that each ends with its own."""
    if call.ranks & (call.ranks - 1):
        return butterfly(call)
    return COMBINING.of(
        [
            Message.of(
                p,
                p ^ distance,
                *(
                    call.blocks(block)[0]
                    for block in range((p ^ distance) % (2 * distance), call.ranks, 2 * distance)
                ),
            )
            for p in range(call.ranks)
        ]
        for distance in doubling(call.ranks)
    )


def fold(call: Call, folding: Folding) -> Rounds:
    whole = (0, call.vector)
    yield from COMBINING.of([[Message.of(leaving, staying, whole) for leaving, staying in folding.pairs()]])


def _exchange(
    call: Call, folding: Folding, distance: int, window: Callable[[int], tuple[int, int]]
) -> list[Message]:
    """Return the round in which each place of the core sends its remaining data to a partner."""
    sent = []
    for v in range(folding.size):
        first, count = folding.blocks(*window(v ^ distance))
        sent.append(Message.of(folding.rank(v), folding.rank(v ^ distance), *call.blocks(first, count)))
    return sent


def _reversed(number: int, bits: int) -> int:
    """Return the number whose `bits` bits are those of `number` in reverse."""
    return int(f"{number:0{bits}b}"[::-1], 2) if bits else 0


def bruck(call: Call) -> Shifted:
    """In round k, p sends the blocks that it has, at most as many as are lacking, to p - 2^k."""
    for distance in doubling(call.ranks):
        count = min(distance, call.ranks - distance)
        yield -distance, lambda p, count=count: call.blocks(p, count)  # type: ignore[misc]


def modified_bruck(call: Call) -> Rounds:
    """In round k, p sends to p + 2^k all blocks that have a way to go in whose number bit k is set."""
    ranks = call.ranks
    for distance in doubling(ranks):
        ways = [way for way in range(ranks) if way & distance]
        size = len(ways) * call.bytes
        yield [
            Message(p, (p + distance) % ranks, size, _Travelling(call, p, distance, ways))
            for p in range(ranks)
        ]


def dissemination(call: Call) -> Shifted:
    """In round k, p sends an empty message to p + 2^k."""
    for distance in doubling(call.ranks):
        yield distance, lambda p: ()


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


# Recursive doubling among any number of ranks: how those without a partner get the missing data.
#
# Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.1.


def forwards(ranks: int, distance: int) -> Iterator[list[tuple[int, int]]]:
    """Yield, round by round, the ranks that forward the data of an exchange at `distance`, and their targets.

    In the last group of twice `distance` ranks, some of the lower half may have had no partner. The others
    forward the received data by halving the half: at distances ``distance / 2``, .., 1. Before the round at
    distance d, the first ranks of each run of 2d have the data, as many as had a partner.
    """
    start = ranks - ranks % (2 * distance)
    having = ranks - start - distance
    step = distance // 2
    while step and 0 < having < distance:
        yield [
            (start + p, start + p + step)
            for p in range(distance)
            if p % (2 * step) < min(step, having) and p % (2 * step) + step >= having
        ]
        step //= 2


def allreduce_recursive_doubling(call: Call) -> Rounds:
    """Exchange the whole vector; of the first ranks beyond a power of two every second one sits out."""
    folding, vector = Folding(call.ranks), (0, call.bytes)
    yield from fold(call, folding)
    yield from COMBINING.of(
        [Message.of(folding.rank(v), folding.rank(v ^ distance), vector) for v in range(folding.size)]
        for distance in doubling(folding.size)
    )
    yield [Message.of(staying, leaving, vector) for leaving, staying in folding.pairs()]


def barrier_recursive_doubling(call: Call) -> Rounds:
    """Exchange empty messages; ranks above a power of two report to the first, released last."""
    size = Folding(call.ranks).size
    above = [(p, p - size) for p in range(size, call.ranks)]
    yield [Message(p, q, 0) for p, q in above]
    for distance in doubling(size):
        yield [Message(p, p ^ distance, 0) for p in range(size)]
    yield [Message(q, p, 0) for p, q in above]


def allgather_recursive_doubling(call: Call) -> Rounds:
    """Exchange all blocks that one has; if the ranks are no power of two, Bruck's algorithm."""
    if call.ranks & (call.ranks - 1):
        yield from in_rounds(bruck)(call)
        return
    for distance in doubling(call.ranks):
        yield [
            Message.of(p, p ^ distance, *call.blocks(p - p % distance, distance)) for p in range(call.ranks)
        ]


def reduce_scatter_block_recursive_doubling(call: Call) -> Rounds:
    """Exchange sums of all blocks but those of the two groups that meet."""
    for distance in doubling(call.ranks):
        met = [(p, p ^ distance) for p in range(call.ranks) if p ^ distance < call.ranks]
        yield from COMBINING.of([[_outside(call, p, q, p, distance) for p, q in met]])
        for passed in forwards(call.ranks, distance):
            yield from COMBINING.of([[_outside(call, p, q, p ^ distance, distance) for p, q in passed]])


def scan_recursive_doubling(call: Call) -> Rounds:
    """Exchange sums of whole groups with p xor 2^k if there is such a rank."""
    return COMBINING.of(
        [Message.of(p, p ^ distance, (0, call.bytes)) for p in range(call.ranks) if p ^ distance < call.ranks]
        for distance in doubling(call.ranks)
    )


def _outside(call: Call, source: int, destination: int, member: int, distance: int) -> Message:
    """Return the message with all blocks outside the group of `member`."""
    start = member - member % distance
    after = min(start + distance, call.ranks)
    parts = call.blocks(0, start) if start else ()
    if after < call.ranks:
        parts += call.blocks(after, call.ranks - after)
    return Message.of(source, destination, *parts)
