"""Packets that enter and leave FIFOs (phase 1), and the room there, of which whoever feeds one is told."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.blame import head_goes
from netplace.netsim.kernel.borders import EMPTIED, FELL_DUE, NO_ROOM, ROOM_AGAIN, is_ours, tell
from netplace.netsim.kernel.events import head_if, look_if, look_now
from netplace.netsim.kernel.fifos import (
    count_of,
    depth,
    fed,
    feeder,
    fifo_of,
    output_of,
    port_of,
    slot_of,
    stop,
    vc_of,
)
from netplace.netsim.kernel.injection import emptied
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.messages import deliver
from netplace.netsim.kernel.state import (
    BUBBLE,
    EMPTIES,
    FILLS,
    FREE,
    HELD,
    HOME,
    IDLE,
    INPUT,
    LEAVING,
    LONG_HOP,
    NAME_BITS,
    ROOM,
    SIDE,
    SMART,
    TAKEN,
    TREE_ADAPTIVE,
    WAIT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def waiting_for(s: State, u: Setting, base: int, output: int) -> int:
    """Return the waiting inputs whose head comes nearer through an output's port."""
    port = port_of(s, u, output)
    if u.policy == TREE_ADAPTIVE and port < s.up[1]:
        port = 0
    return s.row[base + WAIT] & s.row[base + u.want + port]


@inlined
def enter(s: State, u: Setting, name: int, cycle: int) -> None:
    """Take room in a FIFO for which a header left in the cycle before."""
    i = name & INPUT
    router = name >> NAME_BITS
    base = router * u.row
    f = fifo_of(u, router, i)
    word = s.counts[f] + (1 << u.bits)
    s.counts[f] = word
    count = count_of(u, word)
    if u.hop > 1:
        s.coming[router * u.fifos + i] += 1
    else:
        head_if(s, name, count == 1)
    spare = u.queue - u.bubble if u.dims > 0 else u.queue
    if count <= spare and count < u.queue:
        return
    # A head that began to leave no later than the packet began to arrive makes room as fast as it is taken.
    leaving = (s.row[base + LEAVING] >> i) & 1
    if count > spare and (leaving == 0 or count > spare + 1):
        s.row[base + BUBBLE] &= ~(1 << i)
    if count == u.queue and leaving == 0:
        above = feeder(s, u, router, i)
        if is_ours(s, u, above >> NAME_BITS):
            lose_room(s, u, above, cycle)
        else:
            tell(s, u, FELL_DUE, above >> NAME_BITS, NO_ROOM, above)


@inlined
def lose_room(s: State, u: Setting, name: int, cycle: int) -> None:
    """Note that the FIFO beyond an output cannot take another packet."""
    up = name >> NAME_BITS
    output = name & INPUT
    if u.policy == SMART and vc_of(s, u, output) > 0 and waiting_for(s, u, up * u.row, output):
        catch_up(s, u, up, cycle)
    s.row[up * u.row + ROOM] &= ~(1 << output)


@where(hop=LONG_HOP)
@inlined
def arrive(s: State, u: Setting, name: int) -> None:
    """Let a header be looked at from this cycle on (hops of more than a cycle)."""
    router = name >> NAME_BITS
    i = name & INPUT
    coming = s.coming[router * u.fifos + i] - 1
    s.coming[router * u.fifos + i] = coming
    head_if(s, name, count_of(u, s.counts[fifo_of(u, router, i)]) - coming == 1)


@inlined
def make_room(s: State, u: Setting, router: int, i: int, count: int, cycle: int) -> None:
    """Tell whoever feeds a transit FIFO, and its ring, that a packet left and `count` remain."""
    base = router * u.row
    if u.dims > 0 and count == u.queue - u.bubble:
        s.row[base + BUBBLE] |= 1 << i
        if s.row[base + FREE] & s.row[base + ROOM] & 1 << i and waiting_for(s, u, base, i):
            look_now(s, u, router)
    if count != u.queue - 1:
        return
    above = feeder(s, u, router, i)
    if is_ours(s, u, above >> NAME_BITS):
        gain_room(s, u, above, cycle)
    else:
        tell(s, u, FELL_DUE, above >> NAME_BITS, ROOM_AGAIN, above)


@inlined
def gain_room(s: State, u: Setting, name: int, cycle: int) -> None:
    """Note that the FIFO beyond an output can take a packet."""
    up = name >> NAME_BITS
    output = name & INPUT
    above = up * u.row
    if (s.row[above + ROOM] >> output) & 1:
        return
    wanted = waiting_for(s, u, above, output)
    if wanted:
        if u.policy == SMART and vc_of(s, u, output) > 0:
            catch_up(s, u, up, cycle)
        if (s.row[above + FREE] >> output) & 1:
            look_now(s, u, up)
    s.row[above + ROOM] |= 1 << output


@inlined
def release(s: State, u: Setting, router: int, output: int, cycle: int) -> None:
    """Free an output and its link, which a tail has crossed, and see to who could use them."""
    base = router * u.row
    port = port_of(s, u, output)
    link = ((1 << u.vcs) - 1) << (port * u.vcs)
    s.row[base + FREE] |= 1 << output
    s.row[base + IDLE] |= link
    if u.loads == 1:
        stop(s, u, router, output, FILLS, cycle)
    wanted = waiting_for(s, u, base, output) & -(s.row[base + ROOM] >> output & 1)
    look_if(s, u, router, 1 - s.clock[SIDE], (s.row[base + HELD] & link | wanted) != 0)


@inlined
def drop_head(s: State, u: Setting, name: int, cycle: int) -> None:
    """Remove the head of an input, which has left to the tail; the next packet becomes head."""
    i = name & INPUT
    router = name >> NAME_BITS
    base = router * u.row
    s.row[base + LEAVING] &= ~(1 << i)
    if u.explain == 1:
        head_goes(s, u, router, i, cycle)
    f = fifo_of(u, router, i)
    word = s.counts[f] + 1 - (1 << u.bits)
    if word & u.field == depth(s, u, base, i):
        word &= ~u.field
    s.counts[f] = word
    count = count_of(u, word)
    if i < fed(s, u, base):
        make_room(s, u, router, i, count, cycle)
        if u.hop > 1:
            count -= s.coming[router * u.fifos + i]
    head_if(s, name, count > 0)


@inlined
def tail_left(s: State, u: Setting, name: int, cycle: int) -> None:
    """Free what the head of an input held that left to the tail in the cycle before."""
    router = name >> NAME_BITS
    i = name & INPUT
    base = router * u.row
    word = s.counts[fifo_of(u, router, i)]
    output = output_of(u, word)
    if output == HOME:
        deliver(s, u, slot_of(s, u, router, i, word & u.field), cycle)
        if u.single == 1:
            s.homing[router] &= ~(1 << TAKEN)
            look_now(s, u, router)
    else:
        release(s, u, router, output, cycle)
    if u.loads == 1 and i < fed(s, u, base):
        above = feeder(s, u, router, i)
        if is_ours(s, u, above >> NAME_BITS):
            stop(s, u, above >> NAME_BITS, above & INPUT, EMPTIES, cycle)
        else:
            tell(s, u, FELL_DUE, above >> NAME_BITS, EMPTIED, above)
    drop_head(s, u, name, cycle)
    if i >= fed(s, u, base):
        emptied(s, u, router, i, cycle)
