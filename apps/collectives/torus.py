"""Algorithms for tori: Swing, and the all-to-alls of Blue Gene."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import groupby

from netplace.apps.collectives.bine import Step, gathering, partner, scattering
from netplace.apps.collectives.call import Call, Message, Rounds, beside


def swing(call: Call) -> Rounds:
    """Allreduce in parts that begin in each direction of a torus at once, one part a direction.

    De Sensi and others, "Swing: short-cutting rings for higher bandwidth allreduce", NSDI 2024: partners are
    at 1, -1, 3, -5, .. along each side in turn. The sides are `group` and the rest; without it, a ring.
    """
    sides = [n for n in (side(call), call.ranks // side(call)) if n > 1]
    ways = [(first, mirrored) for first in range(len(sides)) for mirrored in (False, True)]
    parts = []
    for number, (first, mirrored) in enumerate(ways):
        begin, end = (call.bytes * n // len(ways) for n in (number, number + 1))
        offsets = [begin + (end - begin) * n // call.ranks for n in range(call.ranks + 1)]
        steps = _swings(sides, first, mirrored)
        parts.append([*scattering(offsets, steps), *gathering(offsets, steps)])
    yield from beside(parts)


def _swings(sides: Sequence[int], first: int, mirrored: bool) -> list[Step]:
    """Return the steps along the sides by turns, from `first` on, as long as a side has steps left."""

    def step(side: int, number: int) -> Step:
        stride = 1 if side == 0 else sides[0]

        def other(rank: int) -> int:
            place = rank // stride % sides[side]
            # Mirrored, the first partner of place 0 is the last place.
            seen = -place % sides[side] if mirrored else place
            met = partner(seen, number, sides[side])
            return rank + (((-met if mirrored else met) % sides[side]) - place) * stride

        return other

    order = [(first + n) % len(sides) for n in range(len(sides))]
    most = max(side.bit_length() - 1 for side in sides)
    return [step(side, n) for n in range(most) for side in order if 1 << n < sides[side]]


def alltoall_in_random_order(call: Call) -> Rounds:
    """Send all blocks at once, each rank in its own order, which is drawn once.

    Blue Gene/L does so to prevent the packets of all ranks from requesting the same links: Kumar et al., ICPP
    2008. The draws are **(ours)**.
    """
    yield _shuffled(Message.of(p, q, call.block(p, q)) for p in range(call.ranks) for q in range(call.ranks))


def alltoall_in_two_phases(call: Call) -> Rounds:
    """Send along one side of the torus first, `group` consecutive ranks, then across the other sides.

    A rank gets from the others of its line all their blocks for ranks in its place of any line. Kumar et al.,
    ICPP 2008, whose ranks pass on packets before all have come; here the second phase waits for the first.
    """
    ranks, width = call.ranks, side(call)
    lines = range(0, ranks, width)
    yield _shuffled(
        Message.of(line + p, line + q, *(call.block(line + p, end + q) for end in lines))
        for line in lines
        for p in range(width)
        for q in range(width)
    )
    yield _shuffled(
        Message.of(line + p, end + p, *(call.block(origin, end + p) for origin in range(line, line + width)))
        for line in lines
        for p in range(width)
        for end in lines
    )


def side(call: Call) -> int:
    """Return the ranks along the first side of the torus: `group`, or all if it does not divide them."""
    return call.group if call.group and call.ranks % call.group == 0 else call.ranks


def _shuffled(messages: Iterable[Message]) -> list[Message]:
    """Return the messages of each rank to others in an order of its own."""
    made: list[Message] = []
    for rank, own in groupby(messages, key=lambda message: message.source):
        others = [message for message in own if message.destination != rank]
        random.Random(rank).shuffle(others)
        made += others
    return made
