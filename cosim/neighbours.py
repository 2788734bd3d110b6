"""Whom to simulate beside a job, and when what was measured no longer holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.influence import Presence, influences

__all__ = ["Neighbourhood", "Neighbours"]


@dataclass(frozen=True)
class Neighbourhood:
    """Jobs to be simulated together.

    Attributes
    ----------
    watched : tuple of int
        Those whose factors are wanted.
    beside : tuple of int
        Those that hold them up.
    left_out : dict of int to float
        Influence of all others on each watched job.
    foretold : dict of int to float
        Influence of all others, left out or not, on each watched job.
    """

    watched: tuple[int, ...]
    beside: tuple[int, ...]
    left_out: dict[int, float]
    foretold: dict[int, float]

    @property
    def shares(self) -> bool:
        """Whether a watched job shares a possible link with any other."""
        return any(self.foretold.values())


class Neighbours:
    """Jobs that come and go, and how they hold each other up; see `netplace.cosim.influence`.

    Influence goes by way of a third job as well: that of one on another is the direct one and that over
    every job between them.

    Parameters
    ----------
    slack : float
        Influence, as a share of a job's time, that may be left out; and by which what acts on a job may have
        changed before it is measured again.

    Attributes
    ----------
    drift : dict of int to float
        By how much what acts on each job has changed since it was measured.
    """

    def __init__(self, slack: float) -> None:
        self.drift: dict[int, float] = {}
        self._slack = slack
        self._present: dict[int, Presence] = {}
        self._direct: dict[tuple[int, int], float] = {}  # of the second on the first
        self._new: list[int] = []
        self._gone: list[int] = []

    def come(self, job: int, presence: Presence) -> None:
        """Add a job."""
        for other, theirs in self._present.items():
            self._direct[job, other] = influences(theirs, presence)
            self._direct[other, job] = influences(presence, theirs)
        self._present[job] = presence
        self._new.append(job)

    def go(self, job: int) -> None:
        """Take a job away."""
        if job in self._new:  # nobody has been measured beside it
            self._new.remove(job)
            self._forget([job])
        elif job in self._present:
            self._gone.append(job)

    def to_measure(self, settled: Callable[[int, float], bool] | None = None) -> list[Neighbourhood]:
        """Return what has to be measured now; it is taken to be measured then.

        Parameters
        ----------
        settled : callable, optional
            Asked of each job on which more acts than the slack, with the influence of all others: whether it
            need not be simulated.
        """
        if not self._new and not self._gone:
            return []
        jobs = [*self._present]
        place = {job: number for number, job in enumerate(jobs)}
        acting = self._acting(jobs)
        changed = acting[:, [place[job] for job in (*self._new, *self._gone)]].sum(axis=1)
        for job in jobs:
            self.drift[job] = self.drift.get(job, 0.0) + float(changed[place[job]])
        fresh = set(self._new)
        self._forget(self._gone)
        self._new, self._gone = [], []
        staying = [*self._present]
        acting = self._acting(staying)
        neighbourhoods = [
            self._around(place, staying, acting[place])
            for place, job in enumerate(staying)
            if job in fresh or self.drift[job] > self._slack
        ]
        self.drift |= {job: 0.0 for neighbourhood in neighbourhoods for job in neighbourhood.watched}
        if settled is not None:
            neighbourhoods = [
                neighbourhood
                for neighbourhood in neighbourhoods
                if not (neighbourhood.beside and settled(*next(iter(neighbourhood.foretold.items()))))
            ]
        return _merged(neighbourhoods)

    def _acting(self, jobs: list[int]) -> NDArray[np.float64]:
        """Return the influence of every job (column) on every other (row)."""
        direct = np.array([[self._direct.get((on, of), 0.0) for of in jobs] for on in jobs])
        direct = direct.reshape(len(jobs), len(jobs))
        over: NDArray[np.float64] = direct + direct @ direct
        np.fill_diagonal(over, 0.0)
        return over

    def _around(self, place: int, jobs: list[int], acting: NDArray[np.float64]) -> Neighbourhood:
        """Return the fewest jobs without which no more than the slack is left out."""
        order = np.argsort(acting, kind="stable")
        tail = np.cumsum(acting[order])
        left = order[tail <= self._slack]
        beside = tuple(sorted({*jobs} - {jobs[other] for other in left.tolist()} - {jobs[place]}))
        job = jobs[place]
        left_out, foretold = {job: float(acting[left].sum())}, {job: float(acting.sum())}
        return Neighbourhood((job,), beside, left_out, foretold)

    def _forget(self, gone: Iterable[int]) -> None:
        for job in gone:
            del self._present[job]
            self.drift.pop(job, None)
        left = set(gone)
        if left:
            self._direct = {
                pair: value for pair, value in self._direct.items() if not left.intersection(pair)
            }


def _merged(neighbourhoods: list[Neighbourhood]) -> list[Neighbourhood]:
    """Put neighborhoods together that have a job in common."""
    merged: list[Neighbourhood] = []
    for neighbourhood in neighbourhoods:
        own, watched = {*neighbourhood.watched, *neighbourhood.beside}, neighbourhood.watched
        left_out, foretold, apart = neighbourhood.left_out, neighbourhood.foretold, []
        for other in merged:
            theirs = {*other.watched, *other.beside}
            if own & theirs:
                own, watched, left_out = own | theirs, other.watched + watched, other.left_out | left_out
                foretold = other.foretold | foretold
            else:
                apart.append(other)
        beside = tuple(sorted(own.difference(watched)))
        merged = [*apart, Neighbourhood(watched, beside, left_out, foretold)]
    return merged
