"""Numbers that the kernel and those who call it agree on."""

from __future__ import annotations

__all__ = ["IDLE", "JOB_ENDED", "OPEN", "REACHED", "ROOM"]

OPEN = -(1 << 62)  # a setting that is not known when the kernel is compiled
REACHED, JOB_ENDED, IDLE = 0, 1, 2  # as netsim.engine.Exit
ROOM = 3  # more messages may begin in the next cycle than there are entries for
