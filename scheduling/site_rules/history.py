"""What users did: recent usage for fair share, last run times for predictions."""

from __future__ import annotations

import math
from collections import defaultdict

from netplace.scheduling.job import Job

__all__ = ["INCREMENTS", "LastTwo", "Usage"]

# Seconds by which a prediction that was too short is corrected, one after the other: Tsafrir et al. 2007.
INCREMENTS = (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)


class Usage:
    """Node-seconds of each user, which count half after every half-life.

    J. Kay and P. Lauder, "A fair share scheduler", Communications of the ACM 31(1), 1988.
    """

    def __init__(self, half_life: float) -> None:
        self._rate = math.log(2) / half_life
        self._used: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))

    def add(self, user: int, nodes: int, begin: float, now: float) -> None:
        """Take in nodes that a user held from `begin` until now."""
        self._used[user] = self.of(user, now) + self.counted(nodes, begin, now), now

    def counted(self, nodes: int, begin: float, now: float) -> float:
        """Return what nodes held from `begin` until now count: the integral over their seconds."""
        return nodes * -math.expm1(-self._rate * (now - begin)) / self._rate

    def of(self, user: int, now: float) -> float:
        """Return what a user's usage counts now."""
        amount, then = self._used[user]
        return amount * math.exp(-self._rate * (now - then))


class LastTwo:
    """Predicts a run time as the mean of the user's last two that ended, at most the estimate."""

    def __init__(self) -> None:
        self._last: dict[int, list[float]] = defaultdict(list)

    def ended(self, job: Job, seconds: float) -> None:
        """Record a run time."""
        self._last[job.user] = [*self._last[job.user], seconds][-2:]

    def of(self, job: Job, estimate: float) -> float:
        """Return the prediction; the estimate where there is no history."""
        last = self._last[job.user] if job.user >= 0 else []
        return min(estimate, max(sum(last) / 2, 1.0)) if len(last) == 2 else estimate
