"""A long queue in order of submission, in columns, so that the hopeless are passed over at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.policy.asked import Waiting

__all__ = ["Kind", "Line"]

Kind = tuple[int, str, str]
"""What decides whether a job finds a place: nodes, application, intensity."""


_GONE = np.iinfo(np.int64).max  # more nodes than any machine has: never a candidate


class Line:
    """Waiting jobs by their rows; jobs may leave from anywhere."""

    def __init__(self) -> None:
        self._jobs: list[Waiting | None] = []
        self._nodes = np.empty(64, np.int64)
        self._estimates = np.empty(64)
        self._kinds = np.empty(64, np.int64)
        self._known: dict[Kind, int] = {}  # number of each kind
        self._first = self._live = 0

    def __len__(self) -> int:
        return self._live

    def add(self, waiting: Waiting) -> None:
        """Take in a job: at the end, or at its place among the others if it was here before."""
        last = next((job for job in reversed(self._jobs) if job is not None), None)
        if last is None or last.row < waiting.row:
            self._append(waiting)
        else:
            self._refill(sorted([*self.jobs(), waiting], key=lambda job: job.row))

    def head(self) -> Waiting | None:
        """Return the first job."""
        return self._jobs[self._first] if self._live else None

    def remove(self, place: int) -> None:
        """Take out the job at `place`, which stays a place until the next job is added."""
        self._jobs[place] = None
        self._nodes[place] = _GONE
        self._live -= 1
        while self._first < len(self._jobs) and self._jobs[self._first] is None:
            self._first += 1

    def remove_head(self) -> None:
        """Take out the first job."""
        self.remove(self._first)

    def behind_head(self) -> int:
        """Return the place after that of the head."""
        return self._first + 1

    def end(self) -> int:
        """Return the place after the last."""
        return len(self._jobs)

    def at(self, place: int) -> Waiting:
        """Return the job at `place`."""
        waiting = self._jobs[place]
        assert waiting is not None
        return waiting

    def jobs(self) -> list[Waiting]:
        """Return all jobs in order."""
        return [job for job in self._jobs if job is not None]

    def fitting(self, begin: int, nodes: int, seconds: float, spare: int) -> NDArray[np.int64]:
        """Return the places from `begin` on of jobs that need at most so many nodes.

        Of these only jobs that need at most `seconds` by their estimates, or at most `spare` nodes.
        """
        sizes = self._nodes[begin : len(self._jobs)]
        fits = sizes <= spare
        fits |= self._estimates[begin : len(self._jobs)] <= seconds
        fits &= sizes <= nodes
        return np.flatnonzero(fits) + begin

    def unlike(self, places: NDArray[np.int64], place: int, now: float, time: float) -> NDArray[np.int64]:
        """Return those of `places` whose jobs are of another kind than that at `place`, or end by `time`."""
        alike = self._kinds[places] == self._kinds[place]
        return np.asarray(places[~alike | (now + self._estimates[places] <= time)])

    def compact(self) -> bool:
        """Close the gaps if they are many; places change then. Return whether they did."""
        if len(self._jobs) < 64 or self._live * 2 > len(self._jobs):
            return False
        self._refill(self.jobs())
        return True

    def _append(self, waiting: Waiting) -> None:
        place = len(self._jobs)
        if place == len(self._nodes):
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._estimates = np.concatenate([self._estimates, np.empty_like(self._estimates)])
            self._kinds = np.concatenate([self._kinds, np.empty_like(self._kinds)])
        self._jobs.append(waiting)
        job = waiting.job
        self._nodes[place], self._estimates[place] = job.nodes, waiting.estimate
        self._kinds[place] = self._known.setdefault(
            (job.nodes, job.application, job.intensity), len(self._known)
        )
        self._live += 1

    def _refill(self, jobs: list[Waiting]) -> None:
        self._jobs = []
        self._first = self._live = 0
        for waiting in jobs:
            self._append(waiting)
