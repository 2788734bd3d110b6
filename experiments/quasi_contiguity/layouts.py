"""Nodes of jobs that have exchanged a few tasks: which tasks stray, how far, and with whom.

J. A. Pascual's thesis (UPV/EHU 2013), Table 3.9, has jobs with 1 to 4 tasks outside their subtree. Which
ones, where they are and how often that was drawn is not told there; each `Reading` is one answer.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice

__all__ = ["LEAF", "READINGS", "Reading", "exchanged"]

LEAF = 4  # tasks below a leaf switch, and jobs below a switch of the third level
STRAYS = {
    "last": "the last tasks of each job",
    "leaf": "the first tasks of a drawn leaf switch of each job",
    "drawn": "tasks drawn, job by job",
}
REACHES = {
    "one level": "with one of the four jobs below one switch",
    "anywhere": "with any job",
}
EXCHANGES = {
    "together": "all that stray from a job go to one other, in a random ring of jobs",
    "each": "each goes by itself, in a ring of its own",
}


@dataclass(frozen=True)
class Reading:
    """What the published table may mean.

    Attributes
    ----------
    strays, reach, exchange : str
        Keys of `STRAYS`, `REACHES` and `EXCHANGES`.
    """

    strays: str
    reach: str
    exchange: str

    def __post_init__(self) -> None:
        for name, known in (("strays", STRAYS), ("reach", REACHES), ("exchange", EXCHANGES)):
            check_choice(getattr(self, name), known, f"reading: {name}")

    def __str__(self) -> str:
        return f"{self.strays}, {self.reach}, {self.exchange}"


READINGS = tuple(itertools.starmap(Reading, itertools.product(STRAYS, REACHES, EXCHANGES)))


def exchanged(
    jobs: int, tasks: int, count: int, reading: Reading, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the node of each task when jobs on consecutive nodes have exchanged some of them.

    Parameters
    ----------
    jobs, tasks : int
        How many jobs, and tasks of each.
    count : int
        How many tasks of each job sit on a node of another job.
    reading : Reading
        Which, and where.
    rng : numpy.random.Generator
        Where draws come from.

    Returns
    -------
    ndarray of int64, shape (jobs, tasks)
        Tasks outside have the nodes of those of the next job in a ring: none comes home.
    """
    nodes = np.arange(jobs * tasks).reshape(jobs, tasks)
    chosen = _chosen(jobs, tasks, count, reading.strays, rng)
    width = LEAF if reading.reach == "one level" else jobs
    parts = [chosen] if reading.exchange == "together" else list(chosen.T[:, :, None])
    for first in range(0, jobs, width):
        for part in parts:
            ring = (first + rng.permutation(width))[:, None]
            there = part[ring[:, 0]]
            nodes[ring, there] = np.roll(nodes[ring, there], -1, axis=0)
    return nodes


def _chosen(jobs: int, tasks: int, count: int, strays: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the tasks of each job that stray, shape (jobs, count)."""
    if strays == "last":
        return np.tile(np.arange(tasks - count, tasks), (jobs, 1))
    if strays == "leaf":
        return LEAF * rng.integers(tasks // LEAF, size=jobs)[:, None] + np.arange(count)
    return np.array([rng.permutation(tasks)[:count] for _ in range(jobs)])
