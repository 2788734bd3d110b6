"""Operations put together from others, each by Open MPI's default choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from netplace.apps.collectives.call import Call, Message, Rounds

__all__ = [
    "allgather_linear",
    "allgatherv_default",
    "nonoverlapping",
    "reduce_scatter_block_basic_linear",
    "reduce_scatter_non_overlapping",
]

Chosen = Callable[[Call], Rounds]
"""Returns the rounds of an operation by the default choice."""


def nonoverlapping(chosen: Chosen) -> Chosen:
    """Reduce to rank 0, then broadcast."""

    def rounds(call: Call) -> Rounds:
        yield from chosen(replace(call, operation="reduce"))
        yield from chosen(replace(call, operation="bcast"))

    return rounds


def allgather_linear(chosen: Chosen) -> Chosen:
    """Gather to rank 0, then broadcast all of it."""

    def rounds(call: Call) -> Rounds:
        yield from chosen(replace(call, operation="gather"))
        yield from chosen(replace(call, operation="bcast", bytes=call.vector))

    return rounds


def allgatherv_default(chosen: Chosen) -> Chosen:
    """All blocks straight to rank 0, then broadcast."""

    def rounds(call: Call) -> Rounds:
        blocks = [Message.of(p, 0, *call.blocks(p)) for p in range(1, call.ranks)]
        yield [message for message in blocks if message.bytes]
        yield from chosen(replace(call, operation="bcast"))

    return rounds


def reduce_scatter_non_overlapping(chosen: Chosen) -> Chosen:
    """Reduce to rank 0, which sends each rank its block."""

    def rounds(call: Call) -> Rounds:
        yield from chosen(replace(call, operation="reduce"))
        blocks = [Message.of(0, p, *call.blocks(p)) for p in range(1, call.ranks)]
        yield [message for message in blocks if message.bytes]

    return rounds


def reduce_scatter_block_basic_linear(chosen: Chosen) -> Chosen:
    """Reduce to rank 0, then scatter."""

    def rounds(call: Call) -> Rounds:
        yield from chosen(replace(call, operation="reduce", bytes=call.vector))
        yield from chosen(replace(call, operation="scatter", bytes=call.bytes // call.ranks))

    return rounds
