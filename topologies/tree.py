"""Trees of switches with the nodes below the leaves: k-ary n-trees and thin trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import abbreviate
from netplace.records import array_of
from netplace.topologies.limits import check_size
from netplace.topologies.topology import Topology


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Topology):
    """A multistage tree whose switches have `down` ports towards the nodes and `up` ports away from them.

    `up` equals `down` in a k-ary n-tree and is smaller in a thin tree. Routers 0..nodes-1 are the nodes, each
    with a single port 0, which leads to its leaf switch. The switches follow, stage by stage from the leaves
    (stage 0): switch r of stage s is router ``first_switches[s] + r``. Ports 0..up-1 of a switch lead up, and
    ports up..up+down-1 lead down; the upward ports of the top stage are not connected. Inputs have the
    numbers of their ports. Node i is at down port ``up + i % down`` of leaf switch ``i // down``. Up port p
    of switch r of stage s leads to switch ``up**(s+1) * (r // (down * up**s)) + p * up**s + r % up**s`` of
    the next stage, at its down port ``up + (r // up**s) % down``.
    """

    down: int
    up: int
    stages: int

    def rebuilt(self) -> Tree:
        """Return a new tree with the same numbers and wiring."""
        return tree(self.text, self.down, self.up, self.stages)

    @property
    def switches_per_stage(self) -> tuple[int, ...]:
        """Number of switches in each stage, leaves first."""
        return _switches(self.down, self.up, self.stages)

    @property
    def first_switches(self) -> tuple[int, ...]:
        """Router number of the first switch of each stage, leaves first."""
        firsts = np.cumsum([self.nodes, *self.switches_per_stage])
        return tuple(firsts[:-1].tolist())

    def stage_of(self, routers: ArrayLike) -> NDArray[np.int64]:
        """Return the stage of each of `routers`, 0 for a leaf switch; -1 for a node."""
        given = array_of(routers, "router")
        if given.size and given.dtype.kind not in "iu":
            raise ValueError(f"router: {abbreviate(given.flat[0])} is not a whole number")
        wrong = (given < 0) | (given >= self.routers)
        if wrong.any():
            raise ValueError(f"router: {given[wrong][0]} is not in 0..{self.routers - 1} of {self.text}")
        return np.searchsorted(self.first_switches, given, side="right") - 1

    def level(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the level of the lowest common ancestor of nodes `a` and `b`, broadcast against each other.

        The level is 1 if both nodes are below the same leaf switch, `stages` if their ancestor is in the top
        stage, and 0 if `a` equals `b`.
        """
        a, b = self.check_pairs(a, b)
        level = np.zeros(np.broadcast_shapes(a.shape, b.shape), np.int64)
        for stage in range(self.stages):
            level += a // self.down**stage != b // self.down**stage
        return level

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops of a minimal route between nodes `a` and `b`, broadcast against each other."""
        return 2 * self.level(a, b)

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes, in hops."""
        return 2 * self.stages

    @property
    def average_distance(self) -> float:
        """Mean distance over all ordered pairs of different nodes, in hops."""
        below: list[int] = [self.down**level for level in range(self.stages + 1)]
        hops = sum(2 * level * (below[level] - below[level - 1]) for level in range(1, self.stages + 1))
        return hops / (self.nodes - 1)

    @property
    def bisection_width(self) -> int:
        """Smallest number of directed links from one half of the nodes to the other.

        The cut passes below the top stage: half of the subtrees there, each with ``up**(stages-1)`` links,
        are on either side. If the number of subtrees is odd, the middle one is cut in the same way, and so
        on. In a k-ary n-tree, the width is half of the number of nodes, rounded down.
        """
        links: list[int] = [self.up**stage for stage in range(self.stages)]
        return self.down // 2 * sum(links if self.down % 2 else links[-1:])


def tree(text: str, down: int, up: int, stages: int) -> Tree:
    """Return the wired tree of these numbers; `kary_ntree` and `thin_tree` check their arguments."""
    # No more than 64 stages are counted: fewer are too many already, and huge powers take for ever.
    counted = min(stages, 64)
    check_size(text, down**counted + sum(_switches(down, up, counted)), down + up)
    nodes, switches = down**stages, _switches(down, up, stages)
    routers = nodes + sum(switches)
    neighbor = np.full((routers, down + up), -1, np.int32)
    entry = np.full((routers, down + up), -1, np.int32)

    def wire(
        router: NDArray[np.int64], port: NDArray[np.int64] | int, above: NDArray[np.int64],
        at: NDArray[np.int64],
    ) -> None:  # fmt: skip
        neighbor[router, port], entry[router, port] = above, at
        neighbor[above, at], entry[above, at] = router, port

    node = np.arange(nodes)
    wire(node, 0, nodes + node // down, up + node % down)
    first = nodes
    for stage in range(stages - 1):
        count, reach = switches[stage], up**stage
        switch, port = np.divmod(np.arange(count * up), up)
        above = up * reach * (switch // (down * reach)) + port * reach + switch % reach
        wire(first + switch, port, first + count + above, up + switch // reach % down)
        first += count
    return Tree(text, nodes, routers, neighbor, entry, down, up, stages)


def _switches(down: int, up: int, stages: int) -> tuple[int, ...]:
    return tuple(down ** (stages - 1 - stage) * up**stage for stage in range(stages))
