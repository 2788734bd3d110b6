"""Halving the vector at shrinking distances and putting it together again, as MPICH does.

Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.5: every second rank of those beyond a power of
two gives its whole vector to the next one and gets the result from it.
"""

from __future__ import annotations

from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.folding import Folding
from netplace.apps.collectives.recursive_doubling import allreduce_recursive_doubling

__all__ = ["halving_doubling", "reduce_scatter_allgather", "reduce_scatter_gather"]


def reduce_scatter_allgather(call: Call) -> Rounds:
    """Allreduce; vectors of fewer bytes than the core has ranks by recursive doubling."""
    folding = Folding(call.ranks)
    if call.bytes < folding.size:
        yield from allreduce_recursive_doubling(call)
        return
    yield from _fold(call, folding)
    yield from _halve(call, folding)
    for distance in _doubling(folding.size):
        yield [
            Message.of(
                folding.rank(v), folding.rank(v ^ distance), _share(call, folding, v - v % distance, distance)
            )
            for v in range(folding.size)
        ]
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def reduce_scatter_gather(call: Call) -> Rounds:
    """Reduce by halving, then a gather to the root; vectors of fewer bytes than the core has ranks whole.

    Of those beyond a power of two the odd ranks leave; where the root is one of them, the rank before it
    sends it the result.
    """
    folding = Folding(call.ranks, stays=0)
    root, short = folding.place(call.root), call.bytes < folding.size
    yield from _fold(call, folding)
    if not short:
        yield from _halve(call, folding)
    for distance in _doubling(folding.size):
        sent: list[Message] = []
        for v in range(folding.size):
            # Before this round, those left agree with the root in the bits below this one.
            if (v ^ root) % (2 * distance) == distance:
                part = (0, call.bytes) if short else _share(call, folding, v - v % distance, distance)
                sent.append(Message.of(folding.rank(v), folding.rank(v ^ distance), part))
        yield sent
    if folding.rank(root) != call.root:
        yield [Message.of(folding.rank(root), call.root, (0, call.bytes))]


def halving_doubling(call: Call) -> Rounds:
    """Allreduce as above, with halves rounded down: what does not divide by the core is not sent."""
    folding = Folding(call.ranks)
    yield from _fold(call, folding)
    share = call.bytes // folding.size
    shares = [(v * share, (v + 1) * share) for v in range(folding.size)]
    distance = folding.size // 2
    while distance:
        size = call.bytes * distance // folding.size
        yield [
            Message(
                folding.rank(v),
                folding.rank(v ^ distance),
                size,
                [_run(shares, v ^ distance, distance, size)],
            )
            for v in range(folding.size)
        ]
        distance //= 2
    for distance in _doubling(folding.size):
        yield [
            Message.of(
                folding.rank(v), folding.rank(v ^ distance), _run(shares, v, distance, share * distance)
            )
            for v in range(folding.size)
        ]
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def _run(shares: list[Part], place: int, count: int, size: int) -> Part:
    """Return the interval of `size` bytes where the shares of the group of `count` places begin."""
    begin = shares[place - place % count][0]
    return begin, begin + size


def _fold(call: Call, folding: Folding) -> Rounds:
    yield [Message.of(leaving, staying, (0, call.bytes)) for leaving, staying in folding.pairs()]


def _halve(call: Call, folding: Folding) -> Rounds:
    """Halve at distances of a half, a quarter, .. of the core."""
    distance = folding.size // 2
    while distance:
        sent: list[Message] = []
        for v in range(folding.size):
            partner = v ^ distance
            part = _share(call, folding, partner - partner % distance, distance)
            sent.append(Message.of(folding.rank(v), folding.rank(partner), part))
        yield sent
        distance //= 2


def _share(call: Call, folding: Folding, first: int, count: int) -> Part:
    """Return what `count` places are left with: shares of bytes // size, the last with the rest."""
    share = call.bytes // folding.size
    end = first + count
    return first * share, call.bytes if end == folding.size else end * share


def _doubling(size: int) -> list[int]:
    return [1 << k for k in range(size.bit_length() - 1)]
