"""Routes and cuts of a twisted 2-D torus: the plane of moves, folded by the vectors that lead nowhere.

A route record is a vector of signed hops. Going round the longer side (A nodes) leads back to the start, and
so does going round the shorter one (B nodes) when the twist T is walked back along the longer. So two vectors
(longer, shorter) lead to the same node if they differ by a sum of multiples of (A, 0) and (-T, B).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Twist", "longer"]


def longer(sizes: tuple[int, ...]) -> int:
    """Return the dimension of the longer of two sides, the first of equals."""
    return int(sizes[1] > sizes[0])


@dataclass(frozen=True, eq=False)
class Twist:
    """Minimal routes between the nodes of a twisted torus, all of which are alike.

    Attributes
    ----------
    sizes : tuple of int
        The two sides, each at least 2.
    twist : int
        Nodes by which the longer coordinate is shifted where the shorter one passes its end.
    """

    sizes: tuple[int, ...]
    twist: int

    @property
    def _sides(self) -> tuple[int, int]:
        return max(self.sizes), min(self.sizes)

    def reduce(self, vector: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the vectors, shape (..., 2), that lead to the same nodes and lie within the sides."""
        axis = longer(self.sizes)
        long_side, short_side = self._sides
        rounds = vector[..., 1 - axis] // short_side
        reduced = np.empty_like(vector)
        reduced[..., axis] = (vector[..., axis] + rounds * self.twist) % long_side
        reduced[..., 1 - axis] = vector[..., 1 - axis] - rounds * short_side
        return reduced

    def _equivalent(self, reduced: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield every vector that leads to the same node as a reduced one and could be minimal."""
        axis = longer(self.sizes)
        long_side, short_side = self._sides
        # Some route takes at most half of each side, so none that is longer needs a look.
        reach = long_side // 2 + short_side // 2
        for rounds in range(-(reach // short_side) - 1, reach // short_side + 1):
            vector = np.empty_like(reduced)
            vector[..., 1 - axis] = reduced[..., 1 - axis] + rounds * short_side
            vector[..., axis] = (reduced[..., axis] - rounds * self.twist) % long_side
            yield vector
            back = vector.copy()
            back[..., axis] -= long_side
            yield back

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """First of the minimal records from node 0 to each node, shape (nodes, 2)."""
        node = np.arange(math.prod(self.sizes))
        place = np.stack([node % self.sizes[0], node // self.sizes[0]], axis=-1)
        best = place.copy()
        for vector in self._equivalent(place):
            hops, least = np.abs(vector).sum(axis=-1), np.abs(best).sum(axis=-1)
            (x, y), (best_x, best_y) = vector.T, best.T
            before = (x < best_x) | ((x == best_x) & (y < best_y))
            better = (hops < least) | ((hops == least) & before)
            best[better] = vector[better]
        return best

    @cached_property
    def hops(self) -> NDArray[np.int64]:
        """Distance from node 0 to each node, shape (nodes,)."""
        return np.asarray(np.abs(self.nearest).sum(axis=-1))

    def records(self, reduced: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return all minimal records that lead where one reduced vector leads, in lexicographic order."""
        vectors = [tuple(vector.tolist()) for vector in self._equivalent(reduced)]
        least = min(abs(x) + abs(y) for x, y in vectors)
        return np.array(sorted(v for v in vectors if abs(v[0]) + abs(v[1]) == least), np.int64)

    @property
    def bisection_width(self) -> int:
        """Fewest links, counted in one direction, between two halves of the nodes.

        Drawn on the torus, the border between the halves is a set of closed curves that cross the links.
        Either each of them can be drawn together to a point, and they enclose half of the nodes, best as a
        near-square; or two of them go round the torus in the same way. The shortest way round is the
        shortest vector that leads nowhere. If it has hops in both dimensions, two such staircases can enclose
        any number of nodes; two straight lines only full rings, and any other number costs two links more.
        """
        half = math.prod(self.sizes) // 2
        square = 2 * math.ceil(2 * math.sqrt(half))
        long_side, short_side = self._sides
        ring = short_side * (long_side // math.gcd(long_side, self.twist))
        straight = [2 * way + 2 * (half % way != 0) for way in (long_side, ring)]
        return min(square, *straight, 2 * self._shortest_staircase())

    def _shortest_staircase(self) -> int:
        """Return the length of the shortest vector with hops in both dimensions that leads nowhere."""
        long_side, short_side = self._sides
        shifts = ((rounds, rounds * self.twist % long_side) for rounds in range(1, long_side + 1))
        return min(
            rounds * short_side + (min(shift, long_side - shift) or long_side) for rounds, shift in shifts
        )
