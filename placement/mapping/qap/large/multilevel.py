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

from netplace.native import placement as native
from netplace.placement.mapping.qap.large.annealing import Effort, Level, anneal
from netplace.placement.mapping.qap.locations import TABLE, TREE, TWIST, Locations

# Coarser traffic: tasks with much traffic are paired, pairs are paired again, and so on.
#
# Pairs are found by heavy-edge matching (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme
# for partitioning irregular graphs", SIAM J. Scientific Computing 20 (1998)); tasks whose partners are all
# taken are paired with a partner's partner, the rest with each other. The machine has blocks of exactly
# 2, 4, 8, .. locations, so every task finds a mate.


def clustered(flows: Any, coarsest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a different number for each task; tasks with the same ``number >> level`` form a cluster.

    Pairing ends with `coarsest` clusters or fewer.
    """
    pairs: list[NDArray[np.int64]] = []
    last = -1  # the cluster that is not full, where the number of tasks is no power of two
    while flows.shape[0] > coarsest:
        count = flows.shape[0]
        mate = native.match(flows.indptr, flows.indices, flows.data, rng.permutation(count), last)
        lower = np.flatnonzero(mate > np.arange(count))
        rows = np.stack((lower, mate[lower]), axis=1)
        single = np.flatnonzero(mate < 0)
        if len(single):
            rows = np.concatenate((rows, [[single[0], -1]]))
            last = len(rows) - 1
        elif last >= 0:
            at = int(np.flatnonzero((rows == last).any(axis=1))[0])
            pair = rows[at] if rows[at, 1] == last else rows[at, ::-1]
            rows = np.concatenate((np.delete(rows, at, axis=0), [pair]))
            last = len(rows) - 1
        number = np.empty(count, np.int64)
        for side in (0, 1):
            there = rows[:, side] >= 0
            number[rows[there, side]] = np.flatnonzero(there)
        pairs.append(rows)
        flows = merged(flows, number, len(rows))
    order = np.arange(flows.shape[0])
    if last >= 0:
        order[last], order[-1] = order[-1], order[last]
    for rows in reversed(pairs):
        number = np.empty((rows >= 0).sum(), np.int64)
        for side in (0, 1):
            there = rows[:, side] >= 0
            number[rows[there, side]] = 2 * order[there] + side
        order = number
    return order


def merged(flows: Any, cluster: NDArray[np.int64], count: int) -> Any:
    """Return the flows between `count` clusters, without those inside one."""
    from scipy import sparse

    entries = sparse.coo_array(flows)
    source, target = (cluster[end] for end in entries.coords)
    off = source != target
    return narrow(sparse.coo_array((entries.data[off], (source[off], target[off])), (count, count)))


def narrow(flows: Any) -> Any:
    """Return sparse flows by rows, each pair once, with float32 numbers and int32 indices."""
    from scipy import sparse

    made = sparse.csr_array(flows, dtype=np.float32)
    made.sum_duplicates()
    made.indptr, made.indices = made.indptr.astype(np.int32), made.indices.astype(np.int32)
    return made


# An order of locations in which every block of a power of two is compact: recursive bisection.
#
# Blocks are halved across the longest of their dimensions, as in recursive coordinate bisection: M. J.
# Berger and S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", IEEE
# Trans. Computers 36 (1987). Trees use the order of their ancestors. Locations with only a table of costs
# are halved between two that are far apart.

_EXACT = 8192  # locations up to which the nearest are looked up in the whole table
_WINDOW = 4  # elsewhere: locations before and after each in the order


def bisected(locations: Locations) -> NDArray[np.int64]:
    """Return the numbers of the locations in order; blocks ``i >> level`` of it are compact."""
    if locations.kind == TREE:
        return np.lexsort(locations.places.T)
    order = np.arange(len(locations))
    halve = _apart if locations.kind == TABLE else _across
    for level in range((len(locations) - 1).bit_length(), 0, -1):
        order = halve(locations, order, level)
    return order


def _across(locations: Locations, order: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    """Sort every block by the coordinates, that in which it is longest first."""
    places = locations.places[order].astype(np.int64)
    places -= places.min(axis=0)
    block = np.arange(len(order)) >> level
    begins = np.arange(0, len(order), 1 << level)
    longest = (np.maximum.reduceat(places, begins) - np.minimum.reduceat(places, begins)).argmax(axis=1)
    dims, size = places.shape[1], places.max(axis=0) + 1
    sorted_by = [(longest[block] + d) % dims for d in range(dims)]
    rows = np.arange(len(order))
    key = block
    for dimension in sorted_by:
        key = key * size.max() + places[rows, dimension]
    return order[np.argsort(key, kind="stable")]


def _apart(locations: Locations, order: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    """Sort every block by how much nearer its members are to one end of it than to the other."""
    sorted_blocks = []
    for begin in range(0, len(order), 1 << level):
        block = order[begin : begin + (1 << level)]
        home = locations.home[block]
        first = home[locations.table[home[0], home].argmax()]
        other = home[locations.table[first, home].argmax()]
        nearer = locations.table[first, home].astype(np.float64) - locations.table[other, home]
        sorted_blocks.append(block[np.argsort(nearer, kind="stable")])
    return np.concatenate(sorted_blocks)


def nearest(locations: Locations) -> NDArray[np.int32]:
    count = len(locations)
    if locations.kind == TREE or (locations.kind == TABLE and count > _EXACT):
        return _window(count)
    if locations.kind == TABLE:
        return _from_table(locations)
    from scipy.spatial import cKDTree

    dims = locations.places.shape[1]
    rings = np.where(np.isfinite(locations.steps), locations.steps, 0)[:dims]
    places = locations.places
    if locations.kind == TWIST:
        places, rings[1] = _unrolled(places, *locations.steps), 0
    wanted = min((2 * dims + 2) * locations.crowd, count - 1)
    _, near = cKDTree(places, boxsize=rings).query(places[:count], wanted + 1, p=1)
    near = near.reshape(count, -1) % count
    # Where others stand in the same place a location is not always the first that it finds.
    rows, columns = np.nonzero(near == np.arange(count)[:, None])
    near[rows, columns] = near[rows, 0]
    return np.ascontiguousarray(near[:, 1:], np.int32)


def _unrolled(places: NDArray[np.float32], width: float, height: float, twist: float) -> NDArray[np.float32]:
    """Return places on a twisted torus, and where they are seen beyond either end of Y."""
    beyond = np.array([-twist, height], np.float32)
    every = np.concatenate((places, places + beyond, places - beyond))
    every[:, 0] %= width
    return every


def _window(count: int) -> NDArray[np.int32]:
    wanted = min(2 * _WINDOW, count - 1)
    first = np.clip(np.arange(count) - wanted // 2, 0, count - 1 - wanted)
    window = first[:, None] + np.arange(wanted + 1)
    others: NDArray[np.int64] = window[window != np.arange(count)[:, None]]
    return np.ascontiguousarray(others.reshape(count, wanted), np.int32)


def _from_table(locations: Locations) -> NDArray[np.int32]:
    count = len(locations)
    wanted = min(2 * _WINDOW, count - 1)
    near = np.empty((count, wanted), np.int32)
    for location in range(count):
        away = locations.table[locations.home[location], locations.home].astype(np.float32)
        away[location] = np.inf
        near[location] = np.argpartition(away, wanted - 1)[:wanted]
    return near


_GROWTH = 1.5  # how much more effort a level gets than the next coarser one, which has half as many clusters
_COOL = 0.03


class Machine:
    """The locations at every level, blocks of two at each."""

    def __init__(self, locations: Locations, coarsest: int):
        self.levels = [locations]
        while len(self.levels[-1]) > coarsest:
            self.levels.append(self.levels[-1].halved())
        self.near: list[NDArray[np.int32]] = [nearest(level) for level in self.levels]

    def problem(self, level: int, flows: Any) -> Level:
        fixed = len(self.levels[level]) - 1 if len(self.levels[0]) % (1 << level) else -1
        lists = (flows.indptr, flows.indices, flows.data)
        return Level(lists, self.levels[level], self.near[level], fixed)


def refined(
    machine: Machine,
    flows: Any,
    place: NDArray[Any],
    hot: Sequence[float],
    until: float,
    effort: Effort,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return a better placement: clusters of tasks in one block are annealed, block by block of every size.

    `place`: location of each task and dummy; those of a block belong to one cluster. `hot`: first
    temperatures, at the coarsest level and at the others. `until`: share of the effort at which to end.
    """
    levels, coarse = len(machine.levels) - 1, [flows]
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
