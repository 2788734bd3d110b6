"""The cost of jobs that cross the borders of a machine's levels, measured with the packet engine.

The machine is full of equal jobs: first with each job in a block of its own, then with a part of the tasks of
each job in another block below the same border, so that the machine stays full. The percentage by which the
jobs then take longer, as a mean over applications, is the cost of leaving a block. The time of one job alone
is given for comparison: on an empty machine, a spread job can be faster because it uses idle links, so these
values are not costs.

That costs should be realistic is N. P. Drakenberg's; the recipe is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.placement.rule import node_lists
from netplace.runs.resolve import resolve
from netplace.runs.spec import Run
from netplace.topologies import Topology

Nodes = NDArray[np.int64]
_LARGEST = 64  # tasks of a job; where blocks are larger, several jobs share one


@dataclass(frozen=True)
class Measurement:
    """A run of the recipe."""

    level: int  # place of the level, the widest first
    application: str  # what runs
    # Whether jobs straddle a border, and whether there is but one.
    split: bool
    alone: bool
    run: Run  # what to simulate


@dataclass(frozen=True)
class LevelCost:
    """What the borders of a level cost."""

    nodes: int  # nodes of a block
    tasks: int  # tasks of a job
    # Time of split jobs relative to compact ones by application, on the full machine and alone.
    full: dict[str, float]
    alone: dict[str, float]

    @property
    def weight(self) -> int:
        """Percent by which split jobs take longer on the full machine, at least 0."""
        return max(0, round(100 * (float(np.mean(list(self.full.values()))) - 1)))


def measurements(
    topology: Topology,
    levels: Sequence[Sequence[Sequence[int]]],
    applications: Sequence[str],
    *,
    pieces: int = 2,
) -> list[Measurement]:
    """Return the runs that measure the cost of borders; a split job is spread over `pieces` blocks."""
    planned = []
    for place in range(len(levels)):
        compact, split = _layouts(topology, levels, place, pieces)
        for application in applications:
            for straddles, alone in ((False, False), (True, False), (False, True), (True, True)):
                jobs = (split if straddles else compact)[: 1 if alone else None]
                job = {"app": application, "tasks": len(jobs[0])}
                run = resolve(topology.text, [job] * len(jobs), partition=node_lists(jobs))
                planned.append(Measurement(place, application, straddles, alone, run))
    return planned


def level_costs(
    levels: Sequence[Sequence[Sequence[int]]], made: Sequence[Measurement], times: Sequence[float]
) -> list[LevelCost]:
    """Return what each level costs, from the mean time of the jobs of each measurement."""
    took = {(m.level, m.application, m.split, m.alone): time for m, time in zip(made, times, strict=True)}
    tasks = {m.level: int(m.run.jobs[0].tasks or 0) for m in made}
    names = list(dict.fromkeys(m.application for m in made))
    return [
        LevelCost(
            len(level[0]),
            tasks[place],
            *(
                {name: took[place, name, True, alone] / took[place, name, False, alone] for name in names}
                for alone in (False, True)
            ),
        )
        for place, level in enumerate(levels)
    ]


def _layouts(
    topology: Topology, levels: Sequence[Sequence[Sequence[int]]], place: int, pieces: int
) -> tuple[list[Nodes], list[Nodes]]:
    """Return the nodes of all jobs, each in a block of the level, and each split over several."""
    blocks = [np.asarray(block) for block in levels[place]]
    label = f"measured costs: blocks of {len(blocks[0])} nodes of {topology}"
    if len({len(block) for block in blocks}) > 1 or len(np.unique(np.concatenate(blocks))) != topology.nodes:
        raise ValueError(f"{label} and others: expected blocks of one size that tile the machine")
    below: list[list[Nodes]] = [[np.asarray(block) for block in level] for level in levels[place + 1 :]]
    below.append([np.array([node]) for node in range(topology.nodes)])
    parents = [np.asarray(block) for block in levels[place - 1]] if place else [np.arange(topology.nodes)]
    compact, split = [], []
    for siblings in (_inside(blocks, parent) for parent in parents):
        if len(siblings) < pieces:
            raise ValueError(
                f"{label}: {len(siblings)} side by side, expected at least {pieces} to split over"
            )
        cells = np.array([list(_cells(block, below, pieces, label)) for block in siblings])
        compact += [np.sort(cell.ravel()) for cell in cells.reshape(-1, *cells.shape[2:])]
        for blocks_of, parts_of in _shares(len(siblings), pieces):
            split += [cells[blocks_of, cell, parts_of].ravel() for cell in range(cells.shape[1])]
    return compact, split


def _shares(blocks: int, pieces: int) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield from which blocks each of so many split jobs has a part, and which part of each."""
    # The same part of all, so that they are as far apart as their blocks; where blocks cannot be grouped, the
    # first part of one and the next part of the next.
    steps = np.arange(pieces)
    shift = blocks // pieces
    for first in range(blocks):
        if blocks % pieces:
            yield (first + shift * steps) % blocks, steps
        else:
            yield first % shift + shift * steps, np.full(pieces, first // shift)


def _cells(
    block: Nodes, below: Sequence[list[Nodes]], pieces: int, label: str
) -> Iterator[NDArray[np.int64]]:
    """Yield the places of jobs in a block, as many parts of each as there are pieces; parts are sorted."""
    inner = _inside(below[0], block)
    if len(block) > _LARGEST and len(below) > 1:
        for inner_block in inner:
            yield from _cells(inner_block, below[1:], pieces, label)
        return
    parts = inner if len(inner) % pieces == 0 else [np.array([node]) for node in block]
    if len(parts) % pieces:
        raise ValueError(f"{label}: cannot be split into {pieces} parts of one size")
    yield np.array([np.sort(part) for part in np.concatenate(parts).reshape(pieces, -1)])


def _inside(blocks: Sequence[Nodes], outer: Nodes) -> list[Nodes]:
    """Return the blocks that lie within another."""
    held = set(outer.tolist())
    return [block for block in blocks if int(block[0]) in held]
