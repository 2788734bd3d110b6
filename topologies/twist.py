"""Routes and cuts of a twisted 2-D torus: the plane of moves modulo the vectors that return to the start.

A route record is a vector of signed hops. Going around along X (A nodes) leads back to the start. So does
going around along Y (B nodes) and then back by the twist T along X. Two vectors (x, y) therefore lead to the
same node if they differ by a sum of multiples of (A, 0) and (-T, B).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Twist:
    """Minimal routes between the nodes of a twisted torus, which are all equivalent."""

    sizes: tuple[int, ...]  # the two sides, X and Y, each at least 2
    twist: int  # number of nodes along X by which a packet is shifted where it passes the end of Y
    neighbor: NDArray[np.int32]  # shape (nodes, 4): the wiring, as in `Topology`

    def reduce(self, vector: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the vectors, shape (..., 2), that lead to the same nodes and lie within the sides."""
        rounds, y = np.divmod(vector[..., 1], self.sizes[1])
        return np.stack(((vector[..., 0] + rounds * self.twist) % self.sizes[0], y), axis=-1)

    @cached_property
    def _search(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hops to each node from node 0, and the first minimal record as one number, x * span + y."""
        # Breadth first: a record in front of which one hop is put leads one node further, and of all records
        # that come from one node by one port the first stays the first.
        hops = np.full(len(self.neighbor), -1)
        first = np.full(len(self.neighbor), np.iinfo(np.int64).max)
        hops[0] = first[0] = 0
        reached = np.zeros(1, np.int64)
        while reached.size:
            far = int(hops[reached[0]]) + 1
            for port, step in enumerate((self._span, -self._span, 1, -1)):
                end = self.neighbor[reached, port]  # all different: a port leads to every node from just one
                onward = (hops[end] < 0) | (hops[end] == far)
                first[end[onward]] = np.minimum(first[end[onward]], first[reached[onward]] + step)
                hops[end[onward]] = far
            reached = np.flatnonzero(hops == far)
        return hops, first

    @property
    def _span(self) -> int:
        return 2 * sum(self.sizes)  # more than a y and its negative are apart

    @property
    def hops(self) -> NDArray[np.int64]:
        """Distance from node 0 to each node, shape (nodes,)."""
        return self._search[0]

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """First of the minimal records from node 0 to each node, shape (nodes, 2)."""
        x, y = np.divmod(self._search[1] + self._span // 2, self._span)
        return np.stack((x, y - self._span // 2), axis=-1)

    def records(self, reduced: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return all minimal records that lead where one reduced vector leads, in lexicographic order."""
        width, height = self.sizes
        least = int(self.hops[reduced[0] + width * reduced[1]])
        rounds = np.arange(-(least // height) - 1, least // height + 1)
        y = reduced[1] + rounds * height
        x = (reduced[0] - rounds * self.twist) % width
        ways = np.concatenate([np.stack((x, y), axis=-1), np.stack((x - width, y), axis=-1)])
        minimal = ways[np.abs(ways).sum(axis=-1) == least]
        return np.asarray(minimal[np.lexsort(minimal.T[::-1])])

    @property
    def bisection_width(self) -> int:
        """Fewest links, counted in one direction, between two halves of the nodes.

        On the torus, the border between the halves is a set of closed curves that cross the links. There are
        two cases. Either each curve can be contracted to a point, and they enclose half of the nodes, best as
        a near-square; or two of them go around the torus in the same way. The shortest way around is the
        shortest vector that returns to the start. If it has hops in both dimensions, two such staircases can
        enclose any number of nodes. Two straight lines enclose only full rings, and any other number costs
        two more links.
        """
        half = math.prod(self.sizes) // 2
        square = 2 * (math.isqrt(4 * half - 1) + 1)  # perimeter of the roundest shape, 2 * ceil(2 sqrt(half))
        width, height = self.sizes
        ring = height * (width // math.gcd(width, self.twist))
        straight = [2 * way + 2 * (half % way != 0) for way in (width, ring)]
        return min(square, *straight, 2 * self._shortest_staircase())

    def _shortest_staircase(self) -> int:
        """Return the length of the shortest vector with hops in both dimensions that returns to the start."""
        width, height = self.sizes
        shifts = ((rounds, rounds * self.twist % width) for rounds in range(1, width + 1))
        return min(rounds * height + (min(shift, width - shift) or width) for rounds, shift in shifts)
