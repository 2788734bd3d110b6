"""The cycle of one domain of a grid or a tree: see `domain_cycle`."""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.domain_cycle import domain_cycles_of
from netplace.netsim.kernel.loop import PHASES, taken_from
from netplace.netsim.kernel.taking import take_decided, take_fallen_due

__all__ = ["cycles"]


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop of a domain for settings of which some are known, and arrays of these kinds."""
    return domain_cycles_of(*taken_from(known, kinds), PHASES, take_decided, take_fallen_due)
