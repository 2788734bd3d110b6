"""The rate at which a node creates packets for one other node: fixed, or as in DCQCN.

Y. Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3.
"""

from __future__ import annotations

from netplace.netsim.congestion import Control
from netplace.netsim.line_rate import FAST_RECOVERY, LEAST_RATE, LINE_BITS, LINE_RATE


class Rate:
    """The rate of a pair of nodes, a whole number of 1 / `LINE_RATE` phits per cycle."""

    def __init__(self, control: Control, packet_phits: int) -> None:
        self.due = 0  # first cycle in which the next packet may be created
        self._control = control
        self._phits = packet_phits
        self._current = self._target = control.rate
        self._alpha = LINE_RATE
        self._steps = 0  # since the last notification
        self._next_step: int | None = None  # cycle; None: there was no notification
        self._notified: int | None = None  # cycle of the last notification at the node to which packets go

    def created(self, now: int) -> None:
        """Count a packet that is created in cycle `now`."""
        self._recover(now)
        self.due = now + -(-(self._phits << LINE_BITS) // self._current)

    def tells(self, now: int) -> bool:
        """Return whether a marked packet consumed in cycle `now` causes a notification."""
        if self._notified is not None and now - self._notified < self._control.every:
            return False
        self._notified = now
        return True

    def notified(self, now: int) -> None:
        """Reduce the rate after a notification in cycle `now`."""
        self._recover(now)
        self._target = self._current
        self._current -= self._current * self._alpha >> (LINE_BITS + 1)
        self._current = max(self._current, min(LEAST_RATE, self._control.rate))
        self._alpha += LINE_RATE // self._control.gain - self._alpha // self._control.gain
        self._steps = 0
        self._next_step = now + self._control.timer

    def _recover(self, now: int) -> None:
        """Increase the rate at every end of the timer up to cycle `now`."""
        while self._next_step is not None and self._next_step <= now:
            self._next_step += self._control.timer
            self._alpha -= self._alpha // self._control.gain
            self._steps += 1
            if self._steps > FAST_RECOVERY:
                self._target = min(self._target + self._control.step, self._control.rate)
            self._current = (self._target + self._current + 1) >> 1
