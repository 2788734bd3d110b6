"""The cycle of one domain of a network of any wiring: see `domain_cycle`."""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import spliced
from netplace.netsim.kernel.cycle import take_exposed
from netplace.netsim.kernel.domain_cycle import domain_cycles_of
from netplace.netsim.kernel.graph_loop import PHASES, choose_ways, expose_chosen, taken_from
from netplace.netsim.kernel.graph_state import UGAL_G, GraphSetting, GraphState
from netplace.netsim.kernel.graph_taking import take_decided, take_fallen_due
from netplace.netsim.kernel.meeting import meet

# mypy: disable-error-code="untyped-decorator"

__all__ = ["cycles"]


@spliced
def expose_all(s: GraphState, u: GraphSetting, cycle: int) -> None:
    """Make all packets that have become heads known to their routers, when all have chosen their ways."""
    count = take_exposed(s)
    if u.choice == UGAL_G:  # which looks at the heads that wait at other domains' routers:
        meet(s, u, 0, 0)  # all have taken over what fell due there,
    choose_ways(s, u, count, cycle)
    if u.choice == UGAL_G:
        meet(s, u, 0, 0)  # and none changes what others still look at
    expose_chosen(s, u, count, cycle)


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop of a domain for settings of which some are known, and arrays of these kinds."""
    phases = PHASES._replace(expose=expose_all)
    return domain_cycles_of(*taken_from(known, kinds), phases, take_decided, take_fallen_due)
