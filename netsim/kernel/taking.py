"""What other domains have told this one, done to its own routers after a meeting; see `borders`."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, spliced
from netplace.netsim.kernel.blame import head_is_gone
from netplace.netsim.kernel.borders import (
    DECIDED,
    EMPTIED,
    FELL_DUE,
    HEAD_GONE,
    HEADER,
    KIND_BITS,
    NO_ROOM,
    outbox,
)
from netplace.netsim.kernel.fifos import grow, stop
from netplace.netsim.kernel.links import send_to
from netplace.netsim.kernel.room import gain_room, lose_room
from netplace.netsim.kernel.state import EMPTIES, INPUT, NAME_BITS, Setting, State

# mypy: disable-error-code="untyped-decorator"


@spliced
def take_decided(s: State, u: Setting, cycle: int) -> None:
    """Take over what the decisions of `cycle` have sent across borders."""
    for teller in range(u.domains):
        at = outbox(u, DECIDED, teller, u.domain)
        end = at + 1 + s.box[at]
        s.box[at] = 0
        at += 1
        while at < end:
            name = s.box[at] >> KIND_BITS
            if s.box[at] & ((1 << KIND_BITS) - 1) == HEADER:
                send_to(s, u, name, s.box[at + 1], s.box[at + 2], s.box[at + 3], cycle)
                at += 4
            else:
                if u.loads == 1:
                    grow(s, u, name >> NAME_BITS, name & INPUT, EMPTIES, cycle)
                at += 1


@inlined
def learn(s: State, u: Setting, name: int, kind: int, cycle: int) -> None:
    """Note at an output what has happened to the FIFO beyond by `cycle`."""
    if kind == NO_ROOM:
        lose_room(s, u, name, cycle)
    elif kind == EMPTIED:
        if u.loads == 1:
            stop(s, u, name >> NAME_BITS, name & INPUT, EMPTIES, cycle)
    else:
        gain_room(s, u, name, cycle)


@spliced
def take_fallen_due(s: State, u: Setting, cycle: int) -> None:
    """Take over what fell due beyond borders before the decisions of `cycle`."""
    for teller in range(u.domains):
        at = outbox(u, FELL_DUE, teller, u.domain)
        end = at + 1 + s.box[at]
        s.box[at] = 0
        at += 1
        while at < end:
            name = s.box[at] >> KIND_BITS
            kind = s.box[at] & ((1 << KIND_BITS) - 1)
            if u.explain == 1 and kind == HEAD_GONE:
                head_is_gone(s, u, name, s.box[at + 1], cycle)
                at += 2
            else:
                learn(s, u, name, kind, cycle)
                at += 1
