"""Trees of virtual ranks, which count from the root, and the messages along them.

The shapes are those of Open MPI (``coll_base_topo.c``); the binomial trees are also in Thakur, Rabenseifner
and Gropp, IJHPCA 19(1), 2005.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from netplace.apps.collectives.call import COMBINING, Call, Message, Part, Rounds, doubling

Tree = list[list[int]]
"""Children of each rank, in order of service."""

Load = Callable[[int], Sequence[tuple[Part, ...]]]
"""Messages between a rank and its parent, as the parts of each."""


def linear(call: Call) -> Tree:
    return [list(range(1, call.ranks)), *([] for _ in range(1, call.ranks))]


def binomial(call: Call) -> Tree:
    """Return the tree in which the children of p are p + 2^k for every 2^k above p."""
    levels = range(call.ranks.bit_length())
    return [[p + (1 << k) for k in levels if p < 1 << k < call.ranks - p] for p in range(call.ranks)]


def in_order_binomial(call: Call) -> Tree:
    """Return the tree in which those of p are p + 2^k below the lowest set bit of p, nearest first."""
    return [children[::-1] for children in knomial(call, 2)]


def knomial(call: Call, radix: int | None = None) -> Tree:
    """Return the tree in which those of p are p + j r^k, j < r, below its lowest digit in base r."""
    base = radix or call.radix
    tree: Tree = []
    for p in range(call.ranks):
        children: list[int] = []
        place = 1
        while place < call.ranks and p % (place * base) == 0:
            level = [p + j * place for j in range(1, base) if p + j * place < call.ranks]
            children = level + children
            place *= base
        tree.append(children)
    return tree


def backward(call: Call) -> Tree:
    """Return `linear` with the last child first."""
    return [children[::-1] for children in linear(call)]


def binary(call: Call) -> Tree:
    """Return the tree in which the children of p on level l are p + 2^l and p + 2^(l+1)."""
    steps = [1 << ((p + 1).bit_length() - 1) for p in range(call.ranks)]
    return [[c for c in (p + step, p + 2 * step) if c < call.ranks] for p, step in enumerate(steps)]


def chain(call: Call, fanout: int | None = None) -> Tree:
    """Return `fanout` chains of consecutive ranks, the first of them one longer where need be."""
    tree: Tree = [[] for _ in range(call.ranks)]
    chains = min(fanout or call.fanout, call.ranks - 1)
    head = 1
    for number in range(chains):
        length = (call.ranks - 1) // chains + (number < (call.ranks - 1) % chains)
        tree[0].append(head)
        for p in range(head, head + length - 1):
            tree[p] = [p + 1]
        head += length
    return tree


def pipeline(call: Call) -> Tree:
    return chain(call, 1)


def subtree_sizes(tree: Tree) -> list[int]:
    sizes = [1] * len(tree)
    for p in reversed(_from_root(tree)):
        sizes[p] += sum(sizes[child] for child in tree[p])
    return sizes


def down(call: Call, tree: Tree, load: Load) -> Rounds:
    """Send from the root: a rank passes on in a round what came in the round before."""
    depth = [0] * len(tree)
    for p in _from_root(tree):
        for child in tree[p]:
            depth[child] = depth[p] + 1
    edges = [(depth[p], p, child, child) for p in _from_root(tree) for child in tree[p]]
    return _in_rounds(call, edges, load)


def up(call: Call, tree: Tree, load: Load) -> Rounds:
    """Send to the root: a rank passes on in a round what its children brought in the round before."""
    height = [0] * len(tree)
    for p in reversed(_from_root(tree)):
        height[p] = max((height[child] + 1 for child in tree[p]), default=0)
    edges = [(height[p] - 1, child, p, child) for p in _from_root(tree) for child in tree[p]]
    return _in_rounds(call, edges, load)


def whole_vector(call: Call) -> Load:
    """Return the load of trees along which the whole vector goes, segment by segment."""
    pieces = [(part,) for part in call.segments(0, call.vector)]
    return lambda child: pieces


def _in_rounds(call: Call, edges: list[tuple[int, int, int, int]], load: Load) -> Rounds:
    """Yield the rounds of edges (first round, source, destination, child)."""
    rounds: dict[int, list[Message]] = defaultdict(list)
    for begin, source, destination, child in edges:
        for number, parts in enumerate(load(child), begin):
            rounds[number].append(Message.of(call.rank(source), call.rank(destination), *parts))
    yield from (rounds[number] for number in sorted(rounds))


def _from_root(tree: Tree) -> list[int]:
    """Return the ranks, parents before their children and level by level."""
    order = [0]
    for p in order:
        order.extend(tree[p])
    return order


Edges = list[tuple[int, int, int]]


def bcast_by_distance(call: Call) -> Rounds:
    for edges in reversed(list(levels(call.ranks))):
        yield [Message.of(call.rank(p), call.rank(c), (0, call.bytes)) for p, c, _ in edges]


def reduce_by_distance(call: Call) -> Rounds:
    return COMBINING.of(
        [Message.of(call.rank(c), call.rank(p), (0, call.bytes)) for p, c, _ in edges]
        for edges in levels(call.ranks)
    )


def scatter_by_distance(call: Call) -> Rounds:
    for edges in reversed(list(levels(call.ranks))):
        yield [Message.of(call.rank(p), call.rank(c), *call.blocks(call.rank(c), n)) for p, c, n in edges]


def gather_by_distance(call: Call) -> Rounds:
    for edges in levels(call.ranks):
        yield [Message.of(call.rank(c), call.rank(p), *call.blocks(call.rank(c), n)) for p, c, n in edges]


def levels(ranks: int) -> Iterator[Edges]:
    """Yield, for each distance from 1 up, (parent, child, ranks of the child's subtree)."""
    for distance in doubling(ranks):
        yield [
            (p, p + distance, min(distance, ranks - p - distance))
            for p in range(0, ranks - distance, 2 * distance)
        ]
