"""Contiguous and local schedules by shelves, at most three times as long as load and longest job demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netplace.inputs import check_int
from netplace.scheduling.partitioner import Nodes


@dataclass(frozen=True)
class Shelf:
    """Jobs that start together, next to each other in one cluster, from its low end on."""

    jobs: tuple[int, ...]
    cluster: int
    start: float
    height: float
    processors: tuple[Nodes, ...]


def shelves(
    clusters: int, cluster_size: int, sizes: Sequence[int], run_times: Sequence[float]
) -> list[Shelf]:
    """Return a schedule of jobs that are all submitted at 0, each contiguous and in one cluster.

    Jobs, longest first, fill shelves as wide as a cluster by next fit (decreasing height); a shelf is placed
    on the cluster with the lowest shelves (list scheduling). The schedule is at most ``2 A / m + p_max``
    long, so at most three times the larger of these. Lucarelli, Mendonca, Trystram and Wagner, CCGRID 2015;
    thesis of F. Mendonca, 2017, theorem 4.
    """
    check_int(clusters, "clusters")
    check_int(cluster_size, "cluster size")
    for size, seconds in zip(sizes, run_times, strict=True):
        if not 1 <= size <= cluster_size or not 0 <= seconds < float("inf"):
            raise ValueError(
                f"shelves: a job of {size} processors for {seconds:g} s, expected 1 to {cluster_size} "
                "processors and a time of at least 0"
            )
    opened: list[list[int]] = []
    width = cluster_size
    for job in sorted(range(len(sizes)), key=lambda job: -run_times[job]):
        if width + sizes[job] > cluster_size:
            opened.append([])
            width = 0
        opened[-1].append(job)
        width += sizes[job]
    heights = [0.0] * clusters
    made = []
    for jobs in opened:
        cluster = heights.index(min(heights))
        height = float(run_times[jobs[0]])
        made.append(
            Shelf(tuple(jobs), cluster, heights[cluster], height, _beside(jobs, sizes, cluster, cluster_size))
        )
        heights[cluster] += height
    return made


def _beside(jobs: list[int], sizes: Sequence[int], cluster: int, cluster_size: int) -> tuple[Nodes, ...]:
    """Return the processors of jobs side by side from the low end of a cluster."""
    ends = cluster * cluster_size + np.cumsum([sizes[job] for job in jobs])
    return tuple(np.arange(end - sizes[job], end) for job, end in zip(jobs, ends.tolist(), strict=True))
