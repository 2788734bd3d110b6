"""Rings, where each rank sends only to the next one, and tori: Swing, and the all-to-all of Blue Gene.

Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel
Distrib. Comput. 69, 2009; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from netplace.apps.collectives.bine import Step, gathering, partner, scattering
from netplace.apps.collectives.call import Call, Message, Part, Phase, Rounds, Shifted, beside, in_rounds
from netplace.apps.collectives.recursive_doubling import allreduce_recursive_doubling


def ring(call: Call, ahead: int = 0) -> Shifted:
    """Pass the block that came in the round before on to the next rank; first the one that is `ahead`."""
    for k in range(call.ranks - 1):
        yield 1, lambda p, k=k: call.blocks(p + ahead - k)  # type: ignore[misc]


def ring_of_pieces(call: Call) -> Shifted:
    """Pass blocks on as in `ring`, in segments if requested; empty segments are not sent."""
    if not call.segment:
        yield from ring(call)
        return
    pieces = [call.segments(begin, end) for begin, end in pairwise(call.offsets)]
    longest = max(map(len, pieces))
    for k in range(call.ranks - 1):
        for number in range(longest):
            yield 1, lambda p, k=k, n=number: _nth(pieces[(p - k) % call.ranks], n)  # type: ignore[misc]


def reduce_scatter_ring(call: Call) -> Shifted:
    """Pass sums of blocks on, so that the sum of the user's own block comes last."""
    yield from ring(call, -1)


def allreduce_ring(call: Call) -> Rounds:
    """Reduce-scatter round the ring, then allgather; fewer bytes than ranks by recursive doubling."""
    if call.bytes < call.ranks:
        yield from allreduce_recursive_doubling(call)
        return
    yield from Phase("ahead", combines=True).of(in_rounds(ring)(call))
    yield from in_rounds(partial(ring, ahead=1))(call)


def segmented_ring(call: Call) -> Rounds:
    """As the ring, but reduce in phases of about a segment of each block; shorter vectors as the ring."""
    segment = call.segment or max(1, call.bytes)
    if call.bytes < call.ranks * segment:
        yield from allreduce_ring(call)
        return
    phases, remainder = divmod(call.bytes, call.ranks * segment)
    # A phase of its own for more than half of one; a shorter rest is spread over the others.
    phases += remainder >= call.ranks and remainder > call.ranks * segment // 2
    for phase in range(phases):
        yield from Phase("ahead", combines=True).of(
            [
                Message.of(p, (p + 1) % call.ranks, _piece(call, (p - k) % call.ranks, phase, phases))
                for p in range(call.ranks)
            ]
            for k in range(call.ranks - 1)
        )
    yield from in_rounds(partial(ring, ahead=1))(call)


def double_ring(call: Call) -> Rounds:
    """Send an empty message twice round the ring, one hop after the other."""
    for hop in range(2 * call.ranks if call.ranks > 1 else 0):
        yield [Message(hop % call.ranks, (hop + 1) % call.ranks, 0)]


def _nth(pieces: list[Part], number: int) -> tuple[Part] | None:
    """Return the piece of this number; None if there is none, or it is empty."""
    if number >= len(pieces) or pieces[number][0] == pieces[number][1]:
        return None
    return (pieces[number],)


def _piece(call: Call, block: int, phase: int, phases: int) -> Part:
    """Return part number `phase` of a block in as many, the first of them one byte longer if necessary."""
    begin, end = call.offsets[block], call.offsets[block + 1]
    minimum, more = divmod(end - begin, phases)
    start = begin + phase * minimum + min(phase, more)
    return start, start + minimum + (phase < more)


# Allgather between neighbors: blocks go both ways round, two at a time.
#
# Chen, Zhang, Zhang and Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with
# fast Ethernet", HPC Asia 2005.


def neighbor_exchange(call: Call) -> Rounds:
    """Exchange a block with a neighbor, then two with the other one and it by turns; odd: a ring."""
    ranks = call.ranks
    if ranks % 2:
        yield from in_rounds(ring)(call)
        return
    yield [Message.of(p, p ^ 1, *call.blocks(p)) for p in range(ranks)]
    # The first of the two blocks that each rank came to have last.
    latest = [p - p % 2 for p in range(ranks)]
    for number in range(1, ranks // 2):
        partner = [(p - 1 if (p + number) % 2 else p + 1) % ranks for p in range(ranks)]
        yield [Message.of(p, partner[p], *call.blocks(latest[p], 2)) for p in range(ranks)]
        latest = [latest[partner[p]] for p in range(ranks)]


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
    maximum = max(side.bit_length() - 1 for side in sides)
    return [step(side, n) for n in range(maximum) for side in order if 1 << n < sides[side]]


def alltoall_in_random_order(call: Call) -> Rounds:
    """Send all blocks at once, each rank in its own order, which is drawn once.

    Blue Gene/L does so to prevent the packets of all ranks from requesting the same links: Kumar et al., ICPP
    2008. The draws are **(ours)**.
    """
    made = []
    for p in range(call.ranks):
        others = [q for q in range(call.ranks) if q != p]
        random.Random(p).shuffle(others)
        made += [Message.of(p, q, call.block(p, q)) for q in others]
    yield made


def side(call: Call) -> int:
    """Return the ranks along the first side of the torus: `group`, or all if it does not divide them."""
    return call.group if call.group and call.ranks % call.group == 0 else call.ranks
