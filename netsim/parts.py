"""Jobs that cannot meet because they share no router on any minimal route.

A decision of a router depends on its own state and on the FIFOs that it feeds, which belong to routers that
the same packets can visit. Draws are functions of place and cycle. Jobs whose packets cannot visit a common
router therefore run as they would without each other, to the cycle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.netsim.config import Config
from netplace.netsim.table_router import uses_table_router
from netplace.topologies import Grid, Topology, Tree

Int = NDArray[np.int64]
Marks = NDArray[np.float32]  # 1 where a job may be, shape (jobs, places)


def independent_parts(
    topology: Topology, config: Config, programs: Sequence[Program], places: Sequence[Int]
) -> list[list[int]]:
    """Return the jobs of each part; jobs of different parts cannot share a router."""
    jobs = len(programs)
    if uses_table_router(topology, config) or (isinstance(topology, Grid) and topology.twist):
        return [list(range(jobs))]
    pairs = [_pairs(program, where) for program, where in zip(programs, places, strict=True)]
    if isinstance(topology, Grid):
        meet = np.ones((jobs, jobs), bool)
        for d in range(topology.dims):
            meet &= _in_common(_crossed(topology, d, pairs))
    elif isinstance(topology, Tree):
        meet = _in_common(_under(topology, pairs))
    else:
        return [list(range(jobs))]
    meet |= _share_nodes(places)
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(meet, directed=False)
    return [np.flatnonzero(part == n).tolist() for n in range(count)]


def _share_nodes(places: Sequence[Int]) -> NDArray[np.bool_]:
    """Tell which jobs have a node in common, one after the other; shape (jobs, jobs)."""
    seats = np.concatenate([np.zeros(0, np.int64), *places])
    nodes, at = np.unique(seats, return_inverse=True)
    sharing = np.eye(len(places), dtype=bool)
    if len(nodes) < len(seats):
        owner = np.repeat(np.arange(len(places)), [len(where) for where in places])
        marks = np.zeros((len(places), len(nodes)), np.float32)
        marks[owner, at] = 1
        sharing |= _in_common(marks)
    return sharing


def _pairs(program: Program, where: Int) -> Int:
    """Return the nodes between which a job sends, each pair once, shape (2, pairs)."""
    sends = np.isin(program.kind, (Op.SEND, Op.ISEND))
    source = where[np.repeat(np.arange(program.tasks), np.diff(program.first))[sends]]
    target = where[program.peer[sends]]
    apart = source != target
    most = int(where.max(initial=0)) + 1
    both = np.unique(source[apart] * most + target[apart])
    return np.stack([both // most, both % most])


def _in_common(marks: Marks) -> NDArray[np.bool_]:
    """Tell which jobs have a place in common, shape (jobs, jobs)."""
    return np.asarray(marks @ marks.T > 0)


def _crossed(topology: Grid, d: int, pairs: list[Int]) -> Marks:
    """Return the coordinates of a dimension that packets of each job can have on the way."""
    size = topology.sizes[d]
    crossed = np.zeros((len(pairs), size), np.float32)
    step = np.arange(size)
    for job, (source, target) in enumerate(pairs):
        both = np.unique(topology.coordinates(source)[:, d] * size + topology.coordinates(target)[:, d])
        for a, b in zip((both // size).tolist(), (both % size).tolist(), strict=True):
            if not topology.wraps:
                crossed[job, min(a, b) : max(a, b) + 1] = 1
                continue
            ahead = (b - a) % size
            if 2 * ahead <= size:
                crossed[job, (a + step[: ahead + 1]) % size] = 1
            if 2 * ahead >= size:
                crossed[job, (b + step[: size - ahead + 1]) % size] = 1
    return crossed


def _under(topology: Tree, pairs: list[Int]) -> Marks:
    """Return the leaf switches below the switches at which packets of each job can turn."""
    leaves = topology.nodes // topology.down
    turning = np.zeros((len(pairs), leaves), np.float32)
    for job, (source, target) in enumerate(pairs):
        above, other = source // topology.down, target // topology.down
        width = 1
        while len(above):
            here = np.unique(above[above == other])
            turning[job].reshape(-1, width)[here] = 1
            apart = above != other
            above, other = above[apart] // topology.down, other[apart] // topology.down
            width *= topology.down
    return turning
