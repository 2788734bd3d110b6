"""Rabenseifner's algorithms: halving of the vector at doubling distances, then reassembly.

Rabenseifner, "Optimization of collective reduction operations", ICCS 2004. Ranks beyond a power of two are
folded in by halves: of a pair, each reduces one half, and the even rank stays.
"""

from __future__ import annotations

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.halving import Folding
from netplace.apps.collectives.linear import basic_linear_allreduce
from netplace.apps.collectives.tree_based import tree_reduce

Windows = list[list[Part]]
"""For each number of completed steps, the interval that each place of the core still has."""


def allreduce_rabenseifner(call: Call) -> Rounds:
    """Halve and put together among all; vectors of fewer bytes than the core has ranks go linearly."""
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        yield from basic_linear_allreduce(call)
        return
    windows = _windows(call, folding)
    yield from _fold(call, folding)
    yield from halve(folding, windows)
    yield from join(folding, windows)
    yield [Message.of(staying, leaving, (0, call.bytes)) for leaving, staying in folding.pairs()]


def reduce_rabenseifner(call: Call) -> Rounds:
    """Halve, then gather to the root along a binomial tree; vectors too short for that go linearly."""
    folding = Folding(call.ranks, stays=0)
    if call.bytes < folding.size:
        yield from tree_reduce(trees.linear)(call)
        return
    windows = _windows(call, folding)
    yield from _fold(call, folding)
    yield from halve(folding, windows)
    yield from gather_windows(call, folding, windows)


def halve(folding: Folding, windows: Windows) -> Rounds:
    """At each step, send a partner the half of the interval that it is left with."""
    for step in range(len(windows) - 1):
        yield [
            Message.of(folding.rank(v), folding.rank(v ^ (1 << step)), windows[step + 1][v ^ (1 << step)])
            for v in range(folding.size)
        ]


def join(folding: Folding, windows: Windows) -> Rounds:
    """Reverse the halving: each rank sends all its current data."""
    for step in reversed(range(len(windows) - 1)):
        yield [
            Message.of(folding.rank(v), folding.rank(v ^ (1 << step)), windows[step + 1][v])
            for v in range(folding.size)
        ]


def gather_windows(call: Call, folding: Folding, windows: Windows) -> Rounds:
    """Gather to the root along a binomial tree what halving has left everywhere."""
    rank_of = [folding.rank(v) for v in range(folding.size)]
    root = folding.place(call.root)
    if rank_of[root] != call.root:
        # The root was folded in: it takes over what the first of the core holds.
        yield [Message.of(0, call.root, windows[-1][0])]
        root, rank_of[0] = 0, call.root
    for step in reversed(range(len(windows) - 1)):
        bit = 1 << step
        # Who is left agrees with the root in the bits above; who also agrees here stays.
        left = [v for v in range(folding.size) if (v ^ root) >> (step + 1) == 0]
        yield [
            Message.of(rank_of[v], rank_of[v ^ bit], windows[step + 1][v]) for v in left if (v ^ root) & bit
        ]


def _fold(call: Call, folding: Folding) -> Rounds:
    """Exchange halves in each pair; the rank that leaves then gives the upper one, reduced, to the other."""
    lower, upper = (0, call.bytes // 2), (call.bytes // 2, call.bytes)
    exchanged: list[Message] = []
    for leaving, staying in folding.pairs():
        exchanged += [Message.of(staying, leaving, upper), Message.of(leaving, staying, lower)]
    yield exchanged
    yield [Message.of(leaving, staying, upper) for leaving, staying in folding.pairs()]


def _windows(call: Call, folding: Folding) -> Windows:
    windows: Windows = [[(0, call.bytes)] * folding.size]
    for step in range(folding.size.bit_length() - 1):
        windows.append([_half(*windows[step][v], upper=bool(v >> step & 1)) for v in range(folding.size)])
    return windows


def _half(begin: int, end: int, upper: bool) -> Part:
    """Return a half of an interval; the lower one is the shorter."""
    middle = begin + (end - begin) // 2
    return (middle, end) if upper else (begin, middle)
