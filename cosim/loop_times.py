"""Times of jobs alone as loops: short jobs are simulated completely, others in part.

The time of one more iteration is the difference between runs of 16 and 64 iterations, with three draws of
each, because two could be in the same of two modes too easily. If an iteration is nearly all computation,
runs of 1, 2, 4, 8 and 16 iterations suffice, as soon as the later iterations take as long as the earlier ones
and another draw agrees.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from netplace.cosim.alone import cycles_alone
from netplace.cosim.placed import JobPlacer, PlacedJob
from netplace.cosim.stored_times import StoredTimes
from netplace.cosim.work import iteration_program
from netplace.inputs import check_float, check_int
from netplace.runs.chance import network_is_random, same_place
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Tree

OPERATIONS = 60_000  # of a block at most, unless it has the least iterations
_SETTLED = 0.2  # of the precision: what differs by less is enough
_RUNS = (1, 2, 4, 8, 16)  # iterations of the runs between which the time of one more is seen
_COMMUNICATION = 0.2  # share of an iteration up to which these are enough
_SHORT, _LONG, _LONGER = 8, 16, 64  # the same, where they are not
TIMED = sum(_RUNS)  # iterations that are simulated for the time of one, at least where runs do not agree
_WHOLE = 64  # iterations up to which a job alone is simulated whole


@dataclass(frozen=True)
class _Growth:
    """Cycles of so many iterations of a job alone, and of one more."""

    cycles: float
    iterations: int
    more: float


@dataclass(eq=False)
class LoopTimes:
    """Times of jobs that run alone; each is measured once for all placements that are equivalent by symmetry.

    Parameters
    ----------
    target_half_width : float
        Requested relative half-width of the times.
    stored : StoredTimes
        Results of long simulations.
    draws : int
        Number of runs per time if the network makes random choices.
    """

    placing: JobPlacer
    target_half_width: float = 0.02
    stored: StoredTimes = field(default_factory=StoredTimes, repr=False)
    draws: int = 3
    _times: dict[object, float] = field(default_factory=dict, repr=False)
    _growths: dict[object, _Growth] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_float(self.target_half_width, "target_half_width", 1e-9, 10)
        check_int(self.draws, "draws", 1, 1000)

    def alone(self, job: PlacedJob) -> float:
        """Return the number of cycles that all iterations of a job take when it runs alone on its nodes."""
        if self._whole(job):
            return self.block(job, job.work.iterations)
        growth = self._growth(job)
        return growth.cycles + (job.work.iterations - growth.iterations) * growth.more

    def iteration(self, job: PlacedJob) -> float:
        """Return the number of cycles that one more iteration adds to a job alone."""
        return self._growth(job).more

    def block(self, job: PlacedJob, times: int) -> float:
        """Return the number of cycles that `times` iterations of a job alone take, as a mean over runs."""
        own = self._key(job)
        key = times, own
        if key not in self._times:
            cycles = [self._draw(job, times, own, number) for number in range(self._draws)]
            self._times[key] = float(np.mean(cycles))
        return self._times[key]

    def _whole(self, job: PlacedJob) -> bool:
        """Return whether a job alone is simulated completely."""
        return job.work.iterations <= _WHOLE and self._fits(job, job.work.iterations)

    def _fits(self, job: PlacedJob, times: int) -> bool:
        loop = replace(job.work, iterations=1)
        return times * len(iteration_program(loop, self.placing.config)) <= OPERATIONS

    def _growth(self, job: PlacedJob) -> _Growth:
        key = self._key(job)
        if key not in self._growths:
            self._growths[key] = self._settled(job, key) or self._followed(job)
        return self._growths[key]

    def _settled(self, job: PlacedJob, key: object) -> _Growth | None:
        """Return the result of runs of few iterations, as soon as they agree."""
        if not job.work.compute:
            return None
        cycles: list[int] = []
        for times in _RUNS:
            cycles.append(self._draw(job, times, key, 0))
            if len(cycles) < 3:
                continue
            half = times // 2
            rates = [(cycles[-2] - cycles[-3]) / (half // 2), (cycles[-1] - cycles[-2]) / (times - half)]
            if rates[1] - job.work.compute > _COMMUNICATION * rates[1]:
                return None
            limit = self.target_half_width * _SETTLED * rates[1]
            totals = cycles[-1:]
            if self._draws > 1 and np.ptp(rates) <= limit:
                totals.append(self._draw(job, times, key, 1))
                rates.append((totals[1] - self._draw(job, half, key, 1)) / (times - half))
            if np.ptp(rates) <= limit:
                return _Growth(float(np.mean(totals)), times, float(np.mean(rates[1:])))
        return None

    def _followed(self, job: PlacedJob) -> _Growth:
        """Return the result of longer runs, if they are not too long, and more draws."""
        times, less = (_LONGER, _LONG) if self._fits(job, _LONGER) else (_LONG, _SHORT)
        long = self.block(job, times)
        return _Growth(long, times, (long - self.block(job, less)) / (times - less))

    @property
    def _draws(self) -> int:
        return self.draws if network_is_random(self.placing.machine, self.placing.config) else 1

    def _draw(self, job: PlacedJob, times: int, key: object, number: int) -> int:
        block = replace(job, work=replace(job.work, iterations=times))
        placing = self.placing.drawn(number)
        cycles: int = self.stored.get(("block", times, key, number), lambda: cycles_alone(placing, block))
        return cycles

    def _key(self, job: PlacedJob) -> object:
        """Return the key of a job on its nodes, which is the same for all symmetric places."""
        machine, nodes = self.placing.machine, job.nodes
        same = _numbered(machine, nodes) if isinstance(machine, Tree) else same_place(machine, [nodes])[0]
        return replace(job.work, iterations=1), same.tobytes()


def _numbered(tree: Tree, nodes: Nodes) -> Nodes:
    """Return nodes with the subtrees below each switch numbered as tasks first come to them."""
    names = np.zeros(len(nodes), np.int64)
    for stage in reversed(range(tree.stages)):
        _, first, inverse = np.unique(nodes // tree.down**stage, return_index=True, return_inverse=True)
        above = names[first]
        order = np.lexsort((first, above))
        rank = np.empty(len(first), np.int64)
        rank[order] = np.arange(len(first)) - np.searchsorted(above[order], above[order])
        names = (above * tree.down + rank)[inverse]
    return names
