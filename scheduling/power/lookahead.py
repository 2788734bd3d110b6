"""Nodes that a plan needs soon are not stopped, and are booted in time."""

from __future__ import annotations

import math

from netplace.scheduling.policy.asked import Queue, Running
from netplace.scheduling.power.nodes import NodePower
from netplace.scheduling.power.switching_queue import Foreseeing
from netplace.scheduling.power.timeout import stop_idle

__all__ = ["Lookahead"]


class Lookahead:
    """A timeout that looks at the starts which the policy has planned.

    As many idle nodes as those within a stop, a boot and the break-even time need are left on; nodes that are
    off are booted as long before a planned start as a boot takes.

    Parameters
    ----------
    seconds : float
        How long a node stays idle otherwise.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        """Boot what is needed soon, stop what is not."""
        assert isinstance(queue, Foreseeing)
        boot = power.model.boot_seconds
        within = now + power.model.switching_seconds + power.model.break_even
        spared = missing = needed = 0
        again = math.inf
        for start, nodes in sorted(queue.foreseen()):
            needed += nodes
            if start > within:
                again = min(again, start - boot)
                break
            freed = sum(len(job.allocation.nodes) for job in running if job.expected_end <= start)
            spared = max(spared, needed - freed)
            if start - boot <= now + 1e-6:
                missing = max(missing, needed - freed)
            else:
                again = min(again, start - boot)
        free = len(power.idle(now)[0])
        if missing > free:
            power.boot_some(missing - free, now)
        return min(again, stop_idle(power, now, self._seconds, spared))
