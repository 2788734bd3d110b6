"""What the waiting heads of a router request (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest
from netplace.netsim.kernel.grids import admitted, random_output, shortest_output, smart_output
from netplace.netsim.kernel.memory import passing, try_alternatives
from netplace.netsim.kernel.state import (
    BUBBLE,
    FIRST,
    FREE,
    HOMING,
    OBLIVIOUS,
    OUT,
    RANDOM,
    ROOM,
    SHORTEST,
    SMART,
    TREE_ADAPTIVE,
    WAIT,
    WANT,
    Setting,
    State,
)
from netplace.netsim.kernel.trees import emptiest_up, tree_output

# mypy: disable-error-code="untyped-decorator"


@inlined
def wanted_output(s: State, u: Setting, router: int, i: int, up: int, cycle: int) -> int:
    """Return what an input requests in `cycle`, or -1; `up` is what `emptiest_up` found."""
    if u.dims == 0:
        return tree_output(s, u, router, i, up, cycle)
    if u.policy == SMART:
        return smart_output(s, u, router, i, cycle)
    if u.policy == SHORTEST:
        return shortest_output(s, u, router, i, cycle)
    if u.policy == RANDOM:
        return random_output(s, u, router, i, cycle)
    base = router * u.row
    return admitted(s, u, base, i, s.fifo[s.row[base + FIRST] + i] >> OUT)


@inlined
def request_by_masks(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests into `asked`, on a mesh or torus with at most one adaptive VC, for all inputs at once.

    Returns the outputs that a waiting head could use and that are free and have room: while there are any,
    the router is looked at in every cycle, since a head that tried another alternative may come to them.
    """
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    escaping = waiting
    adaptive = 0
    if u.vcs == 2:
        passing(s.row, base, u.dims, waiting, s.step)
        escaping = try_alternatives(s, u, base, waiting)
        adaptive = 1
    room = s.row[base + ROOM]
    bubble = s.row[base + BUBBLE]
    available = s.row[base + FREE] & room
    useful = 0
    straight = waiting
    for d in range(u.dims):
        turning = 0
        for port in range(2 * d, 2 * d + 2):
            wanting = s.row[base + WANT + port]
            turning |= wanting
            output = port * u.vcs
            ring = 1 << output if bubble >> output & 1 == 0 else -1
            may = wanting & straight & ring & -(available >> output & 1)
            s.asked[output] = may & escaping
            useful |= (may != 0) << output
            if adaptive:
                output += 1
                wanting &= -(available >> output & 1)
                s.asked[output] = wanting & s.step[d]
                useful |= (wanting & waiting != 0) << output
        straight &= ~turning
    return useful


@inlined
def request_by_inputs(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests into `asked`, input by input; returns the outputs requested."""
    waiting = s.row[router * u.row + WAIT] & ~s.row[router * u.row + HOMING]
    outputs = 0
    up = 0
    if u.policy == TREE_ADAPTIVE and s.row[router * u.row + WANT] & waiting:  # port 0 is wanted on the way up
        up = emptiest_up(s, u, router, cycle)
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        output = wanted_output(s, u, router, i, up, cycle)
        if output >= 0:
            if outputs >> output & 1 == 0:
                s.asked[output] = 0
                outputs |= 1 << output
            s.asked[output] |= 1 << i
    return outputs


@inlined
def obtainable(s: State, u: Setting, router: int) -> bool:
    """Tell whether a waiting head could get an output next cycle though nothing else happens."""
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    available = s.row[base + ROOM] & s.row[base + FREE]
    if waiting == 0 or available == 0:
        return False
    if u.policy == OBLIVIOUS:
        while waiting:
            i = lowest(waiting)
            waiting &= waiting - 1
            output = s.fifo[s.row[base + FIRST] + i] >> OUT
            if available >> output & 1 and admitted(s, u, base, i, output) >= 0:
                return True
        return False
    turned = 0
    for port in range(u.ports):
        wanting = s.row[base + WANT + port] & waiting
        here = available >> (port * u.vcs) & ((1 << u.vcs) - 1)
        if wanting and here:
            if u.dims == 0 or here > 1:
                return True
            may = wanting & ~turned
            if s.row[base + BUBBLE] >> (port * u.vcs) & 1 == 0:
                may &= 1 << (port * u.vcs)
            if may:
                return True
        turned |= wanting
    return False
