"""Allgather between neighbors: blocks go both ways round, two at a time.

Chen, Zhang, Zhang and Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with
fast Ethernet", HPC Asia 2005.
"""

from __future__ import annotations

from netplace.apps.collectives.call import Call, Message, Rounds, in_rounds
from netplace.apps.collectives.ring import ring

__all__ = ["neighbor_exchange"]


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
