"""What one input requests on a tree (phase 2), and the ports that it may take."""

from __future__ import annotations

from netplace.netsim.chance import TREE_UP, TREE_VC, below, draw
from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.draws import drawn
from netplace.netsim.kernel.fifos import phits_beyond, slot_of
from netplace.netsim.kernel.routes import forced_port
from netplace.netsim.kernel.state import (
    FIELD,
    FIRST,
    KEY_WORDS,
    LABEL,
    REPLY,
    ROOM,
    ROUTE,
    SOURCE,
    TARGET,
    TREE_ADAPTIVE,
    WANT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def origin(s: State, label: int) -> int:
    """Return the node that created a packet."""
    key = (label >> 2) * KEY_WORDS
    return s.key[key + TARGET] if label & 3 == REPLY else s.key[key + SOURCE]


@inlined
def tree_output(s: State, u: Setting, router: int, i: int, up: int, cycle: int) -> int:
    """Return what an input of a tree's router requests, or -1; `up` is what `emptiest_up` found."""
    base = router * u.row
    slot = slot_of(s, u, base, i, s.fifo[s.row[base + FIRST] + i] & FIELD)
    target = s.slot[slot + ROUTE]
    if u.policy == TREE_ADAPTIVE:
        port = forced_port(s, u, router, 0, target, 0)
        if s.stage[router] >= 0 and port >= 0:
            return emptiest_down(s, u, router, port, cycle)
        if up == 0:
            return -1
        return drawn(up, draw(u.seed, TREE_UP, router, i, cycle))
    source = origin(s, s.slot[slot + LABEL])
    vc = 0
    if s.stage[router] >= 0:
        vc = s.vc_of[i]
    elif u.vcs > 1:
        vc = below(draw(u.seed, TREE_VC, router, i, cycle), u.vcs)
    output = forced_port(s, u, router, source, target, vc) * u.vcs + vc
    return output if (s.row[base + ROOM] >> output) & 1 else -1


@inlined
def emptiest_up(s: State, u: Setting, router: int, cycle: int) -> int:
    """Return the set of (up port, VC) with fewest phits beyond; 0 if they have no room for a packet."""
    ports = 1 if s.stage[router] < 0 else s.up[1]
    least = (u.queue - 1) * u.phits
    equal = 0
    for output in range(ports * u.vcs):
        load = phits_beyond(s, u, router, output, cycle)
        if load < least:
            least = load
            equal = 0
        if load == least:
            equal |= 1 << output
    return equal


@inlined
def emptiest_down(s: State, u: Setting, router: int, port: int, cycle: int) -> int:
    """Return the VC of a port with fewest phits beyond, the lowest of equals; -1 if it has no room."""
    best = port * u.vcs
    least = phits_beyond(s, u, router, best, cycle)
    for output in range(best + 1, (port + 1) * u.vcs):
        load = phits_beyond(s, u, router, output, cycle)
        if load < least:
            least = load
            best = output
    return best if least <= (u.queue - 1) * u.phits else -1


@inlined
def want_on_tree(s: State, u: Setting, router: int, i: int, slot: int) -> None:
    """Note the ports that a head may take on a tree."""
    base = router * u.row
    source = 0
    vc = 0
    if u.policy != TREE_ADAPTIVE:
        source = origin(s, s.slot[slot + LABEL])
        if s.stage[router] >= 0:
            vc = s.vc_of[i]
    forced = forced_port(s, u, router, source, s.slot[slot + ROUTE], vc)
    for port in range(u.ports):
        may = port == forced or (forced < 0 and port < s.up[1])
        s.row[base + WANT + port] = s.row[base + WANT + port] & ~(1 << i) | int(may) << i
