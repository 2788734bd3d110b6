"""Rates of pairs of nodes in the general router: fixed, or those of DCQCN-like sources.

Y. Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3. A record is all
zeros until a notification comes; timers run on when it is looked at.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.graph_state import (
    ALPHA,
    DUE,
    GOAL,
    NEXT_STEP,
    NOTIFIED,
    PACE_WORDS,
    RATE,
    STEPS,
    GraphSetting,
    GraphState,
)
from netplace.netsim.line_rate import FAST_RECOVERY, LEAST_RATE, LINE_BITS, LINE_RATE

# mypy: disable-error-code="untyped-decorator"


@inlined
def recover(s: GraphState, u: GraphSetting, at: int, cycle: int) -> None:
    """Let a rate go up at every end of the timer up to `cycle`."""
    while s.pace[at + NEXT_STEP] <= cycle:
        alpha = s.pace[at + ALPHA]
        if s.pace[at + RATE] == u.rate and s.pace[at + GOAL] == u.rate and alpha < u.gain:
            s.pace[at + NEXT_STEP] += ((cycle - s.pace[at + NEXT_STEP]) // u.timer + 1) * u.timer
            return
        s.pace[at + NEXT_STEP] += u.timer
        s.pace[at + ALPHA] = alpha - alpha // u.gain
        s.pace[at + STEPS] += 1
        if s.pace[at + STEPS] > FAST_RECOVERY:
            s.pace[at + GOAL] = min(s.pace[at + GOAL] + u.increase, u.rate)
        s.pace[at + RATE] = (s.pace[at + GOAL] + s.pace[at + RATE] + 1) >> 1


@where(fabric=(1,))
@inlined
def note_creation(s: GraphState, u: GraphSetting, pair: int, cycle: int) -> None:
    """Settle when the next packet of a pair may be created, as one is in `cycle`."""
    at = pair * PACE_WORDS
    rate = u.rate
    if s.pace[at + NEXT_STEP] > 0:
        recover(s, u, at, cycle)
        rate = s.pace[at + RATE]
    s.pace[at + DUE] = cycle + ((u.phits << LINE_BITS) + rate - 1) // rate


@where(fabric=(1,))
@inlined
def tells(s: GraphState, u: GraphSetting, pair: int, cycle: int) -> bool:
    """Tell whether a marked packet that was consumed before `cycle` makes its node send a notification."""
    at = pair * PACE_WORDS
    if s.pace[at + NOTIFIED] > 0 and cycle - s.pace[at + NOTIFIED] < u.every:
        return False
    s.pace[at + NOTIFIED] = cycle
    return True


@where(fabric=(1,))
@inlined
def slow_down(s: GraphState, u: GraphSetting, pair: int, cycle: int) -> None:
    """Reduce the rate of a pair, as a notification comes in `cycle`."""
    at = pair * PACE_WORDS
    if s.pace[at + NEXT_STEP] > 0:
        recover(s, u, at, cycle)
    else:
        s.pace[at + RATE] = u.rate
        s.pace[at + ALPHA] = LINE_RATE
    rate = s.pace[at + RATE]
    alpha = s.pace[at + ALPHA]
    s.pace[at + GOAL] = rate
    s.pace[at + RATE] = max(rate - (rate * alpha >> (LINE_BITS + 1)), min(LEAST_RATE, u.rate))
    s.pace[at + ALPHA] = alpha + LINE_RATE // u.gain - alpha // u.gain
    s.pace[at + STEPS] = 0
    s.pace[at + NEXT_STEP] = cycle + u.timer
