"""How fast jobs get on side by side: a mix of looping jobs simulated over windows, until it is known.

What is measured is by which factor each job is slowed. In a window every job of the mix runs a *block* of
its iterations again and again, from a random phase on, and the mean time of its blocks is taken, those of
the warm-up left out. Divided by the time of the same block alone that is the factor: what a block's
beginning and end cost is in both. Windows with other phases and other draws are simulated until the
interval of every factor is narrow enough, at least three of them.

The time alone of a whole job is simulated where that is short; else it is that of some iterations, and the
rest at the rate at which longer runs take longer.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from netplace.cosim.alone import cycles_alone
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.window import Part, window
from netplace.cosim.work import Work, body_of
from netplace.runs.chance import network_draws
from netplace.topologies import Grid, Tree

__all__ = ["Measurement", "Rates"]

_LEVEL = 0.95
_LEAST_WINDOWS = 3
_BLOCK = 32  # iterations of the job that takes longest over one, at most
_CHANCE = 0.05  # share by which a pace may differ from another without telling anything
_OPERATIONS = 200_000  # of a block at most
_SHORT, _LONG, _LONGER = 8, 16, 64  # iterations between which the time that one more takes is measured
_WHOLE = 64  # iterations up to which a job alone is simulated whole


@dataclass(frozen=True)
class Measurement:
    """By which factor each job of a mix is slowed.

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
    """Times alone and factors of mixes, each measured once.

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
    """

    placing: Placing
    precision: float = 0.02
    most_windows: int = 12
    simulated: int = 0
    missed: int = 0
    _known: dict[object, Measurement] = field(default_factory=dict, repr=False)
    _times: dict[object, float] = field(default_factory=dict, repr=False)
    _paces: dict[object, tuple[str, float]] = field(default_factory=dict, repr=False)

    def known(self, jobs: Sequence[Placed]) -> bool:
        """Tell whether a mix has been measured, here or where a symmetry of the network takes it."""
        return self._key(jobs)[0] in self._known

    def of(self, jobs: Sequence[Placed]) -> Measurement:
        """Return by which factor each job is slowed while exactly these run.

        Raises
        ------
        DeadlockError
            If a program cannot go on.
        """
        if len(jobs) == 1:
            return Measurement((1.0,), (0.0,), 0)
        key, order = self._key(jobs)
        if key not in self._known:
            self._known[key] = self._measure([jobs[place] for place in order], key)
            self.simulated += 1
            self.missed += max(self._known[key].half_widths) > self.precision
        found = self._known[key]
        back = np.argsort(order)
        return Measurement(
            tuple(found.factors[place] for place in back),
            tuple(found.half_widths[place] for place in back),
            found.windows,
        )

    def alone(self, job: Placed) -> float:
        """Return the cycles of a job alone on its nodes, all its iterations."""
        times = job.work.iterations
        if times <= _WHOLE and self._fits(job, times):
            return self._block(job, times)
        base = self._base(job)
        return self._block(job, base) + (times - base) * self.iteration(job)

    def iteration(self, job: Placed) -> float:
        """Return the cycles by which a job alone takes longer for one more iteration."""
        base = self._base(job)
        less = _LONG if base == _LONGER else _SHORT
        return (self._block(job, base) - self._block(job, less)) / (base - less)

    def _base(self, job: Placed) -> int:
        """Return the iterations from which on a job alone is extrapolated."""
        return _LONGER if job.work.iterations > _LONGER and self._fits(job, _LONGER) else _LONG

    def _fits(self, job: Placed, times: int) -> bool:
        return times * len(body_of(_loop(job.work), self.placing.config)) <= _OPERATIONS

    def _block(self, job: Placed, times: int) -> float:
        """Return the cycles of so many iterations of a job alone, a mean over draws."""
        key = times, self._key([job])[0]
        if key not in self._times:
            seeds = _LEAST_WINDOWS if network_draws(self.placing.machine, self.placing.config) else 1
            block = replace(job, work=replace(job.work, iterations=times))
            placings = [replace(self.placing, seed=self.placing.seed + number) for number in range(seeds)]
            self._times[key] = float(np.mean([cycles_alone(placing, block) for placing in placings]))
        return self._times[key]

    def _key(self, jobs: Sequence[Placed]) -> tuple[object, list[int]]:
        """Return what a mix is, the same wherever a symmetry takes it, and its jobs in the order of that."""
        best: tuple[tuple[tuple[str, ...], ...], list[int]] | None = None
        for nodes in _images(self.placing, [job.nodes for job in jobs]):
            named = [
                (repr(_loop(job.work)), where.tobytes().hex()) for job, where in zip(jobs, nodes, strict=True)
            ]
            order = sorted(range(len(jobs)), key=lambda place: named[place])
            image = tuple(named[place] for place in order)
            if best is None or image < best[0]:
                best = image, order
        assert best is not None
        return best

    def _measure(self, jobs: list[Placed], key: object) -> Measurement:
        seed = int.from_bytes(hashlib.sha256(f"{self.placing.seed} {key}".encode()).digest()[:6], "big")
        parts = self._parts(jobs)
        paces = [self._pace(part) for part in parts]
        length = max(part.alone for part in parts)
        found: list[list[float]] = []
        while len(found) < self.most_windows:
            taken = window(self.placing, parts, length, seed + len(found))
            found.append([some[name] / alone for some, (name, alone) in zip(taken, paces, strict=True)])
            if len(found) >= _LEAST_WINDOWS and max(_half_widths(found)) <= self.precision:
                break
        return Measurement(tuple(np.mean(found, axis=0).tolist()), tuple(_half_widths(found)), len(found))

    def _parts(self, jobs: list[Placed]) -> list[Part]:
        return [
            Part(job, times, self._block(job, times), job.work.iterations > times)
            for job, times in zip(jobs, self._blocks(jobs), strict=True)
        ]

    def _pace(self, part: Part) -> tuple[str, float]:
        """Return by which pace a job is measured, and the cycles of its block alone at that.

        That of `PACES` by which the job alone, going on and on, is nearest to its rate over all its life.
        """
        if not part.lasting:
            return "slowest", part.alone
        key = "lasting", part.times, self._key([part.job])[0]
        if key not in self._paces:
            alone = window(self.placing, [part], part.alone, self.placing.seed)[0]
            life = part.times * self.iteration(part.job)
            # A difference of less than a few percent is chance.
            name = min(alone, key=lambda pace: max(_CHANCE, abs(alone[pace] / life - 1)))
            self._paces[key] = name, alone[name]
        return self._paces[key]

    def _blocks(self, jobs: list[Placed]) -> list[int]:
        """Return how many iterations a block of each job has: about the same time for all."""
        once = [self._block(job, 1) for job in jobs]
        longest = max(
            min(_BLOCK, job.work.iterations) * cycles for job, cycles in zip(jobs, once, strict=True)
        )
        made = []
        for job, cycles in zip(jobs, once, strict=True):
            most = max(1, _OPERATIONS // max(1, len(body_of(_loop(job.work), self.placing.config))))
            made.append(max(1, min(job.work.iterations, most, round(longest / max(1.0, cycles)))))
        return made


def _loop(work: Work) -> Work:
    """Return one iteration of what a job does."""
    return Work(work.application, work.tasks, 1, work.compute)


def _images(placing: Placing, places: list[NDArray[np.int64]]) -> list[list[NDArray[np.int64]]]:
    """Return a mix as it lies, or shifted so that each of its jobs in turn comes to stand first."""
    machine = placing.machine
    if isinstance(machine, Tree):
        every = np.concatenate(places)
        size = 1
        while int(every.min()) // size != int(every.max()) // size:
            size *= machine.down
        return [[nodes - int(every.min()) // size * size for nodes in places]]
    if not isinstance(machine, Grid) or not machine.wraps or machine.twist:
        return [places]
    coordinates = [machine.coordinates(nodes) for nodes in places]
    return [
        [np.asarray(machine.node((own - first[:1]) % machine.sizes), np.int64) for own in coordinates]
        for first in coordinates
    ]


def _half_widths(found: list[list[float]]) -> list[float]:
    count = len(found)
    if count < 2:
        return [math.inf]
    values = np.array(found)
    factor = float(stats.t.ppf((1 + _LEVEL) / 2, count - 1)) / math.sqrt(count)
    shares: NDArray[np.float64] = factor * values.std(axis=0, ddof=1) / values.mean(axis=0)
    return [float(share) for share in shares]
