"""Rules for the run time of a job on its nodes, and for the estimate of a job that has none, by name.

A new rule for run times is a class with the members of `RunTimes` and a line in `RUN_TIMES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from netplace.inputs import check_choice, check_float
from netplace.placement.compactness import pairwise_sum
from netplace.registry import Registry
from netplace.scheduling.execution import Execution, RunTimes
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.record import Contiguity
from netplace.topologies import Hierarchy, Topology, hierarchy

__all__ = [
    "ESTIMATES",
    "GROWTHS",
    "RUN_TIMES",
    "LogTimes",
    "PenaltyTimes",
    "RunTimes",
    "RunTimesKind",
    "ScaledTimes",
    "SpreadTimes",
    "estimate_rule",
    "make_times",
]


class LogTimes:
    """Every job runs as long as it did in its log, wherever it is."""

    def seconds(self, job: Job, allocation: Allocation) -> float:
        return job.run_time

    def longest(self, job: Job) -> float:
        return job.run_time


@dataclass(frozen=True)
class ScaledTimes:
    """The log's run times, scaled by whether a job's nodes are contiguous (`Contiguity`).

    The factor depends only on the nodes, whichever allocator chose them. Sequential jobs do not communicate
    and are never scaled. Two equal factors scale all others.
    """

    machine: Topology
    contiguous: float = 1.0
    scattered: float = 1.0

    def __post_init__(self) -> None:
        for factor in (self.contiguous, self.scattered):
            check_float(factor, "run times: factor", 1e-9, 1e9)

    @cached_property
    def _contiguity(self) -> Contiguity:
        return Contiguity(self.machine)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        if job.nodes == 1:
            return job.run_time
        return job.run_time * (self.contiguous if self._contiguity.of(allocation.nodes) else self.scattered)

    def longest(self, job: Job) -> float:
        return job.run_time if job.nodes == 1 else job.run_time * max(self.contiguous, self.scattered)


@dataclass(frozen=True)
class SpreadTimes:
    """The log's run times, times ``1 + factor * (d / d0 - 1)``.

    Here d is the mean distance of two of the job's nodes, in hops, and d0 that of as many nodes around one
    node of the empty machine, the nearest first. So `factor` is the share of its time that a job loses if it
    is twice as spread as necessary. No job becomes faster than in the log.
    """

    machine: Topology
    factor: float
    _least: dict[int, float] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_float(self.factor, "run times: cost of spread", 0, 1e9)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        if job.nodes == 1:
            return job.run_time
        mean = self._mean(allocation.nodes[: job.nodes])
        return job.run_time * (1 + self.factor * max(0.0, mean / self._compact(job.nodes) - 1))

    def longest(self, job: Job) -> float:
        if job.nodes == 1:
            return job.run_time
        maximum = self.machine.diameter / self._compact(job.nodes)
        return job.run_time * (1 + self.factor * max(0.0, maximum - 1))

    def _mean(self, nodes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
        return pairwise_sum(self.machine, nodes) * 2 / (len(nodes) * (len(nodes) - 1))

    def _compact(self, size: int) -> float:
        """Return the mean distance of so many nodes that lie as near as a ball around a node has them."""
        if size not in self._least:
            usable = self.machine.computing
            centre = int(usable[len(usable) // 2])
            nearest = usable[np.argsort(self.machine.distance(centre, usable), kind="stable")]
            self._least[size] = max(self._mean(nearest[:size]), 1e-9)
        return self._least[size]


# name: factor and levels above the least to the factor of the run time. What F. Mendonca (thesis, 2017) calls
# quadratic is geometric here.
GROWTHS: dict[str, Callable[[float, int], float]] = {
    "linear": lambda factor, above: 1 + factor * above,
    "quadratic": lambda factor, above: 1 + factor * above**2,
    "geometric": lambda factor, above: factor**above,
}


@dataclass(frozen=True)
class PenaltyTimes:
    """The log's run times, longer by how far the level is above the least.

    The level of a job is that of the lowest common ancestor of its nodes; the least level that of the
    smallest subtree with room for it. A job whose penalty takes it past its estimate fails where
    `netplace.scheduling.schedule` kills at the estimate.
    """

    tree: Topology
    growth: str
    factor: float

    def __post_init__(self) -> None:
        if hierarchy(self.tree) is None:
            raise ValueError(f"run times: a penalty by level needs a tree, not {self.tree}")
        minimum = 1 if check_choice(self.growth, GROWTHS, "growth of the penalty") == "geometric" else 0
        check_float(self.factor, "run times: penalty", minimum, 1e9)

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        known = hierarchy(self.tree)
        assert known is not None, "checked when it was made"
        return known

    @cached_property
    def _place(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Position of each node in the tree's order."""
        return np.argsort(self._hierarchy.order)

    @cached_property
    def _rooms(self) -> list[int]:
        """Nodes of the largest subtree, level by level."""
        return [int(np.diff(starts).max()) for starts in self._hierarchy.starts]

    def seconds(self, job: Job, allocation: Allocation) -> float:
        places = self._place[allocation.nodes]
        ends = int(places.min()), int(places.max())
        for level, starts in enumerate(self._hierarchy.starts):
            first, last = np.searchsorted(starts, ends, side="right")
            if first == last:
                return self._penalised(job, level)
        raise AssertionError("the last level is the whole tree")

    def longest(self, job: Job) -> float:
        return self._penalised(job, self._hierarchy.levels if job.nodes > 1 else 0)

    def _penalised(self, job: Job, level: int) -> float:
        minimum = next((at for at, room in enumerate(self._rooms) if room >= job.nodes), level)
        return job.run_time * GROWTHS[self.growth](self.factor, max(level - minimum, 0))


@dataclass(frozen=True)
class RunTimesKind:
    """One rule of run times under a name; `options` counts the words after the colon, -1: any number."""

    make: Callable[[Topology, list[str]], RunTimes]
    options: int
    example: str
    description: str
    limited_by_estimate: bool = False


_RUN_TIMES: dict[str, RunTimesKind] = {
    "factors": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, _number(words[0]), _number(words[1])),
        2,
        "factors:0.9,1.2",
        "multiplies the run times of the log by one factor for contiguous parallel jobs and another for all "
        "other parallel jobs",
    ),
    "log": RunTimesKind(lambda _, __: LogTimes(), 0, "log", "run times of the log or the model"),
    "penalty": RunTimesKind(
        lambda machine, words: PenaltyTimes(machine, words[0], _number(words[1])),
        2,
        "penalty:linear,0.1",
        "on a tree, increases run times by this share per level above the lowest possible; or quadratic, "
        "geometric",
        limited_by_estimate=True,
    ),
    "scaled": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, contiguous=_number(words[0])),
        1,
        "scaled:0.8",
        "multiplies the run times of the log by this factor for contiguous parallel jobs",
    ),
    "slowed": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, scattered=_number(words[0])),
        1,
        "slowed:1.3",
        "multiplies the run times of the log by this factor for scattered parallel jobs",
    ),
    "spread": RunTimesKind(
        lambda machine, words: SpreadTimes(machine, _number(words[0])),
        1,
        "spread:0.1",
        "increases run times by this share for jobs spread twice as far as necessary",
    ),
}


def _own(make: Callable[..., RunTimes], name: str, description: str) -> RunTimesKind:
    return RunTimesKind(make, -1, name, description)


RUN_TIMES: Registry[RunTimesKind] = Registry(
    "run times", "netplace.run_times", RunTimesKind, _RUN_TIMES, _own
)


def make_times(text: str, machine: Topology) -> RunTimes:
    """Return the run times that a text form describes.

    `text` is a key of `RUN_TIMES` with its options after a colon, such as ``"penalty:linear,0.1"``.
    Raise ValueError if the rule is unknown or its options are invalid.

    Examples
    --------
    >>> from netplace.scheduling import Job
    >>> from netplace.topologies import parse
    >>> make_times("scaled:0.8", parse("torus:4x4")).longest(Job(1, submit=0, nodes=4, run_time=10))
    10.0
    """
    kind, rest = RUN_TIMES.find(str(text))
    words = rest.split(",") if rest else []
    if kind.options >= 0 and len(words) != kind.options:
        raise ValueError(f"run times {text!r}: expected a form such as {kind.example}")
    return kind.make(machine, words)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"run times: {text!r} is not a number") from None


Estimate = Callable[[Job], float]

# name: (how a user asks for it, one line for people)
ESTIMATES = {
    "run-time": ("run-time", "the longest possible run time of the job, as if users knew it"),
    "infinite": ("infinite", "none: the job may run forever, so it never starts before a reservation"),
    "fixed": ("fixed:SECONDS", "the same for all jobs, like the default limit of a queue"),
    "factor": ("factor:F", "the longest possible run time of the job times a factor"),
}


def estimate_rule(text: str, times: RunTimes | Execution) -> Estimate:
    """Return the function that gives each job its estimate in seconds: its own, or that of a rule."""
    name, colon, rest = str(text).partition(":")
    form = ESTIMATES[check_choice(name, ESTIMATES, "estimates")][0]
    if bool(colon) != (":" in form):
        raise ValueError(f"estimates {text!r}: expected the form {form}")
    number = check_float(rest, f"estimates {text!r}", 1e-9, 1e15) if colon else 1.0
    absent: Estimate
    if name == "fixed":
        absent = lambda job: number  # noqa: E731
    elif name == "infinite":
        absent = lambda job: math.inf  # noqa: E731
    else:
        absent = lambda job: number * times.longest(job)  # noqa: E731
    return lambda job: absent(job) if job.estimate is None else job.estimate
