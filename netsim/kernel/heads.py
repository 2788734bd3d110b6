"""Heads: what becomes of a packet that comes to the head of an input."""

from __future__ import annotations

from netplace.netsim.chance import OBLIVIOUS_VC, below, draw
from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.events import look_now, tail_leaves
from netplace.netsim.kernel.fifos import slot_of
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.state import (
    BELOW_OUT,
    FIELD,
    FIRST,
    FIRST_COME,
    HOME,
    HOMING,
    INPUT,
    INPUTS,
    LEAVING,
    NAME_BITS,
    OBLIVIOUS,
    OUT,
    ROUTE,
    SMART,
    WAIT,
    WANT,
    Setting,
    State,
)
from netplace.netsim.kernel.trees import want_on_tree

# mypy: disable-error-code="untyped-decorator"


@inlined
def leave_home(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Let the node consume the head of an input from this cycle on."""
    base = router * u.row
    f = s.row[base + FIRST] + i
    s.row[base + LEAVING] |= 1 << i
    s.fifo[f] = s.fifo[f] & BELOW_OUT | HOME << OUT
    if u.exact == 1:
        s.left[f] = cycle
    tail_leaves(s, u, router << NAME_BITS | i, cycle)


@inlined
def expose(s: State, u: Setting, name: int, cycle: int) -> None:
    """Make the packet at the head of an input known to its router; it may request in `cycle`."""
    router = name >> NAME_BITS
    i = name & INPUT
    base = router * u.row
    bit = 1 << i
    f = s.row[base + FIRST] + i
    slot = slot_of(s, u, base, i, s.fifo[f] & FIELD)
    route = s.slot[slot + ROUTE]
    if u.arbiter == FIRST_COME:
        s.since[f] = cycle
    arrived = route & u.magnitudes == 0 if u.dims > 0 else route == router
    if arrived and u.single == 0:
        leave_home(s, u, router, i, cycle)
        return
    look_now(s, u, router)
    if arrived:
        s.row[base + HOMING] |= bit
        s.row[base + WAIT] |= bit
        return
    if u.policy == SMART:
        catch_up(s, u, router, cycle)
    s.row[base + WAIT] |= bit
    if u.dims == 0:
        want_on_tree(s, u, router, i, slot)
        return
    for d in range(u.dims):
        hops = route >> s.shift[d] & s.field[d]
        some = bit if hops > 1 else 0
        minus = some & -(hops & 1)
        at = base + WANT + 2 * d
        s.row[at] = s.row[at] & ~bit | some ^ minus
        s.row[at + 1] = s.row[at + 1] & ~bit | minus
    if u.policy == OBLIVIOUS:
        bind(s, u, router, i, cycle)


@inlined
def bind(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Choose the output of a head under `oblivious`: DOR, the same VC straight on, else one drawn."""
    base = router * u.row
    port = 0
    while (s.row[base + WANT + port] >> i) & 1 == 0:
        port += 1
    vc = 0
    if i < s.row[base + INPUTS] and s.port_of[i] == port:
        vc = s.vc_of[i]
    elif u.vcs > 1:
        vc = below(draw(u.seed, OBLIVIOUS_VC, router, i, cycle), u.vcs)
    f = s.row[base + FIRST] + i
    s.fifo[f] = s.fifo[f] & BELOW_OUT | (port * u.vcs + vc) << OUT
