"""Operations with a root along a tree: bcast, reduce, gather and scatter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import (
    COMBINING,
    Call,
    Message,
    Part,
    Phase,
    Round,
    Rounds,
    beside,
    doubling,
)
from netplace.apps.collectives.recursive_doubling import forwards
from netplace.apps.collectives.trees import Tree, levels, linear, subtree_sizes, whole_vector

# Two binary trees, each with half of the vector: a rank that is inside one is a leaf of the other.
#
# Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
# Computing 35, 2009; so named by NCCL since its version 2.4.

Flow = Callable[[Call, Tree, trees.Load], Rounds]


def allreduce_double_binary_tree(call: Call) -> Rounds:
    """Reduce both halves up their trees, then broadcast them back down, each tree on its own."""
    yield from _both(call, (trees.up, trees.down))


def double_tree_bcast(call: Call) -> Rounds:
    """Send each half to the root of its tree, which broadcasts it."""
    yield from _both(call, (trees.down,))


def double_tree_reduce(call: Call) -> Rounds:
    """Reduce each half up its tree, whose root sends it to the root."""
    yield from _both(call, (trees.up,))


def _both(call: Call, flows: tuple[Flow, ...]) -> Rounds:
    """Yield the rounds of both trees side by side, with the messages between the root and their roots."""
    middle = (call.bytes + 1) // 2
    halves = [(0, middle), (middle, call.bytes)] if call.bytes > 1 and call.ranks > 2 else [(0, call.bytes)]
    sides = []
    for number, half in enumerate(halves):
        # Ranks as seen from the root of this tree.
        root, tree = _inner_tree(call.ranks, shifted=number)
        seen = Call("bcast", call.ranks, call.bytes, call.rank(root), call.segment)
        pieces = [(part,) for part in call.segments(*half)]
        rounds: list[Round] = []
        if call.operation == "bcast" and seen.root != call.root:
            rounds.append([Message.of(call.root, seen.root, half)])
        for flow in flows:
            flowing = flow(seen, tree, lambda child, pieces=pieces: pieces)  # type: ignore[misc]
            rounds += COMBINING.of(flowing) if flow is trees.up else flowing
        if call.operation == "reduce" and seen.root != call.root:
            rounds.append([Message.of(seen.root, call.root, half)])
        sides.append(rounds)
    yield from beside(sides)


def _inner_tree(ranks: int, shifted: int) -> tuple[int, Tree]:
    """Return the root of an in-order tree and its children lists, counted from that root."""
    # Number the ranks from 1: the place of p is its lowest set bit, so that odd numbers are leaves. The
    # second tree is the first with all ranks one further on, whose odd numbers are inside.
    root = 1 << (ranks.bit_length() - 1)
    tree: Tree = [[] for _ in range(ranks)]
    for number in range(1, ranks + 1):
        step = (number & -number) >> 1
        for child in (number - step, _upper_child(number, step, ranks)):
            if step and child:
                tree[(number - root) % ranks].append((child - root) % ranks)
    return (root - 1 + shifted) % ranks, tree


def _upper_child(number: int, step: int, ranks: int) -> int:
    """Return the root of the part of its subtree above `number`; 0 if there is none."""
    while step and number + step > ranks:
        step >>= 1
    return number + step if step else 0


Shape = Callable[[Call], Tree]


def tree_bcast(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the broadcast down a tree of some shape, in segments if there are any."""
    return lambda call: Phase("segments").of(trees.down(call, shape(call), whole_vector(call)))


def tree_reduce(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the reduction up a tree of some shape, in segments if there are any."""
    return lambda call: Phase("segments", combines=True).of(trees.up(call, shape(call), whole_vector(call)))


def reduce_linear(call: Call) -> Rounds:
    """Receive the vectors of all ranks, the last one first."""
    return Phase("in turn", combines=True).of(trees.up(call, trees.backward(call), whole_vector(call)))


def scatter(shape: Shape, blocking: bool = True) -> Callable[[Call], Rounds]:
    """Return the scatter from the root of a tree: a child gets the blocks of all its subtree."""
    phase = Phase(blocking=blocking)
    return lambda call: phase.of(trees.down(call, tree := shape(call), _subtree_blocks(call, tree)))


def gather(shape: Shape) -> Callable[[Call], Rounds]:
    """Return the gather toward the root of a tree: a child gives the blocks of all its subtree."""
    phase = Phase("in turn")
    return lambda call: phase.of(trees.up(call, tree := shape(call), _subtree_blocks(call, tree)))


def gather_linear_sync(call: Call) -> Rounds:
    """Answer an empty message of the root with a first segment (1,024 bytes) and the rest."""
    others = [call.rank(p) for p in range(1, call.ranks)]
    first = min(call.segment or 1024, call.bytes)
    for r in others:
        yield [Message(call.root, r, 0)]
        yield [Message.of(r, call.root, (call.offsets[r], call.offsets[r] + first))]
    yield [Message.of(r, call.root, (call.offsets[r] + first, call.offsets[r + 1])) for r in others]


def in_order_binary_reduce(call: Call) -> Rounds:
    """Reduce up a binary tree in order of ranks, to the last one, which sends the root the result.

    The parent of ranks lo..hi is hi; its children are hi - 1, with the upper half of the rest, and, of three
    or more, the last rank of the lower half.
    """
    # Ranks as seen from the last one, which is the root of the tree whatever the root of the operation.
    last = Call(call.operation, call.ranks, call.bytes, call.ranks - 1, call.segment)
    tree = _in_order_binary(call.ranks)
    yield from Phase("segments", combines=True).of(trees.up(last, tree, whole_vector(last)))
    if call.root != call.ranks - 1:
        yield [Message.of(call.ranks - 1, call.root, (0, call.vector))]


def _in_order_binary(ranks: int) -> Tree:
    tree: Tree = [[] for _ in range(ranks)]
    runs = [(0, ranks - 1)]
    for first, parent in runs:
        count = parent - first + 1
        middle = first + count // 2 - 1 if count > 2 else first - 1
        for begin, end in ((middle + 1, parent - 1), (first, middle)):
            if begin <= end:
                tree[(parent + 1) % ranks].append((end + 1) % ranks)
                runs.append((begin, end))
    return tree


def _subtree_blocks(call: Call, tree: Tree) -> trees.Load:
    sizes = subtree_sizes(tree)

    def blocks(child: int) -> list[tuple[Part, ...]]:
        return [call.blocks(call.rank(child), sizes[child])]

    return blocks


# Broadcast of halves down the two subtrees of a binary tree, which then exchange them.
#
# Open MPI, ``coll_base_bcast.c``.


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

    yield from Phase("segments", blocking=True).of(trees.down(call, trees.binary(call), load))
    exchanged = [
        Message.of(call.rank(p), call.rank(q), half)
        for odd in range(1, call.ranks - 1, 2)
        for p, q, half in ((odd, odd + 1, halves[0]), (odd + 1, odd, halves[1]))
    ]
    if call.ranks % 2 == 0:
        exchanged.append(Message.of(call.root, call.rank(call.ranks - 1), halves[1]))
    yield exchanged


# Broadcast of long vectors: scatter, then allgather.
#
# Barnett, Payne, van de Geijn and others, 1994-95; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.


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
        yield [_message(call, p, p ^ k, p - p % k, k) for p in range(ranks) if p ^ k < ranks]
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
