"""The quality of the places of jobs: contiguity, locality and level of a schedule."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.scheduling import Schedule, State
from netplace.scheduling.partitioner import Nodes

_LEAST_RUN = 10.0  # seconds: shorter runs count as so long in the stretch


@dataclass(frozen=True)
class PlaceFigures:
    """Figures of a schedule; all jobs count, also those of one processor.

    F. Mendonca, thesis, Université Grenoble Alpes, 2017, sections 4.6 and 5.6; the sum of stretches as in the
    author's simulator.
    """

    makespan: float
    sum_flow: float
    sum_stretch: float
    contiguity: float
    locality: float
    level: float
    success: int
    contiguous_jobs: int
    local_jobs: int
    locality_ratio: float


FIGURES = tuple(item.name for item in fields(PlaceFigures))


def place_figures(schedule: Schedule, platform: Platform) -> PlaceFigures:
    """Return the figures of a schedule that has kept its processors."""
    if schedule.allocations is None or not len(schedule):
        raise ValueError("schedule: the processors of its jobs were not kept")
    nodes = schedule.allocations
    pieces = np.array([_pieces(chosen, platform.processors) for chosen in nodes])
    clusters = np.array([len(np.unique(chosen // platform.cluster)) for chosen in nodes])
    fewest = -(-schedule.nodes // platform.cluster)
    level = np.array([platform.level(chosen) for chosen in nodes])
    least = np.array([platform.least_level(int(size)) for size in schedule.nodes])
    flow, run = schedule.end - schedule.submit, schedule.end - schedule.start
    return PlaceFigures(
        makespan=schedule.makespan,
        sum_flow=float(flow.sum()),
        sum_stretch=float(np.maximum(flow / np.maximum(run, _LEAST_RUN), 1.0).sum()),
        contiguity=float(pieces.mean()),
        locality=float((clusters / fewest).mean()),
        level=float((level / least).mean()),
        success=int(np.count_nonzero(schedule.state == State.DONE)),
        contiguous_jobs=int(np.count_nonzero(pieces == 1)),
        local_jobs=int(np.count_nonzero(clusters == fewest)),
        locality_ratio=float(clusters.mean() / fewest.mean()),
    )


def _pieces(nodes: Nodes, processors: int) -> int:
    """Return the number of maximal runs; the first and the last count once if they touch both ends."""
    pieces = 1 + int(np.count_nonzero(np.diff(nodes) > 1))
    return pieces - 1 if pieces > 1 and nodes[0] == 0 and nodes[-1] == processors - 1 else pieces
