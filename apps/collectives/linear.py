"""Direct messages: from every rank to every other, or to and from one rank."""

from __future__ import annotations

from netplace.apps.collectives.call import COMBINING, Call, Message, Part, Phase, Rounds, Shifted
from netplace.apps.collectives.tree_based import reduce_linear, tree_bcast
from netplace.apps.collectives.trees import levels, linear


def basic_linear_allreduce(call: Call) -> Rounds:
    yield from reduce_linear(call)
    yield from tree_bcast(linear)(call)


def pairwise(call: Call) -> Shifted:
    """In round k, p sends to p + k."""
    for k in range(1, call.ranks):
        yield k, lambda p, k=k: (call.block(p, (p + k) % call.ranks),)  # type: ignore[misc]


def backward(call: Call) -> Shifted:
    """In round k, p sends to p - k."""
    for k in range(1, call.ranks):
        yield -k, lambda p, k=k: (call.block(p, (p - k) % call.ranks),)  # type: ignore[misc]


def scattered(call: Call) -> Shifted:
    """In round k, p sends to p + k, but no empty block."""
    for distance, blocks in pairwise(call):
        yield distance, lambda p, blocks=blocks: _unless_empty(*blocks(p))  # type: ignore[misc]


def pairwise_exchange(call: Call) -> Rounds:
    """In round k, p exchanges with p xor k; for a power of two."""
    for k in range(1, call.ranks):
        yield [Message.of(p, p ^ k, call.block(p, p ^ k)) for p in range(call.ranks)]


def reduce_scatter_pairwise(call: Call) -> Shifted:
    """In round k, p sends the block of p + k straight to it."""
    for k in range(1, call.ranks):
        yield k, lambda p, k=k: call.blocks(p + k)  # type: ignore[misc]


def barrier_linear(call: Call) -> Rounds:
    yield [Message(p, 0, 0) for p in range(1, call.ranks)]
    yield from Phase(blocking=True).of([[Message(0, p, 0) for p in range(1, call.ranks)]])


def barrier_tree(call: Call) -> Rounds:
    """Report up the in-order binomial tree, distance by distance, and be released back down."""
    for level in levels(call.ranks):
        yield [Message(child, parent, 0) for parent, child, _ in level]
    for level in reversed(list(levels(call.ranks))):
        yield [Message(parent, child, 0) for parent, child, _ in level]


def chain_scan(call: Call) -> Rounds:
    return COMBINING.of([Message.of(p, p + 1, (0, call.bytes))] for p in range(call.ranks - 1))


def _unless_empty(block: Part) -> tuple[Part] | None:
    return (block,) if block[0] < block[1] else None
