"""Packets that enter and leave FIFOs (phase 1), and the room there, of which whoever feeds one is told."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.events import becomes_head, look_now
from netplace.netsim.kernel.fifos import depth
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.state import (
    BUBBLE,
    COUNT,
    FIELD,
    FIRST,
    FREE,
    HEAD,
    INPUT,
    INPUTS,
    LEAVING,
    NAME_BITS,
    ROOM,
    SEEN,
    SMART,
    WAIT,
    WANT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def lose_room(s: State, u: Setting, base: int, i: int, cycle: int) -> None:
    """Tell whoever feeds a FIFO that it cannot take another packet."""
    feeder = (s.row[base + u.link + s.port_of[i]] & 0xFFFFFFFF) + s.vc_of[i]
    up = feeder >> NAME_BITS
    if u.policy == SMART and s.vc_of[i] > 0:
        catch_up(s, u, up, cycle)
    s.row[up * u.row + ROOM] &= ~(1 << (feeder & INPUT))


@inlined
def gain_room(s: State, u: Setting, base: int, i: int, count: int, cycle: int) -> None:
    """Tell whoever feeds a transit FIFO, and its ring, that a packet left and `count` remain."""
    if count == u.queue - u.bubble:
        s.row[base + BUBBLE] |= 1 << i
    if count != u.queue - 1:
        return
    feeder = (s.row[base + u.link + s.port_of[i]] & 0xFFFFFFFF) + s.vc_of[i]
    up = feeder >> NAME_BITS
    output = feeder & INPUT
    above = up * u.row
    if (s.row[above + ROOM] >> output) & 1:
        return
    if u.policy == SMART and s.vc_of[i] > 0:
        catch_up(s, u, up, cycle)
    s.row[above + ROOM] |= 1 << output
    wanted = s.row[above + WAIT] & s.row[above + WANT + s.port_of[output]]
    if wanted and (s.row[above + FREE] >> output) & 1:
        look_now(s, u, up)


@inlined
def enter(s: State, u: Setting, name: int, cycle: int) -> None:
    """Take room in a FIFO for which a header left in the cycle before."""
    i = name & INPUT
    base = (name >> NAME_BITS) * u.row
    f = s.row[base + FIRST] + i
    word = s.fifo[f] + (1 << COUNT)
    if u.hop == 1:
        word += 1 << SEEN
        if (word >> SEEN) & FIELD == 1:
            becomes_head(s, name)
    s.fifo[f] = word
    count = (word >> COUNT) & FIELD
    spare = u.queue - u.bubble
    if count <= spare and count < u.queue:
        return
    # A head that began to leave no later than the packet began to arrive makes room as fast as it is taken.
    leaving = (s.row[base + LEAVING] >> i) & 1
    if count > spare and (leaving == 0 or count > spare + 1):
        s.row[base + BUBBLE] &= ~(1 << i)
    if count == u.queue and leaving == 0:
        lose_room(s, u, base, i, cycle)


@inlined
def arrive(s: State, name: int, row_words: int) -> None:
    """Let a header be looked at from this cycle on (hops of more than a cycle)."""
    f = s.row[(name >> NAME_BITS) * row_words + FIRST] + (name & INPUT)
    word = s.fifo[f] + (1 << SEEN)
    s.fifo[f] = word
    if (word >> SEEN) & FIELD == 1:
        becomes_head(s, name)


@inlined
def drop_head(s: State, u: Setting, name: int, cycle: int) -> None:
    """Remove the head of an input, which has left to the tail; the next packet becomes head."""
    i = name & INPUT
    base = (name >> NAME_BITS) * u.row
    f = s.row[base + FIRST] + i
    s.row[base + LEAVING] &= ~(1 << i)
    word = s.fifo[f] + (1 << HEAD) - (1 << COUNT) - (1 << SEEN)
    if word & FIELD == depth(s, u, base, i):
        word &= ~FIELD
    s.fifo[f] = word
    if i < s.row[base + INPUTS]:
        gain_room(s, u, base, i, (word >> COUNT) & FIELD, cycle)
    if (word >> SEEN) & FIELD > 0:
        becomes_head(s, name)
