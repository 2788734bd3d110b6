"""Simulated annealing with swaps, priced from the flows of the two tasks.

Where flows are sparse, most random swaps are a waste: a task far from its partners will not stay there. Most
proposals therefore take a task next to one of its partners (`Sparse.near`).

A run cools geometrically through the temperatures at which the cost really falls. They are found by a
first, short run from far above to far below.
"""

from __future__ import annotations

import math

import numpy as np

from netplace.compiled import njit
from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.lowered import Floats, Integers, Sparse

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__ = ["Annealing"]

_TARGETED = 0.9  # share of proposals that take a task next to a partner
_STEPS, _QUENCH = 64, 8  # temperatures of a run, the last of which freeze what is left
_START, _END = 0.7, 0.1  # shares of the fall in cost that are left at first and last temperature of a run
_SLICE = 1e6  # nanoseconds, about, between two looks at the clock
_FAST = {"nnan", "ninf", "nsz", "reassoc", "contract"}


class Annealing:
    """Annealing runs on one problem, each wiser about temperatures than the one before.

    Parameters
    ----------
    form : Sparse
        The problem.
    rng : numpy.random.Generator
        Where draws come from.
    """

    def __init__(self, form: Sparse, rng: np.random.Generator):
        self._form = form
        self._rng = rng
        self._flows = (form.first, form.other, form.flow, form.back_first, form.back_other, form.back_flow)
        self._costs = (form.own, form.costs, form.costs_back)
        size = max(1, len(form.active))
        degree = (len(form.flow) + len(form.back_flow)) / size
        self.work = size * (45 + 2 * degree)  # of a sweep; the unit is about a nanosecond
        self._slice = max(1, int(_SLICE / self.work))
        self._between, self._explored = (1.0, 1.0), False

    def load(self) -> None:
        """Compile, or read what has been compiled, without doing anything."""
        self._samples(np.arange(len(self._form.costs)), 0)
        self._anneal(np.zeros((3, len(self._form.costs)), np.int64), np.zeros(3), 0, 1.0)

    def run(self, placement: Integers, sweeps: int, budget: Budget) -> Integers:
        """Return the best placement seen while cooling down from `placement`.

        Parameters
        ----------
        placement : ndarray of int64
            Location of every task and dummy.
        sweeps : int
            Length of the run, in proposals for each task; also what is spent of the budget.
        budget : Budget
            The run ends early with it.
        """
        if not len(self._form.active):
            budget.spend(budget.allows(sweeps))
            return placement
        place = np.argsort(placement) if self._form.exchanged else placement
        self.explore(budget)
        best, _ = self._cool(place, self._between, sweeps, budget)
        return np.argsort(best) if self._form.exchanged else best

    def explore(self, budget: Budget) -> Integers | None:
        """Find the temperatures between which most of the cost falls; they are asked for once.

        Returns the best placement met on the way, if any swap changes the cost.
        """
        if self._explored:
            return None
        self._explored = True
        place = self._rng.permutation(len(self._form.costs))
        samples = np.abs(self._samples(place, 1000)) if len(self._form.active) else np.empty(0)
        samples = samples[samples > 0]
        if not len(samples):
            return None
        high = samples.mean()
        low = max(samples.min() / 8, high / 1000)
        self._between = (high, low)
        best, energy = self._cool(place, self._between, 4 * _STEPS, budget)
        if not len(energy):
            return None
        share = (energy - energy[-1]) / max(energy[0] - energy[-1], 1e-300)
        steps = np.geomspace(high, low, _STEPS - _QUENCH)[: len(energy)]
        share = share[: len(steps)]
        first, last = np.flatnonzero(share > _START), np.flatnonzero(share > _END)
        self._between = (
            float(steps[first[-1] if len(first) else 0]),
            float(steps[last[-1] if len(last) else -1]),
        )
        return best

    def _cool(
        self, place: Integers, between: tuple[float, float], sweeps: int, budget: Budget
    ) -> tuple[Integers, Floats]:
        """Cool down from `place`; return the best placement and the mean cost at each temperature."""
        state = np.zeros(3)
        places = np.stack((place, np.argsort(place), place))
        first, last = between
        cooling, quench = np.geomspace(first, last, _STEPS - _QUENCH), np.geomspace(last, last / 10, _QUENCH)
        temperatures = np.append(cooling, quench)
        energy = []
        for step, temperature in enumerate(temperatures.tolist()):
            state[2] = 0.0
            wanted = sweeps * (step + 1) // _STEPS - sweeps * step // _STEPS
            done = 0
            while done < wanted and not budget.over:
                count = budget.allows(min(self._slice, wanted - done))
                self._anneal(places, state, count, temperature)
                budget.spend(count)
                done += count
            if done:
                energy.append(state[2] / done)
        return places[2], np.array(energy)

    def _samples(self, place: Integers, count: int) -> Floats:
        return np.asarray(_samples(*self._flows, *self._costs, self._form.active, place, self._rng, count))

    def _anneal(self, places: Integers, state: Floats, sweeps: int, temperature: float) -> None:
        """Do sweeps at one temperature; `places` are the placement, its inverse and the best placement."""
        _anneal(
            *self._flows, *self._costs, self._form.active, self._form.near, *places, state, self._rng,
            sweeps, temperature, _TARGETED,
        )  # fmt: skip


@njit(cache=True, error_model="numpy", fastmath=_FAST, forceinline=True)
def _moved(first, other, flow, costs, place, u, v, swapped):
    """Return what the flows of `u` that are listed change in cost when `u` and `v` are swapped.

    Flow from `u` to `v` itself counts `swapped` times.
    """
    here, there = place[u], place[v]
    total = 0.0
    for x in range(first[u], first[u + 1]):
        k = other[x]
        if k != v:
            total += flow[x] * (costs[there, place[k]] - costs[here, place[k]])
        else:
            total += swapped * flow[x] * (costs[there, here] - costs[here, there])
    return total


@njit(cache=True, error_model="numpy", fastmath=_FAST, forceinline=True)
def _gain(first, other, flow, back_first, back_other, back_flow, own, costs, costs_back, place, u, v):
    """Return by how much the cost changes when tasks `u` and `v` are swapped."""
    here, there = place[u], place[v]
    total = (own[u] - own[v]) * (costs[there, there] - costs[here, here])
    total += _moved(first, other, flow, costs, place, u, v, 1.0)
    total += _moved(first, other, flow, costs, place, v, u, 1.0)
    if len(back_flow):
        total += _moved(back_first, back_other, back_flow, costs_back, place, u, v, 0.0)
        total += _moved(back_first, back_other, back_flow, costs_back, place, v, u, 0.0)
    return total


@njit(cache=True, error_model="numpy")
def _samples(
    first, other, flow, back_first, back_other, back_flow, own, costs, costs_back, active, place, rng, count
):  # fmt: skip
    """Return the cost changes of random swaps."""
    changes = np.zeros(count)
    for n in range(count):
        u = active[int(rng.random() * len(active))]
        v = int(rng.random() * len(place))
        if u != v:
            changes[n] = _gain(
                first, other, flow, back_first, back_other, back_flow, own, costs, costs_back, place, u, v
            )
    return changes


@njit(cache=True, error_model="numpy")
def _anneal(
    first, other, flow, back_first, back_other, back_flow, own, costs, costs_back, active, near,
    place, holder, best, state, rng, sweeps, temperature, targeted,
):  # fmt: skip
    """Do sweeps at one temperature.

    `state` holds the cost, the least cost (that of `best`) and the sum of costs after each sweep, relative
    to the start of the run.
    """
    cost = state[0]
    size, nearest = len(active), near.shape[1]
    if nearest == 0:
        targeted = 0.0
    for _ in range(sweeps):
        for _ in range(size):
            u = active[int(rng.random() * size)]
            partners = first[u + 1] - first[u]
            if partners > 0 and rng.random() < targeted:
                k = other[first[u] + int(rng.random() * partners)]
                v = holder[near[place[k], int(rng.random() * nearest)]]
            else:
                v = int(rng.random() * len(place))
            if u == v:
                continue
            change = _gain(
                first, other, flow, back_first, back_other, back_flow, own, costs, costs_back, place, u, v
            )
            if change <= 0 or rng.random() < math.exp(-change / temperature):
                here, there = place[u], place[v]
                place[u], place[v] = there, here
                holder[there], holder[here] = u, v
                cost += change
        state[2] += cost
        if cost < state[1]:
            state[1] = cost
            best[:] = place
    state[0] = cost
