"""Nodes that have been idle for a time are stopped."""

from __future__ import annotations

import math

import numpy as np

from netplace.scheduling.policy.asked import Queue, Running
from netplace.scheduling.power.nodes import NodePower

__all__ = ["Timeout", "stop_idle"]

_ROUNDING = 1e-6  # seconds by which clocks may differ


def stop_idle(power: NodePower, now: float, seconds: float, spared: int) -> float:
    """Stop nodes that have been idle for so long, and return when the next will have been.

    Those idle longest are stopped first, of equal ones the highest number.

    Parameters
    ----------
    power : NodePower
        The nodes.
    now, seconds : float
        The time, and how long a node stays idle.
    spared : int
        Idle nodes, booting ones included, that are left on.
    """
    nodes, since = power.idle(now)
    on, _, booting = power.counts(now)
    most = min(len(nodes) - spared, on - int(power.model.keep))
    if most <= 0:  # a node that boots is not on yet; when it is, another may stop
        return power.next_ready(now) if booting and len(nodes) > spared else math.inf
    due = nodes[since + seconds <= now + _ROUNDING][:most]
    stopped, again = power.stop(due, now) if len(due) else (0, math.inf)
    later = since[len(due) : most]
    return min(again, float(later.min()) + seconds) if len(later) and stopped == len(due) else again


class Timeout:
    """Stops nodes that have been idle for some seconds, but not the last so many of them.

    Parameters
    ----------
    seconds : float
        How long; 0: at once.
    reserve : int
        Idle nodes that stay on for jobs to come.
    """

    def __init__(self, seconds: float, reserve: int = 0) -> None:
        self._seconds, self._reserve = seconds, reserve

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        """Stop nodes; the reserve is filled up again by booting others."""
        _, idle, booting = power.counts(now)
        held_booting = booting - int(np.count_nonzero(power.idle(now)[1] > now + _ROUNDING))
        lacking = self._reserve - idle - (booting - held_booting)
        if lacking > 0 and (len(queue) or running):
            power.boot_some(lacking, now)
        return stop_idle(power, now, self._seconds, self._reserve)
