"""How fast jobs get on side by side: a mix of looping jobs simulated over windows, until it is known.

What is measured is by which factor each job that is *watched* is slowed; the others of the mix are there to
disturb them. In a window every job of the mix goes on and on from a random phase on, or, where it has few
iterations, runs them again and again; what comes of it, divided by the same alone, is the factor. Windows
with other phases and other draws are simulated until the interval of every watched factor is narrow enough.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace

import numpy as np

from netplace.checks import whole
from netplace.checks.calls import check_fields, checked
from netplace.cosim.checkpoint import Memory
from netplace.cosim.loop_times import OPERATIONS, LoopTimes
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.symmetry import same_mix
from netplace.cosim.window import Part, window
from netplace.cosim.work import Work, body_of
from netplace.scheduling.metrics.interval import half_width

__all__ = ["Measurement", "Rates"]

_LEAST_WINDOWS = 2
_BLOCK, _LEAST_BLOCK = 32, 4  # iterations of the watched job that takes longest over one, at most and least
_CHANCE = 0.05  # share by which a pace may differ from another without telling anything


@dataclass(frozen=True)
class Measurement:
    """By which factor each watched job of a mix is slowed.

    Attributes
    ----------
    factors : tuple of float
        Means over windows.
    half_widths : tuple of float
        Of their intervals at the level of 0.95, as shares of the means.
    windows : int
        How many were simulated.
    """

    factors: tuple[float, ...]
    half_widths: tuple[float, ...]
    windows: int


@dataclass
class Rates:
    """Factors of mixes, each measured once.

    Attributes
    ----------
    placing : Placing
        Machine, settings and seed.
    precision : float
        Half width, as a share of the mean, that every factor is to have.
    most_windows : int
        Windows after which a mix is left as it is.
    simulated, missed : int
        Mixes that were simulated, and those of them whose precision was not met.
    memory : Memory
        Of what took long to simulate.
    loops : LoopTimes
        Times of jobs alone.
    """

    placing: Placing
    precision: float = 0.02
    most_windows: int = 12
    simulated: int = 0
    missed: int = 0
    memory: Memory = field(default_factory=Memory, repr=False)
    _known: dict[object, Measurement] = field(default_factory=dict, repr=False)
    _paces: dict[object, tuple[str, float]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        self.loops = LoopTimes(self.placing, self.precision, self.memory)

    @checked
    def known(self, jobs: Sequence[Placed], watched: int | None = None) -> bool:
        """Tell whether a mix has been measured, here or where a symmetry of the network takes it."""
        return bool(jobs) and self._key(jobs, len(jobs) if watched is None else watched)[0] in self._known

    @checked
    def of(self, jobs: Sequence[Placed], watched: int | None = None) -> Measurement:
        """Return by which factor each of the first `watched` jobs is slowed while exactly these run.

        By default all are watched.

        Raises
        ------
        ValueError
            If there are no jobs, or fewer than are watched.
        DeadlockError
            If a program cannot go on.
        """
        if len(jobs) == 1:
            return Measurement((1.0,), (0.0,), 0)
        count = whole(len(jobs) if watched is None else watched, "Rates: watched jobs", 1, max(len(jobs), 1))
        if not jobs:
            raise ValueError("Rates: there are no jobs, expected at least one")
        key, order = self._key(jobs, count)
        wanted = [rank for rank, place in enumerate(order) if place < count]
        if key not in self._known:
            parts = [jobs[place] for place in order]
            measurement = self.memory.of(("mix", key), lambda: astuple(self._measure(parts, wanted, key)))
            self._known[key] = Measurement(*measurement)
            self.simulated += 1
            self.missed += max(self._known[key].half_widths) > self.precision
        measurement = self._known[key]
        back = np.argsort([order[rank] for rank in wanted])
        return Measurement(
            tuple(measurement.factors[place] for place in back),
            tuple(measurement.half_widths[place] for place in back),
            measurement.windows,
        )

    def _key(self, jobs: Sequence[Placed], watched: int = 0) -> tuple[object, list[int]]:
        """Return what a mix is, the same wherever a symmetry takes it, and its jobs in the order of that."""
        names = [f"{_loop(job.work)}{'*' * int(place < watched)}" for place, job in enumerate(jobs)]
        return same_mix(self.placing.machine, names, [job.nodes for job in jobs])

    def _measure(self, jobs: list[Placed], watched: list[int], key: object) -> Measurement:
        seed = int.from_bytes(hashlib.sha256(f"{self.placing.seed} {key}".encode()).digest()[:6], "big")
        length, parts = self._parts(jobs, watched)
        paces = {place: self._pace(jobs[place], parts[place]) for place in watched}
        slowdowns: list[list[float]] = []
        while len(slowdowns) < self.most_windows:
            taken = window(self.placing, parts, watched, length, seed + len(slowdowns))
            slowdowns.append([taken[place][name] / alone for place, (name, alone) in paces.items()])
            if len(slowdowns) >= _LEAST_WINDOWS and max(_half_widths(slowdowns)) <= self.precision:
                break
        return Measurement(
            tuple(np.mean(slowdowns, axis=0).tolist()), tuple(_half_widths(slowdowns)), len(slowdowns)
        )

    def _pace(self, job: Placed, part: Part) -> tuple[str, float]:
        """Return by which pace a job is measured, and the cycles of an iteration alone at that.

        That of `PACES` by which the job alone, going on and on, is nearest to its rate over all its life.
        """
        if not part.lasting:
            return "slowest", self.loops.block(job, part.times) / part.times
        key = self._key([job])[0]
        if key not in self._paces:
            times = self._most(job)
            alone = window(self.placing, [part], [0], times * self.loops.block(job, 1), self.placing.seed)[0]
            life = self.loops.iteration(job)
            # A difference of less than a few percent is chance.
            name = min(alone, key=lambda pace: max(_CHANCE, abs(alone[pace] / life - 1)))
            self._paces[key] = name, alone[name]
        return self._paces[key]

    def _most(self, job: Placed) -> int:
        """Return how many iterations of a job a block has at most."""
        operations = max(1, len(body_of(_loop(job.work), self.placing.config)))
        return min(job.work.iterations, _BLOCK, max(_LEAST_BLOCK, OPERATIONS // operations))

    def _parts(self, jobs: list[Placed], watched: list[int]) -> tuple[float, list[Part]]:
        """Return the cycles of a block, and the jobs with about so many iterations in theirs."""
        once = [self.loops.block(job, 1) for job in jobs]
        length = max(*once, *(self._most(jobs[place]) * once[place] for place in watched))
        parts = []
        for job, cycles in zip(jobs, once, strict=True):
            times = max(1, min(job.work.iterations, round(length / max(1.0, cycles))))
            parts.append(Part(job, times, cycles, job.work.iterations > times))
        return length, parts


def _loop(work: Work) -> Work:
    """Return one iteration of what a job does."""
    return replace(work, iterations=1)


def _half_widths(slowdowns: list[list[float]]) -> list[float]:
    """Return half widths of the intervals of means over windows, as shares of the means."""
    if len(slowdowns) < 2:
        return [math.inf]
    return [half_width(column) / float(column.mean()) for column in np.array(slowdowns).T]
