"""Rates of jobs that share a network: a mix of looping jobs, simulated over windows.

The result is the factor by which each *watched* job is slowed; the other jobs of the mix only cause
disturbance. In a window, every job of the mix runs continuously from a random phase on, or, if it has few
iterations or no steady rate, runs some of them repeatedly. Its time divided by its time alone is the factor.
Windows with other phases and draws are simulated until the interval of every watched factor is narrow enough.

A job whose tasks all wait for each other progresses steadily. If it has more iterations than a block, it runs
continuously, because the lead of its tasks and its packets in the network build up over many iterations; the
count is that of its slowest task. Any other job runs as a whole block, repeatedly: its senders would
otherwise run ahead forever, and fill a network that the real program clears soon.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from netplace.apps import Program
from netplace.checks import check_int
from netplace.checks.calls import check_fields
from netplace.cosim.checkpoint import Memory
from netplace.cosim.cost import packets_of
from netplace.cosim.loop_times import OPERATIONS, LoopTimes
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.symmetry import same_mix
from netplace.cosim.work import Work, body_of
from netplace.netsim import Network
from netplace.scheduling.metrics.interval import half_width

_LEAST_WINDOWS = 2
_BELIEVED = 0.005**2  # variance between windows that is believed beforehand, as much as that of one
_ENDLESS = 0.5  # of what programs do that go on for ever, where they have no steady rate
_BLOCK, _LEAST_BLOCK = 32, 4  # iterations of the watched job that takes longest over one, at most and least
_LONG_BLOCK = 256  # at most, where senders run ahead: what they make of a network builds up slowly


@dataclass(frozen=True)
class Measurement:
    """The factors by which the watched jobs of a mix are slowed; half-widths are shares.

    `deviations` are those of a live run, as shares: standard deviations between single windows and single
    blocks, and the effect of programs without a steady rate if they ran forever.
    """

    factors: tuple[float, ...]
    half_widths: tuple[float, ...]
    deviations: tuple[float, ...]
    windows: int


@dataclass
class Rates:
    """Factors by which jobs slow each other down in mixes; each mix is measured once.

    Attributes
    ----------
    target_half_width : float
        Target relative half-width of every factor.
    most_windows : int
        Largest number of windows per mix.
    simulated, missed : int
        Number of mixes that were simulated, and of those that did not reach the target half-width.
    loops : LoopTimes
        Times of the jobs when they run alone.
    """

    placing: Placing
    target_half_width: float = 0.02
    most_windows: int = 12
    simulated: int = 0
    missed: int = 0
    memory: Memory = field(default_factory=Memory, repr=False)
    _known: dict[object, Measurement] = field(default_factory=dict, repr=False)
    _steady: dict[object, float] = field(default_factory=dict, repr=False)  # cycles of an iteration alone

    def __post_init__(self) -> None:
        check_fields(self)
        self.loops = LoopTimes(self.placing, self.target_half_width, self.memory)

    def known(self, jobs: Sequence[Placed], watched: int | None = None) -> bool:
        """Return whether a mix has been measured, on these nodes or on symmetric ones."""
        return bool(jobs) and self.key(jobs, len(jobs) if watched is None else watched)[0] in self._known

    def of(self, jobs: Sequence[Placed], watched: int | None = None) -> Measurement:
        """Return the factor by which each of the first `watched` jobs is slowed while exactly `jobs` run.

        By default, all jobs are watched.

        Raises
        ------
        DeadlockError
            If the program of a job cannot continue.
        """
        if len(jobs) == 1:
            return Measurement((1.0,), (0.0,), (0.0,), 0)
        count = check_int(
            len(jobs) if watched is None else watched, "Rates: watched jobs", 1, max(len(jobs), 1)
        )
        if not jobs:
            raise ValueError("Rates: no jobs given, expected at least one")
        key, order = self.key(jobs, count)
        wanted = [rank for rank, place in enumerate(order) if place < count]
        if key not in self._known:
            parts = [jobs[place] for place in order]
            measurement = self.memory.of(("mix", key), lambda: astuple(self._measure(parts, wanted, key)))
            self._known[key] = Measurement(*measurement)
            self.simulated += 1
            self.missed += max(self._known[key].half_widths) > self.target_half_width
        measurement = self._known[key]
        back = np.argsort([order[rank] for rank in wanted])
        return Measurement(
            tuple(measurement.factors[place] for place in back),
            tuple(measurement.half_widths[place] for place in back),
            tuple(measurement.deviations[place] for place in back),
            measurement.windows,
        )

    def key(self, jobs: Sequence[Placed], watched: int = 0) -> tuple[object, list[int]]:
        """Return what a mix is, the same wherever a symmetry takes it, and its jobs in the order of that."""
        names = [f"{_loop(job.work)}{'*' * int(place < watched)}" for place, job in enumerate(jobs)]
        return same_mix(self.placing.machine, names, [job.nodes for job in jobs])

    def window_packets(self, jobs: Sequence[Placed], watched: int, once: Sequence[float]) -> float:
        """Return about how many packets one window of a mix has, of whose jobs the first are watched.

        `once` has the cycles of an iteration of each job alone.
        """
        length, parts = self._parts([*jobs], [*range(watched)], once)
        return sum(
            (_WARM_UP + _MEASURED) * length / max(1.0, part.once) * packets_of(self.placing, part.job.work)
            for part in parts
        )

    def _measure(self, jobs: list[Placed], watched: list[int], key: object) -> Measurement:
        seed = int.from_bytes(hashlib.sha256(f"{self.placing.seed} {key}".encode()).digest()[:6], "big")
        length, parts = self._parts(jobs, watched, [self.loops.block(job, 1) for job in jobs])
        slowdowns: list[list[float]] = []
        blocks: list[list[Times]] = []
        while len(slowdowns) < self.most_windows:
            blocks.append(self._factors(jobs, parts, watched, length, seed + len(slowdowns)))
            slowdowns.append([float(own.mean()) for own in blocks[-1]])
            if len(slowdowns) >= _LEAST_WINDOWS and max(_half_widths(slowdowns)) <= self.target_half_width:
                break
        means = np.mean(slowdowns, axis=0)
        each = zip(watched, zip(*blocks, strict=True), strict=True)
        deviation = np.array([_deviation(own, jobs[place], parts[place]) for place, own in each])
        endless = [replace(part, lasting=part.job.work.iterations > part.times) for part in parts]
        if any(after.lasting and not before.lasting for before, after in zip(parts, endless, strict=True)):
            others = self._factors(jobs, endless, watched, length, seed)
            apart = [math.log(float(own.mean()) / mean) for own, mean in zip(others, means, strict=True)]
            deviation = np.hypot(deviation, _ENDLESS * np.array(apart))
        return Measurement(
            tuple(means.tolist()), tuple(_half_widths(slowdowns)), tuple(deviation.tolist()), len(slowdowns)
        )

    def _factors(
        self, jobs: list[Placed], parts: list[Part], watched: list[int], length: float, seed: int
    ) -> list[Times]:
        """Return the factors that a window shows of each watched job, one or one a block."""
        taken = window(self.placing, parts, watched, length, seed)
        return [taken[place] / self._once(jobs[place], parts[place]) for place in watched]

    def _once(self, job: Placed, part: Part) -> float:
        """Return the cycles of an iteration of a job alone, at the pace that a window shows."""
        if not part.lasting:
            return self.loops.block(job, part.times) / part.times
        key = self.key([job])[0]
        if key not in self._steady:
            length = self._most(job) * self.loops.block(job, 1)
            self._steady[key] = float(window(self.placing, [part], [0], length, self.placing.seed)[0].mean())
        return self._steady[key]

    def _most(self, job: Placed) -> int:
        operations = max(1, len(body_of(_loop(job.work), self.placing.config)))
        longest = _BLOCK if waits_for_all(self.placing.body(job)) else _LONG_BLOCK
        return min(job.work.iterations, longest, max(_LEAST_BLOCK, OPERATIONS // operations))

    def _parts(
        self, jobs: list[Placed], watched: list[int], once: Sequence[float]
    ) -> tuple[float, list[Part]]:
        """Return the cycles of a block, and the jobs with about the given number of iterations in theirs."""
        leading = {*watched} | {
            place for place, job in enumerate(jobs) if not waits_for_all(self.placing.body(job))
        }
        length = max(*once, *(self._most(jobs[place]) * once[place] for place in leading))
        parts = []
        for job, cycles in zip(jobs, once, strict=True):
            times = max(1, min(job.work.iterations, round(length / max(1.0, cycles))))
            lasting = job.work.iterations > times and waits_for_all(self.placing.body(job))
            parts.append(Part(job, times, cycles, lasting))
        return length, parts


@lru_cache(maxsize=256)  # as many programs as `body_of` keeps; each is asked for in every mix
def waits_for_all(program: Program) -> bool:
    """Return whether every task of a program waits for every other, directly or over others."""
    heard = program.traffic().W > 0
    return int(connected_components(heard, connection="strong", return_labels=False)) == 1


def _loop(work: Work) -> Work:
    return replace(work, iterations=1)


def _deviation(windows: Sequence[Times], job: Placed, part: Part) -> float:
    """Return the standard deviation of the factor that a live run meets, as a share."""
    # What windows show differs by their phases, of which a live run has one. A job that is done in blocks
    # meets as many of them as it has iterations for.
    means = np.array([own.mean() for own in windows])
    mean = float(means.mean())
    between = (float(((means - mean) ** 2).sum()) / mean**2 + _BELIEVED) / len(means)
    blocks = np.concatenate(windows)
    within = float(blocks.var()) / mean**2 * part.times / job.work.iterations
    return math.sqrt(max(between, within))


def _half_widths(slowdowns: list[list[float]]) -> list[float]:
    """Return half-widths of the intervals of means over windows, as shares of the means."""
    if len(slowdowns) < 2:
        return [math.inf]
    return [half_width(column) / float(column.mean()) for column in np.array(slowdowns).T]


_WARM_UP, _MEASURED = 1, 2  # lengths of the longest block
_MOST = 16  # the same: a job that has not ended by then is starved
_FOR_EVER = (1 << 31) - 1

Times = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    job: Placed  # the job on its nodes
    times: int  # iterations of a block
    once: float  # cycles of one iteration alone
    lasting: bool  # whether it runs continuously, instead of repeating its block

    def start(self, placing: Placing, network: Network, at: int | None = None) -> int:
        work = replace(self.job.work, iterations=_FOR_EVER if self.lasting else self.times)
        return placing.start(network, replace(self.job, work=work), at)


def window(
    placing: Placing, parts: list[Part], watched: list[int], length: float, seed: int
) -> dict[int, Times]:
    """Return the cycles per iteration of each watched job, by its place, for each block of `length` cycles.

    For a job that runs continuously, it is a single value.
    """
    rng = np.random.default_rng(seed)
    network = replace(placing, seed=seed).network()
    running = {
        part.start(
            placing, network, int(rng.integers(0, max(1, int(min(length, part.times * part.once)))))
        ): place
        for place, part in enumerate(parts)
    }
    again = [place for place in watched if not parts[place].lasting]
    ends: dict[int, list[int]] = {place: [] for place in again}
    _run(placing, parts, network, running, math.ceil(_WARM_UP * length), ends)
    for some in ends.values():
        some.clear()
    lasting = [place for place in watched if parts[place].lasting]
    began, before = network.now, _rounds(network, running, lasting)
    limit, last = (began + math.ceil(lengths * length) for lengths in (_MEASURED, _MOST))
    while network.now < limit or (network.now < last and any(len(some) < 2 for some in ends.values())):
        _run(placing, parts, network, running, max(limit, network.now + math.ceil(length)), ends)
    span, after = network.now - began, _rounds(network, running, lasting)
    taken = {place: _blocks(some, span) / parts[place].times for place, some in ends.items()}
    for place in lasting:
        done = float(after[place].min() - before[place].min())
        taken[place] = np.array([span / max(done, 0.5)])
    return taken


def _blocks(ends: list[int], span: int) -> Times:
    """Return the cycles between the ends of blocks; of one that is starved no more is known than the span."""
    return np.diff(ends).astype(float) if len(ends) > 1 else np.array([float(span)])


def _run(
    placing: Placing,
    parts: list[Part],
    network: Network,
    running: dict[int, int],
    until: int,
    ends: dict[int, list[int]],
) -> None:
    """Simulate up to a cycle; write down when a block ends, and start it again."""
    while network.now < until:
        for number in network.advance(until):
            place = running.pop(number)
            if place in ends:
                ends[place].append(network.now)
            running[parts[place].start(placing, network)] = place
            network.forget(number)


def _rounds(network: Network, running: dict[int, int], lasting: list[int]) -> dict[int, NDArray[np.float64]]:
    """Return the iterations that each task of continuously running jobs has completed."""
    return {place: network.rounds(number) for number, place in running.items() if place in lasting}
