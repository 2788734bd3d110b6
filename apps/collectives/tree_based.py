"""Operations with a root along a tree: bcast, reduce, gather and scatter."""

from __future__ import annotations

from collections.abc import Callable

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import Call, Message, Part, Rounds
from netplace.apps.collectives.trees import Tree, subtree_sizes, whole_vector

__all__ = [
    "gather",
    "gather_linear_sync",
    "in_order_binary_reduce",
    "scatter",
    "tree_bcast",
    "tree_reduce",
]

Shape = Callable[[Call], Tree]


def tree_bcast(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the broadcast down a tree of some shape, in segments if there are any."""
    return lambda call: trees.down(call, shape(call), whole_vector(call))


def tree_reduce(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the reduction up a tree of some shape, in segments if there are any."""
    return lambda call: trees.up(call, shape(call), whole_vector(call))


def scatter(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the scatter down a tree: a child gets the blocks of all its subtree."""
    return lambda call: trees.down(call, tree := shape(call), _subtree_blocks(call, tree))


def gather(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the gather up a tree: a child gives the blocks of all its subtree."""
    return lambda call: trees.up(call, tree := shape(call), _subtree_blocks(call, tree))


def gather_linear_sync(call: Call) -> Rounds:
    """Answer an empty message of the root with a first segment (1,024 bytes) and the rest."""
    others = [call.rank(p) for p in range(1, call.ranks)]
    first = min(call.segment or 1024, call.bytes)
    yield [Message(call.root, rank, 0) for rank in others]
    yield [Message.of(r, call.root, (call.offsets[r], call.offsets[r] + first)) for r in others]
    yield [Message.of(r, call.root, (call.offsets[r] + first, call.offsets[r + 1])) for r in others]


def in_order_binary_reduce(call: Call) -> Rounds:
    """Reduce up a binary tree in order of ranks, to the last one, which sends the root the result.

    The parent of ranks lo..hi is hi; its children are hi - 1, with the upper half of the rest, and, of three
    or more, the last rank of the lower half.
    """
    # Ranks as seen from the last one, which is the root of the tree whatever the root of the operation.
    last = Call(call.operation, call.ranks, call.bytes, call.ranks - 1, call.segment)
    tree: Tree = [[] for _ in range(call.ranks)]
    _grow(tree, 0, call.ranks - 1)
    yield from trees.up(last, tree, whole_vector(last))
    if call.root != call.ranks - 1:
        yield [Message.of(call.ranks - 1, call.root, (0, call.vector))]


def _grow(tree: Tree, low: int, high: int) -> None:
    """Hang the ranks low..high into `tree`, below the last of them."""
    runs = [(low, high)]
    ranks = len(tree)
    for first, parent in runs:
        count = parent - first + 1
        middle = first + count // 2 - 1 if count > 2 else first - 1
        for begin, end in ((first, middle), (middle + 1, parent - 1)):
            if begin <= end:
                tree[(parent + 1) % ranks].append((end + 1) % ranks)
                runs.append((begin, end))


def _subtree_blocks(call: Call, tree: Tree) -> trees.Load:
    sizes = subtree_sizes(tree)

    def blocks(child: int) -> list[tuple[Part, ...]]:
        return [call.blocks(call.rank(child), sizes[child])]

    return blocks
