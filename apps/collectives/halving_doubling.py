"""Halving and reassembling of the vector.

Ranks beyond a power of two are folded in, in pairs of which one rank stays. In the algorithms of MPICH, the
rank that leaves gives its whole vector to the other one and gets the result from it: Thakur, Rabenseifner and
Gropp, IJHPCA 19(1), 2005, section 4.5. In Rabenseifner's, each rank of a pair reduces one half, and the even
rank stays: "Optimization of collective reduction operations", ICCS 2004.
"""

from __future__ import annotations

from collections.abc import Callable

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import COMBINING, Call, Message, Part, Rounds, doubling
from netplace.apps.collectives.linear import basic_linear_allreduce
from netplace.apps.collectives.recursive_doubling import Folding, allreduce_recursive_doubling, fold
from netplace.apps.collectives.tree_based import reduce_linear

# By distance, in the order of halving, the interval that each place of the core has after that exchange.
_Windows = dict[int, list[Part]]


def allreduce_rabenseifner(call: Call) -> Rounds:
    """Halve at distances 1, 2, .., then reassemble; linearly if the vector is too short for that."""
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        return basic_linear_allreduce(call)
    windows = _halves(call, folding)
    return _allreduced(call, folding, _folded_by_halves(call, folding), windows, windows)


def reduce_rabenseifner(call: Call) -> Rounds:
    """Halve, then gather to the root along a binomial tree; linearly if the vector is too short for that."""
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        return reduce_linear(call)
    return _reduced(call, folding, _folded_by_halves(call, folding), _halves(call, folding))


def reduce_scatter_allgather(call: Call) -> Rounds:
    """Allreduce as MPICH does it, near ranks first; recursively if the vector is too short for that."""
    folding = Folding(call.ranks)
    if call.bytes < folding.size:
        return allreduce_recursive_doubling(call)
    windows = _blocks(call, folding)
    return _allreduced(call, folding, fold(call, folding), windows, windows)


def reduce_scatter_gather(call: Call) -> Rounds:
    """Reduce as MPICH does it, near ranks first; along a tree if the vector is too short for that.

    Of those beyond a power of two, the odd ranks leave; if the root is one of them, it takes the place of the
    first rank.
    """
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        return trees.reduce_by_distance(call)
    return _reduced(call, folding, fold(call, folding), _blocks(call, folding))


def halving_doubling(call: Call) -> Rounds:
    """Allreduce with shares as even as possible; empty shares of short vectors are sent too."""
    folding = Folding(call.ranks)

    def even(first: int, count: int) -> Part:
        return first * call.bytes // folding.size, (first + count) * call.bytes // folding.size

    windows = _far_first(folding, even)
    return _allreduced(call, folding, fold(call, folding), windows, windows)


def halving_doubling_rounded(call: Call) -> Rounds:
    """Allreduce with halves rounded down, on which published figures are based.

    The remainder of the division by the core is not sent: a few bytes of a vector. Real only if
    the core divides the vector.
    """
    folding = Folding(call.ranks)
    share = call.bytes // folding.size
    halves = _far_first(
        folding, lambda first, count: (first * share, first * share + call.bytes * count // folding.size)
    )
    shares = _far_first(folding, lambda first, count: (first * share, (first + count) * share))
    return _allreduced(call, folding, fold(call, folding), halves, shares)


def _allreduced(call: Call, folding: Folding, folded: Rounds, halved: _Windows, doubled: _Windows) -> Rounds:
    yield from folded
    yield from _halve(folding, halved)
    for distance, kept in reversed(doubled.items()):  # each rank sends all its current data
        yield [Message.of(folding.rank(v), folding.rank(v ^ distance), kept[v]) for v in range(folding.size)]
    yield _unfold(call, folding)


def _reduced(call: Call, folding: Folding, folded: Rounds, windows: _Windows) -> Rounds:
    yield from folded
    yield from _halve(folding, windows)
    rank_of = [folding.rank(v) for v in range(folding.size)]
    root = folding.place(call.root)
    if rank_of[root] != call.root:
        # The root was folded in: it takes over what the first of the core holds.
        yield [Message.of(0, call.root, [*windows.values()][-1][0])]
        root, rank_of[0] = 0, call.root
    for bit, kept in reversed(windows.items()):
        # The remaining places agree with the root in the bits above; those that also agree in this bit stay.
        left = [v for v in range(folding.size) if (v ^ root) < 2 * bit]
        yield [Message.of(rank_of[v], rank_of[v ^ bit], kept[v]) for v in left if (v ^ root) & bit]


def _halve(folding: Folding, windows: _Windows) -> Rounds:
    """At each distance, each place sends its partner the half of the interval that the partner keeps."""
    return COMBINING.of(
        [
            Message.of(folding.rank(v), folding.rank(v ^ distance), kept[v ^ distance])
            for v in range(folding.size)
        ]
        for distance, kept in windows.items()
    )


def _folded_by_halves(call: Call, folding: Folding) -> Rounds:
    """Exchange halves in each pair; the rank that leaves then gives the upper one, reduced, to the other."""
    lower, upper = (0, call.bytes // 2), (call.bytes // 2, call.bytes)
    exchanged: list[Message] = []
    for leaving, staying in folding.pairs():
        exchanged += [Message.of(staying, leaving, upper), Message.of(leaving, staying, lower)]
    yield from COMBINING.of([exchanged])
    yield [Message.of(leaving, staying, upper) for leaving, staying in folding.pairs()]


def _unfold(call: Call, folding: Folding) -> list[Message]:
    return [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def _far_first(folding: Folding, interval: Callable[[int, int], Part]) -> _Windows:
    """Return the intervals of groups, by their first place and size, that are halved from the largest on."""
    return {
        count: [interval(v - v % count, count) for v in range(folding.size)]
        for count in reversed(doubling(folding.size))
    }


def _halves(call: Call, folding: Folding) -> _Windows:
    """Return intervals that are halved, near ranks first; the lower half is the shorter one."""
    windows: _Windows = {}
    kept = [(0, call.bytes)] * folding.size
    for distance in doubling(folding.size):
        middles = [begin + (end - begin) // 2 for begin, end in kept]
        kept = [
            (middle, end) if v & distance else (begin, middle)
            for v, ((begin, end), middle) in enumerate(zip(kept, middles, strict=True))
        ]
        windows[distance] = kept
    return windows


def _blocks(call: Call, folding: Folding) -> _Windows:
    """Return intervals of half as many blocks, near ranks first; the blocks are as even as possible."""
    minimum, more = divmod(call.bytes, folding.size)
    first = [0] * folding.size
    windows: _Windows = {}
    for distance in doubling(folding.size):
        count = folding.size // (2 * distance)
        first = [begin + count * bool(v & distance) for v, begin in enumerate(first)]
        ends = [(begin, begin + count) for begin in first]
        windows[distance] = [(b * minimum + min(b, more), e * minimum + min(e, more)) for b, e in ends]
    return windows
