"""The best placements found so far, and new starts made from them."""

from __future__ import annotations

import numpy as np

from netplace.placement.mapping.qap.lowered import Integers

__all__ = ["Elites", "crossed", "perturbed"]

_SIZE = 5
_ALIKE = 0.15  # parents that differ in a smaller share of places have nothing left to tell each other
_MOVED = 0.3  # share of the places that a perturbation changes


class Elites:
    """A few good placements, all different.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where draws come from.
    """

    def __init__(self, rng: np.random.Generator):
        self._rng = rng
        self._members: list[tuple[float, Integers]] = []
        self._crosses = False

    @property
    def best(self) -> Integers:
        """The best placement."""
        return self._members[0][1]

    @property
    def least(self) -> float:
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

        The result is None, for a start from scratch, while there are too few members. Of two similar parents,
        the worse one is dropped for such a start.
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
