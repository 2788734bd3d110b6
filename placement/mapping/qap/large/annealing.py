"""Simulated annealing in which a task moves next to a partner, and swaps with the task there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import placement as native
from netplace.placement.mapping.qap.large.effort import SLICE, Effort
from netplace.placement.mapping.qap.locations import Locations

__all__ = ["Level", "anneal", "cost"]

_SAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Level:
    """A problem as the annealing sees it.

    Attributes
    ----------
    flows : tuple of ndarray
        Symmetric flows task by task: ``flow[x]`` to task ``other[x]``, x in ``first[i]:first[i + 1]``.
    locations : Locations
        As many as tasks, or more.
    near : ndarray of int32, shape (locations, k)
        Locations near each.
    fixed : int
        A task that stays where it is; -1: none.
    """

    flows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
    locations: Locations
    near: NDArray[np.int32]
    fixed: int = -1

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

    Parameters
    ----------
    level : Level
        The problem.
    place : ndarray of int32
        Location of each task, -1 for tasks that have none yet.
    holder : ndarray of int32
        Task at each location, -1 for none.
    active : ndarray of int32
        Tasks that have a location.
    between : tuple of float
        First and last temperature, relative to what a swap changes on average.
    until : float
        Share of the effort at which to end.
    effort : Effort
        What is spent.
    rng : numpy.random.Generator
        Where draws come from.
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
        change += propose(place, holder, active, temperature, SLICE, rng)[0]
        effort.spend(SLICE)
    change += propose(place, holder, active, 0.0, min(SLICE, 4 * len(active)), rng)[0]
    if change > 0:
        place[:], holder[:] = before


def cost(level: Level, place: NDArray[np.int32]) -> float:
    """Return what the flows between tasks that have a location cost, each counted once."""
    return level.compiled.cost(place) / 2
