"""What the waiting heads of a router request (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest, where
from netplace.netsim.kernel.grids import (
    oblivious_output,
    obtainable_obliviously,
    random_output,
    shortest_output,
    smart_output,
)
from netplace.netsim.kernel.memory import passing, try_alternatives
from netplace.netsim.kernel.state import (
    BUBBLE,
    FREE,
    OBLIVIOUS,
    RANDOM,
    ROOM,
    SHORTEST,
    SMART,
    WAIT,
    Setting,
    State,
)
from netplace.netsim.kernel.trees import obtainable_on_tree, static_output

# mypy: disable-error-code="untyped-decorator"


@where(masks=(0,))
@inlined
def wanted_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests in `cycle`, or -1."""
    if u.dims == 0:
        return static_output(s, u, router, i, cycle)
    if u.policy == SMART:
        return smart_output(s, u, router, i, cycle)
    if u.policy == SHORTEST:
        return shortest_output(s, u, router, i, cycle)
    if u.policy == RANDOM:
        return random_output(s, u, router, i, cycle)
    return oblivious_output(s, u, router, i, cycle)


@where(masks=(1,))
@inlined
def request_by_masks(s: State, u: Setting, base: int) -> tuple[int, int]:
    """Put requests into `asked`, on a mesh or torus with at most one adaptive VC, for all inputs at once.

    Returns the outputs requested, and those that a waiting head could use, all free and with room: while
    there are any of these, the router is looked at in every cycle, since a head that tried another
    alternative may come to them.
    """
    waiting = s.row[base + WAIT]
    escaping = waiting
    if u.vcs == 2:
        passing(s.row, base, u.want, u.dims, waiting, s.step)
        escaping = try_alternatives(s, u, base, waiting)
    bubble = s.row[base + BUBBLE]
    available = s.row[base + FREE] & s.row[base + ROOM]
    requested = 0
    useful = 0
    straight = waiting
    for d in range(u.dims):
        turning = 0
        for port in range(2 * d, 2 * d + 2):
            wanting = s.row[base + u.want + port]
            turning |= wanting
            output = port * u.vcs
            may = wanting & straight & (1 << output | -(bubble >> output & 1))
            requests = may & escaping
            s.asked[output] = requests
            useful |= int(may != 0) << output
            requested |= int(requests != 0) << output
            if u.vcs == 2:
                requests = wanting & s.step[d]
                s.asked[output + 1] = requests
                useful |= int(wanting & waiting != 0) << (output + 1)
                requested |= int(requests != 0) << (output + 1)
        straight &= ~turning
    return requested & available, useful & available


@where(masks=(0,))
@inlined
def request_by_inputs(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests into `asked`, input by input; returns the outputs requested."""
    waiting = s.row[router * u.row + WAIT]
    outputs = 0
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        output = wanted_output(s, u, router, i, cycle)
        if output >= 0:
            s.asked[output] = (s.asked[output] if outputs >> output & 1 else 0) | 1 << i
            outputs |= 1 << output
    return outputs


@where(masks=(0,))
@inlined
def obtainable(s: State, u: Setting, router: int) -> bool:
    """Tell whether a waiting head could get an output next cycle though nothing else happens."""
    if u.dims == 0:
        return obtainable_on_tree(s, u, router)
    base = router * u.row
    waiting = s.row[base + WAIT]
    available = s.row[base + ROOM] & s.row[base + FREE]
    if waiting == 0 or available == 0:
        return False
    if u.policy == OBLIVIOUS:
        while waiting:
            i = lowest(waiting)
            waiting &= waiting - 1
            if obtainable_obliviously(s, u, router, i):
                return True
        return False
    turned = 0
    for port in range(u.ports):
        wanting = s.row[base + u.want + port] & waiting
        here = available >> (port * u.vcs) & ((1 << u.vcs) - 1)
        if wanting and here:
            if here > 1:
                return True
            may = wanting & ~turned
            if s.row[base + BUBBLE] >> (port * u.vcs) & 1 == 0:
                may &= 1 << (port * u.vcs)
            if may:
                return True
        turned |= wanting
    return False
