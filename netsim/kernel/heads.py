"""Heads: what becomes of a packet that comes to the head of an input."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.blame import begins_to_wait
from netplace.netsim.kernel.borders import DECIDED, EMPTYING, is_ours, tell
from netplace.netsim.kernel.events import look_now, tail_leaves
from netplace.netsim.kernel.fifos import bound_for, fed, feeder, fifo_of, grow, head_slot, port_of
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.state import (
    EMPTIES,
    FIRST_COME,
    GRID,
    HOME,
    INPUT,
    LEAVING,
    NAME_BITS,
    OBLIVIOUS,
    ROUTE,
    SMART,
    WAIT,
    Setting,
    State,
)
from netplace.netsim.kernel.trees import want_on_tree

# mypy: disable-error-code="untyped-decorator"


@inlined
def head_leaves(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Let the head of an input leave, its header in `cycle`."""
    base = router * u.row
    s.row[base + LEAVING] |= 1 << i
    if u.exact == 1:
        s.left[router * u.fifos + i] = cycle
    if u.loads == 1 and i < fed(s, u, base):
        above = feeder(s, u, router, i)
        if is_ours(s, u, above >> NAME_BITS):
            grow(s, u, above >> NAME_BITS, above & INPUT, EMPTIES, cycle)
        else:
            tell(s, u, DECIDED, above >> NAME_BITS, EMPTYING, above)
    tail_leaves(s, u, router << NAME_BITS | i, cycle)


@inlined
def leave_home(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Let the node consume the head of an input from this cycle on."""
    f = fifo_of(u, router, i)
    s.counts[f] = bound_for(u, s.counts[f], HOME)
    head_leaves(s, u, router, i, cycle)


@inlined
def expose(s: State, u: Setting, name: int, cycle: int) -> None:
    """Make the packet at the head of an input known to its router; it may request in `cycle`."""
    router = name >> NAME_BITS
    i = name & INPUT
    base = router * u.row
    bit = 1 << i
    slot = head_slot(s, u, router, i)
    route = s.slot[slot + ROUTE]
    if u.arbiter == FIRST_COME:
        s.since[router * u.fifos + i] = cycle
    arrived = route & u.magnitudes == 0 if u.dims > 0 else route == router
    if arrived and u.single == 0:
        leave_home(s, u, router, i, cycle)
        return
    look_now(s, u, router)
    if arrived:
        s.homing[router] |= bit
        if u.explain == 1:
            begins_to_wait(s, cycle)
        return
    if u.policy == SMART:
        catch_up(s, u, router, cycle)
    s.row[base + WAIT] |= bit
    if u.dims == 0:
        want_on_tree(s, u, router, i, slot)
        if u.explain == 1:
            begins_to_wait(s, cycle)
        return
    for d in range(u.dims):
        hops = route >> s.shift[d] & s.field[d]
        some = bit if hops > 1 else 0
        minus = some & -(hops & 1)
        at = base + u.want + 2 * d
        s.row[at] = s.row[at] & ~bit | some ^ minus
        s.row[at + 1] = s.row[at + 1] & ~bit | minus
    if u.policy == OBLIVIOUS:
        bind(s, u, router, i)
    if u.explain == 1:
        begins_to_wait(s, cycle)


@where(dims=GRID, policy=(OBLIVIOUS,))
@inlined
def bind(s: State, u: Setting, router: int, i: int) -> None:
    """Note the output of a head under `oblivious`: its own straight on, else the first VC of its port."""
    base = router * u.row
    port = 0
    while (s.row[base + u.want + port] >> i) & 1 == 0:
        port += 1
    output = i if i < u.fed and port_of(s, u, i) == port else port * u.vcs
    f = fifo_of(u, router, i)
    s.counts[f] = bound_for(u, s.counts[f], output)
