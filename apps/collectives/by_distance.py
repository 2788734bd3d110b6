"""In-order binomial trees, one distance after the other: a rank receives from one child at a time.

The trees of MPICH; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
"""

from __future__ import annotations

from collections.abc import Iterator

from netplace.apps.collectives.call import Call, Message, Rounds

Edges = list[tuple[int, int, int]]


def bcast_by_distance(call: Call) -> Rounds:
    """Broadcast, the largest subtree first."""
    for edges in reversed(list(_levels(call.ranks))):
        yield [Message.of(call.rank(p), call.rank(c), (0, call.bytes)) for p, c, _ in edges]


def reduce_by_distance(call: Call) -> Rounds:
    """Reduce, the nearest child first."""
    for edges in _levels(call.ranks):
        yield [Message.of(call.rank(c), call.rank(p), (0, call.bytes)) for p, c, _ in edges]


def scatter_by_distance(call: Call) -> Rounds:
    """Scatter, the largest subtree first: a child gets everything that its subtree needs."""
    for edges in reversed(list(_levels(call.ranks))):
        yield [Message.of(call.rank(p), call.rank(c), *call.blocks(call.rank(c), n)) for p, c, n in edges]


def gather_by_distance(call: Call) -> Rounds:
    """Gather, the nearest child first: a child sends everything that its subtree has."""
    for edges in _levels(call.ranks):
        yield [Message.of(call.rank(c), call.rank(p), *call.blocks(call.rank(c), n)) for p, c, n in edges]


def _levels(ranks: int) -> Iterator[Edges]:
    """Yield, for each distance from 1 up, (parent, child, ranks of the child's subtree)."""
    distance = 1
    while distance < ranks:
        yield [
            (p, p + distance, min(distance, ranks - p - distance))
            for p in range(0, ranks - distance, 2 * distance)
        ]
        distance *= 2
