"""Halving the vector at shrinking distances and putting it together again, as MPICH does.

Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.5: every second rank of those beyond a power of
two gives its whole vector to the next one and gets the result from it.
"""

from __future__ import annotations

from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.folding import Folding
from netplace.apps.collectives.recursive_doubling import allreduce_recursive_doubling

__all__ = [
    "divides",
    "halving_doubling",
    "halving_doubling_rounded",
    "reduce_scatter_allgather",
    "reduce_scatter_gather",
]


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
    """Allreduce as above, with shares as even as can be; of short vectors some are empty, and sent too."""
    folding = Folding(call.ranks)
    yield from _fold(call, folding)
    for distance in reversed(_doubling(folding.size)):
        yield [
            Message.of(
                folding.rank(v), folding.rank(v ^ distance), _even(call, folding, v ^ distance, distance)
            )
            for v in range(folding.size)
        ]
    for distance in _doubling(folding.size):
        yield [
            Message.of(folding.rank(v), folding.rank(v ^ distance), _even(call, folding, v, distance))
            for v in range(folding.size)
        ]
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def halving_doubling_rounded(call: Call) -> Rounds:
    """Allreduce as above, with halves rounded down, on which published figures stand.

    What does not divide by the core is not sent: a few bytes of a vector. Real only where `divides`.
    """
    folding = Folding(call.ranks)
    share = call.bytes // folding.size
    yield from _fold(call, folding)
    for distance in reversed(_doubling(folding.size)):
        half = call.bytes * distance // folding.size
        yield [
            Message.of(folding.rank(v), folding.rank(v ^ distance), _run(v ^ distance, distance, share, half))
            for v in range(folding.size)
        ]
    for distance in _doubling(folding.size):
        yield [
            Message.of(
                folding.rank(v), folding.rank(v ^ distance), _run(v, distance, share, share * distance)
            )
            for v in range(folding.size)
        ]
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def divides(call: Call) -> bool:
    """Tell whether a vector divides by the core, so that nothing is rounded."""
    return call.bytes % Folding(call.ranks).size == 0


def _run(place: int, count: int, share: int, size: int) -> Part:
    """Return the interval of `size` bytes where the shares of the group of `count` places begin."""
    begin = (place - place % count) * share
    return begin, begin + size


def _even(call: Call, folding: Folding, place: int, count: int) -> Part:
    """Return what the group of `count` places to which `place` belongs is left with: even shares."""
    first = place - place % count
    return first * call.bytes // folding.size, (first + count) * call.bytes // folding.size


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
