"""Two binary trees, each with half of the vector: a rank that is inside one is a leaf of the other.

Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
Computing 35, 2009; so named by NCCL since its version 2.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from netplace.apps.collectives import trees
from netplace.apps.collectives.call import Call, Message, Round, Rounds
from netplace.apps.collectives.trees import Tree

__all__ = ["allreduce_double_binary_tree", "double_tree_bcast", "double_tree_reduce"]

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
    """Yield the rounds of both trees side by side, with what goes between the root and theirs."""
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
            rounds += flow(seen, tree, lambda child, pieces=pieces: pieces)  # type: ignore[misc]
        if call.operation == "reduce" and seen.root != call.root:
            rounds.append([Message.of(seen.root, call.root, half)])
        sides.append(rounds)
    yield from _beside(sides)


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
    """Return the root of what lies above `number` in its subtree, 0 if nothing does."""
    while step and number + step > ranks:
        step >>= 1
    return number + step if step else 0


def _beside(sides: Iterable[Iterable[Round]]) -> Rounds:
    """Yield rounds of the same number together."""
    joined: dict[int, list[Message]] = defaultdict(list)
    for rounds in sides:
        for number, messages in enumerate(rounds):
            joined[number] += messages
    yield from (joined[number] for number in sorted(joined))
