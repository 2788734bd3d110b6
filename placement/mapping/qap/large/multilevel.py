"""Multilevel placement: clusters of tasks are placed on blocks of the machine, then split, and so on.

Tasks and locations come in pairs of pairs; at every level clusters are annealed over blocks of as many
locations, at temperatures that mend what is near and leave what is far as it is. Sources: C. Walshaw,
"Multilevel refinement for combinatorial optimization problems", Annals of Operations Research 131 (2004); for
mapping: C. Schulz and J. L. Träff, "Better process mapping and sparse quadratic assignment", SEA 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.large.annealing import Level, anneal
from netplace.placement.mapping.qap.large.coarsening import merged
from netplace.placement.mapping.qap.large.effort import Effort
from netplace.placement.mapping.qap.large.order import nearest
from netplace.placement.mapping.qap.locations import Locations

__all__ = ["Machine", "refined"]

_GROWTH = 1.5  # how much more effort a level gets than the next coarser one, which has half as many clusters
_COOL = 0.03


class Machine:
    """The locations at every level, blocks of two at each.

    Parameters
    ----------
    locations : Locations
        In the order of `bisected`.
    coarsest : int
        No level has fewer than half as many blocks.
    """

    def __init__(self, locations: Locations, coarsest: int):
        self.levels = [locations]
        while len(self.levels[-1]) > coarsest:
            self.levels.append(self.levels[-1].halved())
        self.near: list[NDArray[np.int32]] = [nearest(level) for level in self.levels]

    def problem(self, level: int, flows: Any) -> Level:
        """Return what is to be annealed at `level`."""
        fixed = len(self.levels[level]) - 1 if len(self.levels[0]) % (1 << level) else -1
        lists = (flows.indptr, flows.indices, flows.data)
        return Level(lists, self.levels[level], self.near[level], fixed)


def refined(
    machine: Machine,
    flows: Any,
    place: NDArray[Any],
    levels: int,
    hot: Sequence[float],
    until: float,
    effort: Effort,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return a better placement: clusters of tasks in one block are annealed, block by block of every size.

    Parameters
    ----------
    machine : Machine
        The locations.
    flows : scipy.sparse.csr_array, shape (locations, locations)
        Symmetric, without diagonal.
    place : ndarray of int, shape (locations,)
        Location of each task and dummy; who shares a block belongs to one cluster.
    levels : int
        How many there are above single locations.
    hot : sequence of float
        First temperatures, at the coarsest level and at the others.
    until : float
        Share of the effort at which to end.
    effort : Effort
        What is spent.
    rng : numpy.random.Generator
        Where draws come from.
    """
    coarse = [flows]
    cluster = np.asarray(place, np.int64)
    for level in range(levels):
        block = cluster if level == 0 else np.arange(len(machine.levels[level]))
        coarse.append(merged(coarse[-1], block >> 1, len(machine.levels[level + 1])))
    weights = _GROWTH ** -np.arange(levels + 1.0)
    begun = effort.share
    ends = begun + (until - begun) * np.cumsum(weights[::-1] / weights.sum())
    at = np.arange(len(machine.levels[levels]), dtype=np.int32)
    for level, end in zip(range(levels, -1, -1), ends.tolist(), strict=True):
        members = cluster if level == 0 else np.arange(len(machine.levels[level]))
        if level < levels:
            at = (2 * at[members >> 1] + (members & 1)).astype(np.int32)
        elif level == 0:
            at = members.astype(np.int32)
        holder = np.empty(len(at), np.int32)
        holder[at] = np.arange(len(at))
        active = np.flatnonzero(np.diff(coarse[level].indptr)).astype(np.int32)
        first = hot[0] if level == levels else hot[1]
        anneal(machine.problem(level, coarse[level]), at, holder, active, (first, _COOL), end, effort, rng)
    return at
