"""Robust tabu search with the gains of all swaps kept up to date, and best-improvement descent.

Source: É. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17 (1991).
After a swap the gain of every pair that it does not touch changes by a product of two differences, which
is one pass over a triangle of numbers; the pairs it touches are priced anew. Costs are kept permuted, so
that every inner loop runs along rows.
"""

from __future__ import annotations

import numpy as np

from netplace.compiled import njit
from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.lowered import Dense, Floats, Integers

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__ = ["TabuSearch"]

_NEVER = 1e300
_PAIRS = 1_000_000  # pairs looked at between two looks at the clock: about a millisecond
_TENURE = (0.9, 1.1)  # of the number of locations: for how long a task may not return to where it was
# Sums may be taken in any order: they are exact for whole numbers.
_FAST = {"nnan", "ninf", "nsz", "reassoc", "contract"}


class TabuSearch:
    """Tabu searches on one problem; a search can be continued.

    Parameters
    ----------
    form : Dense
        The problem.
    rng : numpy.random.Generator
        Where draws come from.
    """

    def __init__(self, form: Dense, rng: np.random.Generator):
        self._form = form
        self._rng = rng
        n = len(form.A)
        self._slice = max(1, _PAIRS // (n * n))
        self._rows = min(form.active, n - 1)
        self.work = 0.8 * n * n * (1 if form.symmetric else 2)  # of a swap; the unit is about a nanosecond
        self._gain, self._until, self._free = (np.zeros((n, n)) for _ in range(3))

    def load(self) -> None:
        """Compile, or read what has been compiled, without doing anything."""
        place = np.arange(len(self._form.A))
        self._swap(place, self._form.B.copy(), self._form.BT.copy(), place.copy(), np.ones(3), 0, _TENURE)

    def search(self, placement: Integers, iterations: int, budget: Budget) -> Integers:
        """Return the best placement found in so many swaps from `placement`; the budget may end it early."""
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
        return int(
            _search(
                form.A, form.AT, costs, costs_back, self._gain, self._until, self._free, place, best, state,
                self._rng, count, low, high, self._rows, form.symmetric,
            )
        )  # fmt: skip


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _half_gains(A, costs, r, gain):
    """Add to `gain[k]` what the swap of `r` and `k` changes in the flows out of both to third tasks."""
    n = len(A)
    for k in range(n):
        total = 0.0
        for j in range(n):
            total += (A[r, j] - A[k, j]) * (costs[k, j] - costs[r, j])
        total -= (A[r, r] - A[k, r]) * (costs[k, r] - costs[r, r])
        total -= (A[r, k] - A[k, k]) * (costs[k, k] - costs[r, k])
        gain[k] += total


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _gains(A, AT, costs, costs_back, r, gain, symmetric):
    """Set `gain[k]` to the change of cost when `r` and `k` are swapped."""
    gain[:] = 0.0
    _half_gains(A, costs, r, gain)
    if symmetric:
        gain *= 2.0
    else:
        _half_gains(AT, costs_back, r, gain)
    for k in range(len(A)):
        gain[k] += (A[r, r] - A[k, k]) * (costs[k, k] - costs[r, r])
        gain[k] += (A[r, k] - A[k, r]) * (costs[k, r] - costs[r, k])


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _least(gain, free, e, d, u, now, wanted):
    """Bring row `u` of the gains up to date; return the least that is not tabu or that is below `wanted`."""
    least = _NEVER
    eu, du = e[u], d[u]
    for v in range(u + 1, len(e)):
        value = gain[u, v] + (eu - e[v]) * (du - d[v])
        gain[u, v] = value
        least = min(least, value if (free[u, v] < now) | (value < wanted) else _NEVER)
    return least


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _update(gain, e, d, u):
    """Add to row `u` of the gains what the flows of one direction make of the last swap."""
    eu, du = e[u], d[u]
    for v in range(u + 1, len(e)):
        gain[u, v] += (eu - e[v]) * (du - d[v])


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _exchange(costs, r, s):
    """Exchange rows and columns `r` and `s`."""
    for k in range(len(costs)):
        costs[r, k], costs[s, k] = costs[s, k], costs[r, k]
    for k in range(len(costs)):
        costs[k, r], costs[k, s] = costs[k, s], costs[k, r]


@njit(cache=True, error_model="numpy", fastmath=_FAST)
def _search(
    A, AT, costs, costs_back, gain, until, free, place, best, state, rng, iterations, low, high, rows,
    symmetric,
):  # fmt: skip
    """Do up to so many swaps and return how many were done; without tenure, stop where no swap improves.

    ``gain[u, v]``, u < v, is the change of cost by swapping u and v; ``until[u, v]`` the iteration up to
    which task u must not return to the location that v has now; ``free[u, v]`` the iteration after which one
    of the two may. `state` holds iterations done, cost, and the cost of `best`, relative to the start.
    """
    n = len(A)
    e, d, e2, d2 = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    priced = np.empty(n)
    if state[0] == 0:
        for r in range(rows):
            _gains(A, AT, costs, costs_back, r, priced, symmetric)
            gain[r] = priced
    for done in range(iterations):
        now = state[0] + 1
        wanted = state[2] - state[1]
        least, r = _NEVER, -1
        for u in range(rows):
            if not symmetric:
                _update(gain, e2, d2, u)
            candidate = _least(gain, free, e, d, u, now, wanted)
            if candidate < least:
                least, r = candidate, u
        state[0] = now
        if r < 0 or (high == 0 and least >= 0):
            e[:] = 0.0
            e2[:] = 0.0
            if high == 0:
                return done
            continue
        s = r + 1
        while s < n - 1 and (gain[r, s] != least or not (free[r, s] < now or least < wanted)):
            s += 1
        place[r], place[s] = place[s], place[r]
        state[1] += least
        if state[1] < state[2]:
            state[2] = state[1]
            best[:] = place
        if high > 0:
            for k in range(n):
                until[k, r], until[k, s] = until[k, s], until[k, r]
            until[r, s] = now + low + (high - low) * rng.random()
            until[s, r] = now + low + (high - low) * rng.random()
            for x in (r, s):
                for k in range(n):
                    free[k, x] = free[x, k] = min(until[k, x], until[x, k])
        _exchange(costs, r, s)
        if not symmetric:
            _exchange(costs_back, r, s)
        for k in range(n):
            e[k], d[k] = A[r, k] - A[s, k], costs[s, k] - costs[r, k]
            if symmetric:
                e[k] *= 2.0
            else:
                e2[k], d2[k] = AT[r, k] - AT[s, k], costs_back[s, k] - costs_back[r, k]
        # The next pass adds its product to these rows as well: take it off beforehand.
        for x in (r, s):
            _gains(A, AT, costs, costs_back, x, priced, symmetric)
            for k in range(n):
                value = priced[k] - (e[k] - e[x]) * (d[k] - d[x])
                if not symmetric:
                    value -= (e2[k] - e2[x]) * (d2[k] - d2[x])
                gain[min(x, k), max(x, k)] = value
    # A search that goes on begins with a pass that must change nothing: bring the gains up to date now.
    for u in range(rows):
        _update(gain, e, d, u)
        if not symmetric:
            _update(gain, e2, d2, u)
    return iterations
