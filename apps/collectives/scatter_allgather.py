"""Broadcast of long vectors: scatter, then allgather.

Barnett, Payne, van de Geijn and others, 1994-95; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
"""

from __future__ import annotations

from netplace.apps.collectives.call import Call, Message, Part, Rounds, doubling
from netplace.apps.collectives.recursive_doubling import forwards
from netplace.apps.collectives.tree_based import tree_bcast
from netplace.apps.collectives.trees import levels, linear


def scatter_allgather(call: Call) -> Rounds:
    """Scatter, then allgather by recursive doubling; linear below a byte a rank, as in Open MPI."""
    return (tree_bcast(linear) if call.bytes < call.ranks else scatter_recursive_doubling_allgather)(call)


def scatter_allgather_ring(call: Call) -> Rounds:
    """Scatter, then pass the blocks round a ring; linear below a byte a rank, as in Open MPI."""
    return (tree_bcast(linear) if call.bytes < call.ranks else scatter_ring_allgather)(call)


def scatter_recursive_doubling_allgather(call: Call) -> Rounds:
    """Scatter down the in-order binomial tree, then allgather by recursive doubling, empty blocks too."""
    yield from _scatter(call)
    ranks = call.ranks
    for k in doubling(ranks):
        exchanged: list[Message] = []
        for p in range(ranks):
            if p ^ k < ranks:
                exchanged.append(_message(call, p, p ^ k, p - p % k, k))
        yield exchanged
        for forwarded in forwards(ranks, k):
            yield [_message(call, p, q, p - p % k + k, k) for p, q in forwarded]


def scatter_ring_allgather(call: Call) -> Rounds:
    """Scatter down the in-order binomial tree, then pass the blocks round a ring, empty ones too."""
    yield from _scatter(call)
    for k in range(call.ranks - 1):
        yield [_message(call, p, (p + 1) % call.ranks, (p - k) % call.ranks, 1) for p in range(call.ranks)]


def _scatter(call: Call) -> Rounds:
    """Send p + 2^k what its subtree needs, the highest k first; nothing if that is empty."""
    for edges in reversed(list(levels(call.ranks))):
        sent = [_message(call, parent, child, child, count) for parent, child, count in edges]
        yield [message for message in sent if message.bytes]


def _message(call: Call, source: int, destination: int, first: int, count: int) -> Message:
    return Message.of(call.rank(source), call.rank(destination), _blocks(call, first, count))


def _blocks(call: Call, first: int, count: int) -> Part:
    """Return where blocks of ceil(bytes / ranks) lie; the last ones may be short or empty."""
    block = -(-call.bytes // call.ranks)
    return min(first * block, call.bytes), min(min(first + count, call.ranks) * block, call.bytes)
