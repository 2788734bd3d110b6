"""Hierarchical collectives: first inside groups of ranks (a node or switch), then among one rank of each.

Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in parallel computer networks
to optimize collective operation performance", IPDPS 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isqrt

from netplace.apps.collectives.call import (
    Call,
    Message,
    Phase,
    Round,
    Rounds,
    beside,
    in_rounds,
    joined,
    renamed,
)
from netplace.apps.collectives.halving_doubling import allreduce_rabenseifner
from netplace.apps.collectives.linear import barrier_tree
from netplace.apps.collectives.recursive_doubling import dissemination
from netplace.apps.collectives.trees import bcast_by_distance, reduce_by_distance

Chosen = Callable[[Call], Rounds]
"""Returns the rounds of an operation under some algorithm."""


def nonoverlapping(chosen: Chosen, call: Call) -> Rounds:
    yield from chosen(replace(call, operation="reduce"))
    yield from chosen(replace(call, operation="bcast"))


def allgather_linear(chosen: Chosen, call: Call) -> Rounds:
    yield from chosen(replace(call, operation="gather"))
    yield from chosen(replace(call, operation="bcast", bytes=call.vector))


def allgatherv_default(chosen: Chosen, call: Call) -> Rounds:
    blocks = [Message.of(p, 0, *call.blocks(p)) for p in range(1, call.ranks)]
    yield from Phase("in turn").of([[message for message in blocks if message.bytes]])
    yield from chosen(replace(call, operation="bcast"))


def reduce_scatter_non_overlapping(chosen: Chosen, call: Call) -> Rounds:
    yield from chosen(replace(call, operation="reduce"))
    blocks = [Message.of(0, p, *call.blocks(p)) for p in range(1, call.ranks)]
    yield from Phase(blocking=True).of([[message for message in blocks if message.bytes]])


def reduce_scatter_block_basic_linear(chosen: Chosen, call: Call) -> Rounds:
    yield from chosen(replace(call, operation="reduce", bytes=call.vector))
    yield from chosen(replace(call, operation="scatter", bytes=call.bytes // call.ranks))


def bcast(call: Call) -> Rounds:
    """Broadcast along binomial trees among the leaders of groups, then inside each group."""
    groups, leaders = _groups(call)
    yield from _among(call, bcast_by_distance, [leaders], [leaders.index(call.root)])
    yield from _among(call, bcast_by_distance, groups, _places(groups, leaders))


def reduce(call: Call) -> Rounds:
    """Reduce along binomial trees inside each group, then among the leaders."""
    groups, leaders = _groups(call)
    yield from _among(call, reduce_by_distance, groups, _places(groups, leaders))
    yield from _among(call, reduce_by_distance, [leaders], [leaders.index(call.root)])


def allreduce(call: Call) -> Rounds:
    """Reduce inside each group, allreduce by Rabenseifner's algorithm among leaders, broadcast inside."""
    groups, leaders = _groups(call)
    yield from _among(call, reduce_by_distance, groups, _places(groups, leaders))
    yield from _among(call, allreduce_rabenseifner, [leaders], [0])
    yield from _among(call, bcast_by_distance, groups, _places(groups, leaders))


def barrier(call: Call) -> Rounds:
    """Report inside each group, disseminate among leaders, and be released."""
    groups, leaders = _groups(call)
    half = [list(_halves(len(group))) for group in groups]
    yield from beside(renamed(up, group.__getitem__) for group, (up, _) in zip(groups, half, strict=True))
    yield from _among(call, in_rounds(dissemination), [leaders], [0])
    yield from beside(renamed(down, group.__getitem__) for group, (_, down) in zip(groups, half, strict=True))


def allgather(call: Call) -> Rounds:
    """Gather to each leader, pass the blocks of groups round a ring of leaders, and broadcast all inside."""
    groups, leaders = _groups(call)
    yield [Message.of(p, group[0], *call.blocks(p)) for group in groups for p in group[1:]]
    count = len(groups)
    for k in range(count - 1):
        passed = []
        for g, leader in enumerate(leaders):
            group = groups[(g - k) % count]
            passed.append(Message.of(leader, leaders[(g + 1) % count], *joined(call.offsets, group)))
        yield passed
    whole = Call("bcast", call.ranks, call.vector)
    yield from _among(whole, bcast_by_distance, groups, [0] * count)


def _groups(call: Call) -> tuple[list[list[int]], list[int]]:
    """Return the groups and their leaders: the root in its own group, the first rank in the others."""
    size = call.group or max(1, isqrt(call.ranks))
    groups = [list(range(at, min(at + size, call.ranks))) for at in range(0, call.ranks, size)]
    if call.groups and not call.group:
        members: dict[int, list[int]] = {}
        for rank, number in enumerate(call.groups):
            members.setdefault(number, []).append(rank)
        groups = list(members.values())
    return groups, [call.root if call.root in group else group[0] for group in groups]


def _places(groups: Sequence[Sequence[int]], leaders: Sequence[int]) -> list[int]:
    return [group.index(leader) for group, leader in zip(groups, leaders, strict=True)]


def _among(call: Call, inner: Chosen, groups: Sequence[Sequence[int]], roots: Sequence[int]) -> Rounds:
    """Yield the rounds in which all groups execute the operation on the whole vector."""
    sides = []
    for group, root in zip(groups, roots, strict=True):
        own = Call(call.operation, len(group), call.bytes, root, call.segment)
        sides.append(list(renamed(inner(own), group.__getitem__)))
    yield from beside(sides)


def _halves(ranks: int) -> tuple[list[Round], list[Round]]:
    """Return how a group reports to its leader, and how it is released."""
    rounds = list(barrier_tree(Call("barrier", ranks, 0)))
    return rounds[: len(rounds) // 2], rounds[len(rounds) // 2 :]
