"""Reduce-scatter by halving: at each step, a rank sends away half of its partial sums.

Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; the butterfly is that of Träff, "An improved algorithm for
(non-commutative) reduce-scatter with an application", EuroPVM/MPI 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netplace.apps.collectives.call import Call, Message, Rounds, doubling


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

        yield [message for message in _exchange(call, folding, count, window) if message.bytes]
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

        yield _exchange(call, folding, 1 << step, window)
    last = []
    for v in range(folding.size):
        first, count = folding.blocks(_reversed(v, steps), 1)
        last += [
            Message.of(folding.rank(v), owner, *call.blocks(owner)) for owner in range(first, first + count)
        ]
    yield [message for message in last if message.source != message.destination]


def reduce_scatter_block_butterfly(call: Call) -> Rounds:
    """As the butterfly; a power of two of ranks order their blocks so that each ends with its own."""
    if call.ranks & (call.ranks - 1):
        yield from butterfly(call)
        return
    for distance in doubling(call.ranks):
        alike = 2 * distance
        yield [
            Message.of(
                p,
                p ^ distance,
                *(call.blocks(block)[0] for block in range((p ^ distance) % alike, call.ranks, alike)),
            )
            for p in range(call.ranks)
        ]


def fold(call: Call, folding: Folding) -> Rounds:
    yield [Message.of(leaving, staying, (0, call.vector)) for leaving, staying in folding.pairs()]


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
