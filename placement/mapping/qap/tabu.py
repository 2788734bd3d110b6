"""Robust tabu search with the gains of all swaps kept up to date, and best-improvement descent.

Source: É. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17 (1991).
After a swap, the gain of every other pair changes by a product of two differences, which is one pass over a
triangle of numbers; the gains of the pairs of the swap are computed again. Costs are stored permuted, so that
every inner loop runs along rows.
"""

from __future__ import annotations

import numpy as np

from netplace.native import placement as native
from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.lowered import Dense, Floats, Integers

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
