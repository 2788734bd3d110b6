"""Broadcast of halves down the two subtrees of a binary tree, which then exchange them.

Open MPI, ``coll_base_bcast.c``.
"""

from __future__ import annotations

from collections.abc import Sequence

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.tree_based import tree_bcast

__all__ = ["split_binary_tree"]


def split_binary_tree(call: Call) -> Rounds:
    """Send the first half down the left subtree and the other down the right one, then exchange.

    Odd ranks, from the root on, are in the left subtree. The partner of an odd p is p + 1; a last rank
    without one gets the second half from the root. Halves shorter than a segment go down a pipeline, whole.
    """
    middle = (call.bytes + 1) // 2
    if not 0 < max(call.segment, 1) <= call.bytes - middle:
        yield from tree_bcast(trees.pipeline)(call)
        return
    halves = (0, middle), (middle, call.bytes)
    pieces = [[(part,) for part in call.segments(*half)] for half in halves]

    def load(child: int) -> Sequence[tuple[Part, ...]]:
        return pieces[(child + 1) % 2]

    yield from trees.down(call, trees.binary(call), load)
    exchanged = [
        Message.of(call.rank(p), call.rank(q), half)
        for odd in range(1, call.ranks - 1, 2)
        for p, q, half in ((odd, odd + 1, halves[0]), (odd + 1, odd, halves[1]))
    ]
    if call.ranks % 2 == 0:
        exchanged.append(Message.of(call.root, call.rank(call.ranks - 1), halves[1]))
    yield exchanged
