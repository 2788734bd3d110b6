"""Simulated annealing and descent by swaps, priced by what they do to the loads of links."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from netplace.compiled import njit
from netplace.placement.expected_loads import flows
from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.routed_links import RoutedLinks

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__ = ["LinkLoadPlacement", "LinkLoadSearch"]

Int = NDArray[np.int64]
_STEPS = 50  # temperatures
_SLACK = 0.2  # share by which the fullest link may become fuller, at first
_WORK = 3e8  # links looked at by a search that has no limit, about
_SWEEPS = (50, 20_000)  # of such a search: least and most


@dataclass(frozen=True)
class LinkLoadPlacement:
    """Places of the tasks, the load of the fullest link, and the sum of the squares of all."""

    places: Int
    most: float
    squares: float


def _by_fullest(placement: LinkLoadPlacement) -> tuple[float, float]:
    return placement.most, placement.squares


class LinkLoadSearch:
    """Searches for places of tasks under which links carry little.

    Parameters
    ----------
    routed : RoutedLinks
        What a byte puts on which links, between nodes.
    W : array_like or sparse array, shape (tasks, tasks)
        Traffic in bytes.
    rng : numpy.random.Generator
        Where draws come from.
    """

    def __init__(self, routed: RoutedLinks, W: Any, rng: np.random.Generator) -> None:
        self._routed, self._rng, self._W = routed, rng, W
        self.tasks, self._nodes = int(W.shape[0]), len(routed.home)
        source, target, size = flows(W, self.tasks)
        self._unit = float(size.mean()) if len(size) else 1.0
        shape = (self._nodes, self._nodes)  # those that no task has are places for tasks without traffic
        out = sparse.csr_array((size / self._unit, (source, target)), shape=shape)
        back = sparse.csr_array((size / self._unit, (target, source)), shape=shape)
        self._out, self._back = (
            (form.indptr.astype(np.int64), form.indices.astype(np.int64), form.data) for form in (out, back)
        )
        self._ways = routed.first, routed.link, routed.share, routed.switches
        way = len(routed.link) / max(1, len(routed.first) - 1)
        self._work = 8 * len(size) * max(1.0, way)  # of a sweep: links looked at

    def measured(self, places: Int) -> LinkLoadPlacement:
        """Return what places of the tasks make of the links."""
        loads = self._routed.loads(places, self._W)
        return LinkLoadPlacement(places, float(loads.max(initial=0.0)), float(loads @ loads))

    def load(self) -> None:
        """Compile, or read what has been compiled."""
        self.measured(np.arange(self.tasks))
        state = self._state(np.arange(self.tasks))
        rng = np.random.default_rng(0)
        _propose(self._out, self._back, self._ways, state, rng, self.tasks, 0.0, np.zeros(0))
        _empty(self._out, self._back, self._ways, state, rng, 0, 0.0, np.zeros(self._nodes + 1))

    def run(self, budget: Budget, fullest: bool) -> LinkLoadPlacement:
        """Return the best places seen, from those in order on; never worse than these.

        Parameters
        ----------
        budget : Budget
            What may be spent, in sweeps: a proposal for each task.
        fullest : bool
            Whether the load of the fullest link is to be small; else the sum of squares.
        """
        start = self.measured(np.arange(self.tasks))
        if not len(self._out[2]) or self._nodes < 2:
            return start
        with budget.stopped():
            temperatures, sweeps = self._course(budget)
        best = min(start, self._cooled(temperatures, budget, sweeps), key=lambda placement: placement.squares)
        if not fullest:
            return best
        best = min(start, best, key=_by_fullest)
        return min(best, self._emptied(best, budget, max(1, sweeps // 2)), key=_by_fullest)

    def _course(self, budget: Budget) -> tuple[list[float], int]:
        """Return the temperatures of a search, and its sweeps: those that the budget has, or by the work."""
        state = self._state(np.arange(self.tasks))
        changes = np.zeros(200)
        began = time.thread_time()
        _propose(self._out, self._back, self._ways, state, self._rng, self.tasks, 0.0, changes)
        each = (time.thread_time() - began) / 200 * self.tasks
        worse = changes[changes > 0]
        high = float(worse.mean()) if len(worse) else 0.0
        temperatures = [*np.geomspace(high / 2, high / 5000, _STEPS - 1).tolist(), 0.0] if high else [0.0]
        least, most = _SWEEPS
        sweeps = min(max(least, _WORK / self._work), most)
        if budget.iterations_left < math.inf:
            sweeps = budget.iterations_left
        elif budget.timed:
            sweeps = 0.8 * budget.seconds_left / max(each, 1e-9)
        return temperatures, max(1, int(sweeps))

    def _cooled(self, temperatures: list[float], budget: Budget, sweeps: int) -> LinkLoadPlacement:
        """Return the best places met while cooling down."""
        state = self._state(np.arange(self.tasks))
        changes = np.zeros(self.tasks)
        cost, least, kept = 0.0, 0.0, state[0].copy()
        for done in range(sweeps):
            if budget.over:
                break
            temperature = temperatures[done * len(temperatures) // sweeps]
            cost += _propose(
                self._out, self._back, self._ways, state, self._rng, self.tasks, temperature, changes
            )
            budget.spend(1)
            if cost < least:
                least, kept = cost, state[0].copy()
        return self.measured(kept[: self.tasks])

    def _emptied(self, begin: LinkLoadPlacement, budget: Budget, sweeps: int) -> LinkLoadPlacement:
        """Return places from which the fullest link was emptied, by threshold accepting.

        G. Dueck and T. Scheuer, "Threshold accepting", J. Computational Physics 90 (1990).
        """
        state = self._state(begin.places)
        best = np.append(begin.most / self._unit, state[0])
        for done in range(sweeps):
            if budget.timed and budget.over:
                break
            slack = _SLACK * max(0.0, 1 - 1.25 * done / sweeps)
            _empty(self._out, self._back, self._ways, state, self._rng, self.tasks, slack, best)
        return self.measured(best[1 : self.tasks + 1].astype(np.int64))

    def _state(self, places: Int) -> tuple[Int, Int, NDArray[np.float64]]:
        """Return the place of every task, those without traffic included, its switch, and the loads."""
        others = np.setdiff1d(np.arange(self._nodes), places)
        place = np.concatenate((places, others)).astype(np.int64)
        loads = self._routed.loads(places, self._W) / self._unit
        return place, self._routed.home[place], loads


@njit(cache=True, error_model="numpy")
def _add(flows, back, ways, home, loads, u, without, sign):
    """Put the flows of a task on the links, or take them off; return the change of the sum of squares."""
    first, other, size = flows
    begin, link, share, switches = ways
    change = 0.0
    for x in range(first[u], first[u + 1]):
        k = other[x]
        if k == without:
            continue
        pair = home[k] * switches + home[u] if back else home[u] * switches + home[k]
        flow = sign * size[x]
        for y in range(begin[pair], begin[pair + 1]):
            moved = flow * share[y]
            change += moved * (2 * loads[link[y]] + moved)
            loads[link[y]] += moved
    return change


@njit(cache=True, error_model="numpy")
def _swap(out, back, ways, state, u, v):
    """Swap two tasks; return the change of the sum of squares."""
    place, home, loads = state
    change = 0.0
    for sign in (-1.0, 1.0):
        change += _add(out, False, ways, home, loads, u, -1, sign)
        change += _add(back, True, ways, home, loads, u, -1, sign)
        change += _add(out, False, ways, home, loads, v, u, sign)
        change += _add(back, True, ways, home, loads, v, u, sign)
        if sign < 0:
            place[u], place[v] = place[v], place[u]
            home[u], home[v] = home[v], home[u]
    return change


@njit(cache=True, error_model="numpy")
def _propose(out, back, ways, state, rng, tasks, temperature, changes):
    """Swap random tasks, taking back what makes loads worse than a temperature allows; return the change."""
    place, home, _ = state
    total = 0.0
    for n in range(len(changes)):
        changes[n] = 0.0
        u, v = int(rng.random() * tasks), int(rng.random() * len(place))
        if home[u] == home[v]:
            continue
        change = changes[n] = _swap(out, back, ways, state, u, v)
        if change <= 0 or (temperature > 0 and rng.random() < math.exp(-change / temperature)):
            total += change
        else:
            _swap(out, back, ways, state, u, v)
    return total


@njit(cache=True, error_model="numpy")
def _empty(out, back, ways, state, rng, tasks, slack, best):
    """Propose as many swaps as there are tasks; keep those that make the fullest link little fuller.

    That is by a share `slack` at most; where that is nothing, the sum of squares may not grow either. The
    least load of the fullest link goes to ``best[0]``, its places behind it.
    """
    place, home, loads = state
    most = loads.max()
    for _ in range(tasks):
        u, v = int(rng.random() * tasks), int(rng.random() * len(place))
        if home[u] == home[v]:
            continue
        change = _swap(out, back, ways, state, u, v)
        fullest = loads.max()
        if fullest < most * (1 + slack) * (1 - 1e-9) or (fullest <= most * (1 + 1e-9) and change <= 0):
            most = fullest
            if most < best[0] * (1 - 1e-9):
                best[0] = most
                best[1:] = place
        else:
            _swap(out, back, ways, state, u, v)
