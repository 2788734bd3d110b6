"""Simulated annealing in which a task moves next to a partner, and swaps with who is there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.placement.mapping.qap.large.effort import SLICE, Effort
from netplace.placement.mapping.qap.large.pricing import price
from netplace.placement.mapping.qap.locations import Locations

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__ = ["Level", "anneal", "cost"]

_SAMPLES = 2000
_FAST = {"nnan", "nsz", "reassoc", "contract"}


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
    _, size = _proposed(level, place.copy(), holder.copy(), active, 0.0, _SAMPLES, rng)
    effort.spend(_SAMPLES)
    high, low = (size / _SAMPLES * factor for factor in between)
    change = 0.0
    while size > 0 and (share := effort.share) < until:
        temperature = high * (low / high) ** ((share - begun) / (until - begun))
        change += _proposed(level, place, holder, active, temperature, SLICE, rng)[0]
        effort.spend(SLICE)
    change += _proposed(level, place, holder, active, 0.0, min(SLICE, 4 * len(active)), rng)[0]
    if change > 0:
        place[:], holder[:] = before


def cost(level: Level, place: NDArray[np.int32]) -> float:
    """Return what the flows between tasks that have a location cost, each counted once."""
    return float(_cost(*level.flows, *level.locations.form, place)) / 2


def _proposed(level, place, holder, active, temperature, count, rng) -> tuple[float, float]:
    return _propose(  # type: ignore[no-any-return]
        *level.flows, *level.locations.form, level.near, place, holder, active, level.fixed, temperature,
        count, rng,
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def _cost(first, other, flow, kind, places, steps, table, home, place):
    total = 0.0
    for u in range(len(place)):
        if place[u] >= 0:
            for e in range(first[u], first[u + 1]):
                if place[other[e]] >= 0:
                    total += flow[e] * price(kind, places, steps, table, home, place[u], place[other[e]])
    return total


@njit(cache=True, error_model="numpy", fastmath=_FAST, forceinline=True)
def _moved(first, other, flow, kind, places, steps, table, home, place, u, v, here, there):
    """Return what it changes when `u` moves from `here` to `there`; flow to `v`, who comes back, does not."""
    total = 0.0
    for e in range(first[u], first[u + 1]):
        k = other[e]
        at = place[k]
        if at >= 0 and k != v:
            onward = price(kind, places, steps, table, home, there, at)
            total += flow[e] * (onward - price(kind, places, steps, table, home, here, at))
    return total


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _propose(
    first, other, flow, kind, places, steps, table, home, near, place, holder, active, fixed, temperature,
    count, rng,
):  # fmt: skip
    """Make `count` proposals; return by how much the cost changed, and the sizes of the changes proposed."""
    change, size = 0.0, 0.0
    for _ in range(count):
        u = active[int(rng.random() * len(active))]
        partners = first[u + 1] - first[u]
        if partners == 0:
            continue
        at = place[other[first[u] + int(rng.random() * partners)]]
        if at < 0:
            continue
        here, there = place[u], near[at, int(rng.random() * near.shape[1])]
        v = holder[there]
        if u == v or (fixed >= 0 and (u - fixed) * (v - fixed) == 0):
            continue
        gain = _moved(first, other, flow, kind, places, steps, table, home, place, u, v, here, there)
        if v >= 0:
            gain += _moved(first, other, flow, kind, places, steps, table, home, place, v, u, there, here)
        size += abs(gain)
        if gain <= 0 or (temperature > 0 and rng.random() < math.exp(-gain / temperature)):
            place[u], holder[there], holder[here] = there, u, v
            if v >= 0:
                place[v] = here
            change += gain
    return change, size
