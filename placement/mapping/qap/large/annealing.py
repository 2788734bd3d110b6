"""Simulated annealing in which a task moves next to a partner, and swaps with the task there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native
from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.locations import Locations

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
