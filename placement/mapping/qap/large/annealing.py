"""Simulated annealing in which a task moves next to a partner, and swaps with the task there.

A placement grows from one task: the task with the most traffic to placed tasks is next. Greedy construction
(H. Müller-Merbach, "Optimale Reihenfolgen", Springer 1970; for mapping: T. Hoefler and M. Snir, "Generic
topology mapping strategies for large-scale parallel architectures", ICS 2011), with annealing each time the
placement has grown by half: a mistake near the beginning costs little to repair then, and much later. A halo
exchange grows like a crystal, mostly without a defect.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native
from netplace.placement.mapping.qap.locations import GRID, TD, Locations
from netplace.placement.mapping.qap.problem import Budget

_SLICE = 4096  # proposals between two looks at the clock: about a millisecond


class Effort:
    """The part of a budget that is spent."""

    def __init__(self, budget: Budget, tasks: int):
        self._budget, self._tasks = budget, tasks
        self.proposals = budget.spent * tasks  # how many have been made
        self._most = (budget.spent + budget.iterations_left) * tasks

    @property
    def share(self) -> float:
        """From 0 to 1, and beyond where a step took longer than was left."""
        by_time = 0.0
        if self._budget.timed:
            used = self._budget.seconds
            by_time = used / max(used + self._budget.seconds_left, 1e-9)
        by_number = self.proposals / self._most if self._most < math.inf else 0.0
        return max(by_time, by_number)

    def spend(self, proposals: int) -> None:
        before = self.proposals // self._tasks
        self.proposals += proposals
        self._budget.spend(self.proposals // self._tasks - before)


_SAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Level:
    """A problem as the annealing sees it."""

    # Symmetric flows task by task: ``flow[x]`` to task ``other[x]``, x in ``first[i]:first[i + 1]``.
    flows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
    locations: Locations  # as many as tasks, or more
    near: NDArray[np.int32]  # shape (locations, k): locations near each
    fixed: int = -1  # A task that stays where it is; -1 if there is none

    @cached_property
    def compiled(self) -> native.Level:
        """The same for compiled searches, checked once."""
        return native.Level(*self.flows, self.locations.compiled, self.near, self.fixed)


def anneal(
    level: Level,
    place: NDArray[np.int32],
    holder: NDArray[np.int32],
    active: NDArray[np.int32],
    between: tuple[float, float],
    until: float,
    effort: Effort,
    rng: np.random.Generator,
) -> None:
    """Improve a placement in place; it does not become worse.

    `place`: location of each task, or -1. `holder`: task at each location, or -1. `active`: tasks that have a
    location. `between`: first and last temperature, relative to the average change by a swap. `until`: share
    of the effort at which to end.
    """
    begun = effort.share
    if begun >= until or not len(active) or not level.near.shape[1]:
        return
    before = place.copy(), holder.copy()
    propose = level.compiled.propose
    _, size = propose(place.copy(), holder.copy(), active, 0.0, _SAMPLES, rng)
    effort.spend(_SAMPLES)
    high, low = (size / _SAMPLES * factor for factor in between)
    change = 0.0
    while size > 0 and (share := effort.share) < until:
        temperature = high * (low / high) ** ((share - begun) / (until - begun))
        change += propose(place, holder, active, temperature, _SLICE, rng)[0]
        effort.spend(_SLICE)
    change += propose(place, holder, active, 0.0, min(_SLICE, 4 * len(active)), rng)[0]
    if change > 0:
        place[:], holder[:] = before


def cost(level: Level, place: NDArray[np.int32]) -> float:
    """Return the cost of the flows between tasks that have a location, each counted once."""
    return level.compiled.cost(place) / 2


_FIRST, _FACTOR = 16, 1.5
_NUCLEUS, _TRIED = 60, 32_768  # tasks of a nucleus, and proposals each time that it has grown
_POWER = 0.7  # shares of effort grow less than the number of tasks placed: beginnings count
_BETWEEN = (0.3, 0.03)
_PERFECT, _FLAWED = 1 + 1e-6, 1.02  # excess of a growth without a fault, and of one that is given up
_LANDMARKS = 8
_ENDS, _MORE = 4, 10  # beginnings at an end, and at random


class Growth:
    """A placement that grows."""

    def __init__(self, level: Level, tasks: int, beginning: tuple[int, int]):
        count = len(level.locations)
        self._level, self._tasks, self._beginning = level, tasks, beginning
        self.place, self._holder = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
        self._active, self._said = np.empty(count, np.int32), np.zeros(count)
        self._stamp, self._turn = np.zeros(count, np.int32), np.zeros(count, np.int64)
        self.placed = 0

    @property
    def excess(self) -> float:
        """Cost of the placed tasks relative to the smallest possible cost; 1 means no defect."""
        inside = self._level.compiled.inside(self.place) / 2 * self._level.locations.minimum
        return cost(self._level, self.place) / inside if inside else 1.0

    def copy(self) -> Growth:
        twin = copy.copy(self)
        for name in ("place", "_holder", "_active", "_said", "_stamp", "_turn"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def grow(self, until: float, effort: Effort, rng: np.random.Generator) -> None:
        """Place half as many tasks again; if there is a fault anneal all, up to a share of the effort."""
        target = min(self._tasks, max(_FIRST, int(self.placed * _FACTOR) + 1))
        level = self._level
        level.compiled.grow(
            self.place, self._holder, self._active, self._said, self._turn, self._stamp, self.placed, target,
            *self._beginning,
        )  # fmt: skip
        self.placed = target
        if self.excess > _PERFECT:
            active = self._active[:target]
            anneal(level, self.place, self._holder, active, _BETWEEN, until, effort, rng)

    def begin(self, effort: Effort, rng: np.random.Generator) -> None:
        """Grow a nucleus, whatever share of the effort that takes: it takes some milliseconds."""
        while self.placed < min(_NUCLEUS, self._tasks):
            own = Effort(Budget(iterations=_TRIED), 1)
            self.grow(1.0, own, rng)
            effort.spend(own.proposals)


def grown(
    level: Level, tasks: int, ends: Sequence[float], effort: Effort, rng: np.random.Generator
) -> Iterator[NDArray[np.int32]]:
    """Yield placements of the first `tasks` tasks, from the most promising beginning on.

    `ends`: shares of the effort at which each placement is to be done. With nothing left, the remaining tasks
    are placed without annealing, and only the first placement is begun.
    """
    nuclei: list[Growth] = []
    for beginning in beginnings(level, tasks, rng):
        if nuclei and effort.share > ends[0] / 2:
            break
        # Of places as good as each other the first is taken: another order, another orientation.
        turned = np.ascontiguousarray(level.near[:, rng.permutation(level.near.shape[1])])
        nucleus = Growth(replace(level, near=turned), tasks, beginning)
        nucleus.begin(effort, rng)
        crystal = nucleus.copy()
        while crystal.placed < tasks and crystal.excess <= _FLAWED:
            crystal.grow(0.0, effort, rng)
        if crystal.placed == tasks and crystal.excess <= _PERFECT:
            yield crystal.place[:tasks]
            return
        nuclei.append(nucleus)
    nuclei.sort(key=lambda nucleus: nucleus.excess)
    for number, (growth, end) in enumerate(zip(nuclei, ends, strict=False)):
        if number and effort.share >= end:
            return
        began = effort.share
        while growth.placed < tasks:
            share = ((growth.placed * _FACTOR + 1) / tasks) ** _POWER
            growth.grow(began + max(0.0, end - began) * min(1.0, share), effort, rng)
        yield growth.place[:tasks]


def beginnings(level: Level, tasks: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return tasks and the locations to begin with them: in the middle of either, at an end, anywhere.

    An open machine ends at its walls, so a beginning in a corner comes first there: from the middle, a
    placement that is one place aside would not fit.
    """
    first, other, _ = level.flows
    middle, end = _ends(first, other, int(rng.integers(tasks)), tasks)
    places, steps = level.locations.places, level.locations.steps
    anywhere = [(int(rng.integers(tasks)), int(rng.integers(len(places)))) for _ in range(_MORE)]
    if level.locations.kind not in (GRID, TD):
        return [(end, 0), (middle, len(places) // 2), *anywhere]
    central = int(np.abs(places - places.mean(axis=0)).sum(axis=1).argmin())
    if len(places) == steps.prod(dtype=np.float64):
        return [(middle, central), (end, central), *anywhere]
    corner = int(places.sum(axis=1).argmin())
    return [*[(end, corner)] * _ENDS, (middle, central), *anywhere]


def _ends(first: NDArray[np.int32], other: NDArray[np.int32], start: int, tasks: int) -> tuple[int, int]:
    """Return a task in the middle of those joined to `start`, and one at an end of them."""
    farthest = np.zeros(tasks, np.int64)
    nearest = native.hops_from(first, other, start)[:tasks]
    within = nearest >= 0
    end = int(nearest.argmax())
    for _ in range(_LANDMARKS):
        landmark = int(nearest.argmax())
        hops = native.hops_from(first, other, landmark)[:tasks]
        farthest = np.maximum(farthest, hops)
        nearest = np.where(within, np.minimum(nearest, hops), -1)
    return int(np.where(within, farthest, np.iinfo(np.int64).max).argmin()), end
