"""Local search by swaps: robust tabu search, best-improvement descent and simulated annealing.

The gains of all swaps are up to date. Source: É. Taillard, "Robust taboo search for the quadratic assignment
problem", Parallel Computing 17 (1991). After a swap, the gain of every other pair changes by a product of two
differences, which is one pass over a triangle of numbers; the gains of the pairs of the swap are computed
again. Costs are stored permuted, so that every inner loop runs along rows.

Simulated annealing swaps too. With sparse flows, most random swaps are wasted: a task far from its partners
does not stay there. Most proposals therefore move a task next to one of its partners (`Sparse.near`).

A run cools geometrically through the temperatures at which the cost falls most. A first, short run from far
above to far below finds them.
"""

from __future__ import annotations

import numpy as np

from netplace.native import placement as native
from netplace.placement.mapping.qap.lowered import Dense, Floats, Integers, Sparse
from netplace.placement.mapping.qap.problem import Budget

_PAIRS = 1_000_000  # pairs looked at between two looks at the clock: about a millisecond
_TENURE = (0.9, 1.1)  # of the number of locations: for how long a task may not return to where it was


class TabuSearch:
    """Tabu searches on one problem; a search can be continued."""

    def __init__(self, form: Dense, rng: np.random.Generator):
        self._form = form
        self._rng = rng
        n = len(form.A)
        self._slice = max(1, _PAIRS // (n * n))
        self._rows = min(form.active, n - 1)
        self.work = 0.8 * n * n * (1 if form.symmetric else 2)  # of a swap; the unit is about a nanosecond
        self._gain, self._until, self._free = (np.zeros((n, n)) for _ in range(3))

    def search(self, placement: Integers, iterations: int, budget: Budget) -> Integers:
        """Return the best placement found in `iterations` swaps from `placement`, within the budget."""
        return self._go(placement, iterations, budget, _TENURE)

    def descend(self, placement: Integers) -> Integers:
        """Return the local optimum reached from `placement` by always taking the best of all swaps."""
        return self._go(placement, len(self._form.A) ** 3, Budget(), (0.0, 0.0))

    def _go(
        self, placement: Integers, iterations: int, budget: Budget, tenure: tuple[float, float]
    ) -> Integers:
        """Search; with no tenure, end at the first local optimum."""
        form = self._form
        if self._rows == 0:
            budget.spend(budget.allows(iterations))
            return placement
        place = placement[form.order]
        costs, costs_back = form.B[np.ix_(place, place)], form.BT[np.ix_(place, place)]
        self._until[:] = 0
        self._free[:] = 0
        best, state = place.copy(), np.zeros(3)
        done = 0
        while done < iterations and not budget.over:
            count = budget.allows(min(self._slice, iterations - done))
            if self._swap(place, costs, costs_back, best, state, count, tenure) < count:
                break
            done += count
            budget.spend(count)
        in_order = np.empty_like(best)
        in_order[form.order] = best
        return in_order

    def _swap(
        self,
        place: Integers,
        costs: Floats,
        costs_back: Floats,
        best: Integers,
        state: Floats,
        count: int,
        tenure: tuple[float, float],
    ) -> int:
        """Do up to `count` swaps and return how many were done."""
        form = self._form
        low, high = (bound * len(place) for bound in tenure)
        return native.tabu(
            form.A, form.AT, costs, costs_back, form.symmetric, self._gain, self._until, self._free,
            self._rows, place, best, state, self._rng, count, low, high,
        )  # fmt: skip


_TARGETED = 0.9  # share of proposals that take a task next to a partner
_STEPS, _QUENCH = 64, 8  # temperatures of a run, the last of which freeze it
_START, _END = 0.7, 0.1  # shares of the fall in cost that are left at first and last temperature of a run
_SLICE = 1e6  # nanoseconds, about, between two looks at the clock


class Annealing:
    """Annealing runs on one problem; each run uses the temperatures found by the previous ones."""

    def __init__(self, form: Sparse, rng: np.random.Generator):
        self._form = form
        self._rng = rng
        self._problem = native.Sparse(
            form.first, form.other, form.flow, form.back_first, form.back_other, form.back_flow,
            form.own, form.costs, form.costs_back, form.active, form.near,
        )  # fmt: skip
        size = max(1, len(form.active))
        degree = (len(form.flow) + len(form.back_flow)) / size
        self.work = size * (45 + 2 * degree)  # of a sweep; the unit is about a nanosecond
        self._slice = max(1, int(_SLICE / self.work))
        self._between, self._explored = (1.0, 1.0), False

    def run(self, placement: Integers, sweeps: int, budget: Budget) -> Integers:
        """Return the best placement found while cooling down from `placement`."""
        if not len(self._form.active):
            budget.spend(budget.allows(sweeps))
            return placement
        place = np.argsort(placement) if self._form.exchanged else placement
        self.explore(budget)
        best, _ = self._cool(place, self._between, sweeps, budget)
        return np.argsort(best) if self._form.exchanged else best

    def explore(self, budget: Budget) -> Integers | None:
        """Find the temperatures between which most of the cost falls, once; return the best placement met."""
        if self._explored:
            return None
        self._explored = True
        place = self._rng.permutation(len(self._form.costs))
        samples = (
            np.abs(self._problem.samples(place, self._rng, 1000)) if len(self._form.active) else np.empty(0)
        )
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
                self._problem.anneal(
                    places[0], places[1], places[2], state, self._rng, count, temperature, _TARGETED
                )
                budget.spend(count)
                done += count
            if done:
                energy.append(state[2] / done)
        return places[2], np.array(energy)
