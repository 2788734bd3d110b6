"""The default method: annealing and robust tabu search alternate, and the more successful one gets more time.

Annealing starts again each time, for twice as long. Tabu searches start from greedy randomized constructions
at first, then from crosses and perturbations of the best placements found by either. Which of the two is
better depends on the problem: annealing for flows that are sparse or have much symmetry, like those of
applications, and tabu search for dense flows. Beyond some hundred locations, only annealing is used;
`_multilevel` solves problems of more than a thousand locations with sparse flows.

Sources: É. Taillard (see `tabu`); D. T. Connolly, "An improved annealing scheme for the QAP", European J.
Operational Research 46 (1990); U. Benlic and J.-K. Hao, "Memetic search for the quadratic assignment
problem", Expert Systems with Applications 42 (2015).
"""

from __future__ import annotations

import math

import numpy as np

from netplace.placement.mapping.qap.grasp import PairsFirst
from netplace.placement.mapping.qap.large import place_many
from netplace.placement.mapping.qap.local_search import Annealing, TabuSearch
from netplace.placement.mapping.qap.locations import Locations, tabulated
from netplace.placement.mapping.qap.lowered import Integers, dense_form, sparse_form
from netplace.placement.mapping.qap.problem import Budget, QapProblem

_SIZE = 5
_ALIKE = 0.15  # parents that differ in a smaller share of places are too similar to cross
_MOVED = 0.3  # share of the places that a perturbation changes


class Elites:
    """A few good placements, all different."""

    def __init__(self, rng: np.random.Generator):
        self._rng = rng
        self._members: list[tuple[float, Integers]] = []
        self._crosses = False

    @property
    def best(self) -> Integers:
        return self._members[0][1]

    @property
    def minimum(self) -> float:
        """Its cost."""
        return self._members[0][0]

    def add(self, placement: Integers, cost: float) -> None:
        """Add a placement if it is new, and among the best or needed to fill the places."""
        if any(cost == known and (placement == member).all() for known, member in self._members):
            return
        self._members.append((cost, placement))
        self._members.sort(key=lambda member: member[0])
        del self._members[_SIZE:]

    def start(self) -> Integers | None:
        """Return the next start: in turn a cross of two members and a perturbation of the best one.

        The result is None, for a random start, while there are too few members. Of two similar parents, the
        worse one is dropped for such a start.
        """
        if len(self._members) < _SIZE:
            return None
        self._crosses = not self._crosses
        if not self._crosses:
            return perturbed(self.best, self._rng)
        i, k = sorted(self._rng.choice(_SIZE, 2, replace=False).tolist())
        first, other = self._members[i][1], self._members[k][1]
        if np.mean(first != other) < _ALIKE:
            del self._members[k]
            return None
        return crossed(first, other, self._rng)


def perturbed(placement: Integers, rng: np.random.Generator) -> Integers:
    """Return `placement` with a random share of its tasks shifted around a ring."""
    count = min(len(placement), max(3, int(_MOVED * len(placement))))
    chosen = rng.choice(len(placement), count, replace=False)
    moved = placement.copy()
    moved[chosen] = placement[np.roll(chosen, 1)]
    return moved


def crossed(first: Integers, other: Integers, rng: np.random.Generator) -> Integers:
    """Return a placement that agrees with both parents where they agree, and elsewhere mostly with one."""
    child = np.where(first == other, first, -1)
    taken = np.zeros(len(first), bool)
    taken[child[child >= 0]] = True
    for task in rng.permutation(np.flatnonzero(child < 0)):
        parents = (first, other) if rng.random() < 0.5 else (other, first)
        for location in (parents[0][task], parents[1][task]):
            if not taken[location]:
                child[task], taken[location] = location, True
                break
    left = np.flatnonzero(child < 0)
    child[left] = rng.permutation(np.flatnonzero(~taken))
    return child


_MANY = 1024  # locations up to which the searches of the portfolio are better
_DENSE = 512  # flows of a task beyond which it makes no sense to price a swap from them, if there is a table


def _is_large(problem: QapProblem) -> bool:
    """Return whether the problem is one that the portfolio leaves to `_multilevel`."""
    if isinstance(problem.B, Locations):
        return True
    if problem.locations <= _MANY or problem.nonzeros > _DENSE * problem.locations:
        return False
    return bool((problem.B == problem.B.T).all()) and not problem.B.diagonal().any()


def _multilevel(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the location of each task of a problem that `_is_large`."""
    locations = problem.B
    if not isinstance(locations, Locations):
        locations = tabulated(locations)
    as_given = np.arange(problem.tasks)
    if problem.cost(as_given) <= problem.bound:
        return as_given
    return place_many(problem.A, locations, rng, budget)


_MOST_DENSE = 256  # locations up to which tabu search, which looks at all pairs for every swap, is worthwhile
_FIRST, _LEAST = 0.125, 250  # first annealing run: its share of the budget, and its least sweeps
_SWAPS = 20  # length of a tabu search, in swaps per location
# Least sweeps of a run where annealing is alone: in one short run a large problem goes furthest.
_LARGE = 5000
_LAST = 3.0  # if fewer runs than this fit into the rest of the budget, one run takes all of it
_WINNER = 4.0  # how much more work the better method gets
# Where a sweep costs this many swaps, flows are so dense that tabu search is taken for the better.
_SLOW = 2.0


def portfolio(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best placement found; the search ends early if none can be better.

    There is no search if the cost of tasks in the order of the locations equals its lower bound, for example
    because all placements cost the same. An iteration is a swap of the tabu search, or a proposal
    for every task in annealing.
    """
    if _is_large(problem):
        return _multilevel(problem, rng, budget)
    as_given = np.arange(problem.tasks)
    if problem.cost(as_given) <= problem.bound:
        return as_given
    search = _Portfolio(problem, rng, budget)
    while search.elites.minimum > problem.bound and not budget.over:
        search.take_turn()
    return search.elites.best[: problem.tasks]


class _Portfolio:
    """The two methods, what each has done, and what they found."""

    def __init__(self, problem: QapProblem, rng: np.random.Generator, budget: Budget):
        self._problem, self._rng, self._budget = problem, rng, budget
        self.elites = Elites(rng)
        self._add(rng.permutation(problem.locations))
        self._annealing = Annealing(sparse_form(problem), rng)
        self._sweeps = 0
        self._dense = problem.locations <= _MOST_DENSE
        if self._dense:
            self._tabu = TabuSearch(dense_form(problem), rng)
            self._construction = PairsFirst(problem)
        placement = self._annealing.explore(budget)
        if placement is not None and budget.over:
            self._add(placement)  # all there will be
        self._work = [budget.spent * self._annealing.work, 0.0]  # done by annealing, by tabu search
        self._least = [math.inf, math.inf]
        self._slow = self._dense and self._annealing.work > _SLOW * self._tabu.work

    def take_turn(self) -> None:
        """Let the method search that has had less than its share."""
        annealing, tabu = self._work
        ahead = 0 if self._slow else self._least[1] - self._least[0]
        if self._slow or ahead < 0:
            annealing *= _WINNER
        elif ahead > 0:
            tabu *= _WINNER
        before = self._budget.spent
        which = int(self._dense and tabu < annealing)
        placement = self._search() if which else self._anneal()
        self._least[which] = min(self._least[which], self._add(placement))
        each = self._tabu.work if which else self._annealing.work
        self._work[which] += (self._budget.spent - before) * each

    def _anneal(self) -> Integers:
        left = self._sweeps_left()
        sweeps = self._sweeps = max(2 * self._sweeps, _LEAST if self._dense else _LARGE, int(_FIRST * left))
        if left < _LAST * sweeps:
            sweeps = max(1, math.ceil(left))
        return self._annealing.run(self._rng.permutation(self._problem.locations), sweeps, self._budget)

    def _sweeps_left(self) -> float:
        """Return how many sweeps of annealing the budget allows, going by the speed up to now."""
        left = self._budget.iterations_left
        if self._budget.timed:
            # Where no swap changes anything nothing has been done yet, and the speed is not known.
            speed = sum(self._work) / self._budget.seconds
            timely = self._budget.seconds_left * speed / self._annealing.work
            left = min(left, timely if speed else _LEAST / _FIRST)
        return left

    def _search(self) -> Integers:
        start = self.elites.start()
        if start is None:
            start = self._construction.draw(self._rng)
        return self._tabu.search(start, _SWAPS * self._problem.locations, self._budget)

    def _add(self, placement: Integers) -> float:
        cost = self._problem.cost(placement[: self._problem.tasks])
        self.elites.add(placement, cost)
        return cost
