"""Marks of packets that leave long queues of the general router for what is always in use."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.graph_fifos import slot_of
from netplace.netsim.kernel.graph_state import (
    FIELD,
    FIRST,
    INPUTS,
    SEEN,
    SLOT_WORDS,
    GraphSetting,
    GraphState,
)

# mypy: disable-error-code="untyped-decorator"


@where(fabric=(1,))
@inlined
def mark_if_congested(s: GraphState, u: GraphSetting, router: int, i: int, output: int, in_use: bool) -> None:
    """Mark the head of an input that is granted a contended output of a link, or consumption, in use."""
    base = router * u.row
    f = s.row[base + FIRST] + i
    if i >= s.row[base + INPUTS] or s.fifo[f] >> SEEN & FIELD < u.marks or not in_use:
        return
    at = output * u.wide
    others = s.asked[at + (i >> 6)] & ~(1 << (i & 63))
    for w in range(u.wide):
        if w != i >> 6:
            others |= s.asked[at + w]
    if others != 0:
        s.marked[slot_of(s, u, base, i, s.fifo[f] & FIELD) // SLOT_WORDS] = 1
