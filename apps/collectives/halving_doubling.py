"""Halving and reassembling of the vector, with whole vectors of ranks beyond a power of two.

Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.5: every second rank of those beyond a power of
two gives its whole vector to the next one and gets the result from it.
"""

from __future__ import annotations

from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.halving import Folding
from netplace.apps.collectives.rabenseifner import Windows, gather_windows, halve, join
from netplace.apps.collectives.recursive_doubling import allreduce_recursive_doubling
from netplace.apps.collectives.trees import reduce_by_distance


def reduce_scatter_allgather(call: Call) -> Rounds:
    """Allreduce as MPICH does it, near ranks first; of fewer bytes than the core has ranks recursively."""
    folding = Folding(call.ranks)
    if call.bytes < folding.size:
        yield from allreduce_recursive_doubling(call)
        return
    windows = _windows(call, folding)
    yield from _fold(call, folding)
    yield from halve(folding, windows)
    yield from join(folding, windows)
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def reduce_scatter_gather(call: Call) -> Rounds:
    """Reduce as MPICH does it, near ranks first; of fewer bytes than the core has ranks along a tree.

    Of those beyond a power of two the odd ranks leave; where the root is one of them, it takes the place of
    the first rank.
    """
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        yield from reduce_by_distance(call)
        return
    windows = _windows(call, folding)
    yield from _fold(call, folding)
    yield from halve(folding, windows)
    yield from gather_windows(call, folding, windows)


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
    """Return whether a vector divides by the core, so that nothing is rounded."""
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


def _windows(call: Call, folding: Folding) -> Windows:
    """Return what each place is left with, step by step: half as many blocks, as even as can be."""
    least, more = divmod(call.bytes, folding.size)
    first = [0] * folding.size
    windows: Windows = []
    for step in range(folding.size.bit_length()):
        count = folding.size >> step
        if step:
            first = [begin + (v >> (step - 1) & 1) * count for v, begin in enumerate(first)]
        ends = [(begin, begin + count) for begin in first]
        windows.append([(b * least + min(b, more), e * least + min(e, more)) for b, e in ends])
    return windows


def _doubling(size: int) -> list[int]:
    return [1 << k for k in range(size.bit_length() - 1)]
