"""What the inputs of a tree's router request (phase 2), and the ports that they may take."""

from __future__ import annotations

from netplace.netsim.chance import TREE_UP, TREE_VC, below, draw
from netplace.netsim.kernel.bits import inlined, lowest, where
from netplace.netsim.kernel.draws import drawn
from netplace.netsim.kernel.fifos import head_slot, phits_beyond, vc_of
from netplace.netsim.kernel.messages import origin
from netplace.netsim.kernel.routes import forced_port
from netplace.netsim.kernel.state import (
    FREE,
    LABEL,
    ROOM,
    ROUTE,
    TREE_ADAPTIVE,
    WAIT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@where(dims=(0,))
@inlined
def want_on_tree(s: State, u: Setting, router: int, i: int, slot: int) -> None:
    """Note the ports that a head may take on a tree."""
    source = 0
    vc = 0
    if u.policy != TREE_ADAPTIVE:
        source = origin(s, s.slot[slot + LABEL])
        if router >= u.nodes:
            vc = vc_of(s, u, i)
    forced = forced_port(s, u, router, source, s.slot[slot + ROUTE], vc)
    s.row[router * u.row + u.want + max(0, forced)] |= 1 << i


@where(dims=(0,))
@inlined
def static_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under static routing, or -1."""
    slot = head_slot(s, u, router, i)
    source = origin(s, s.slot[slot + LABEL])
    vc = 0
    if router >= u.nodes:
        vc = vc_of(s, u, i)
    elif u.vcs > 1:
        vc = below(draw(u.seed, TREE_VC, router, i, cycle), u.vcs)
    output = forced_port(s, u, router, source, s.slot[slot + ROUTE], vc) * u.vcs + vc
    return output if (s.row[router * u.row + ROOM] >> output) & 1 else -1


@where(dims=(0,))
@inlined
def request_adaptively(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests for free outputs into `asked`; returns the outputs requested.

    A lost request leaves no trace, so those for outputs that are held are not worked out.
    """
    base = router * u.row
    waiting = s.row[base + WAIT]
    available = s.row[base + FREE] & s.row[base + ROOM]
    ups = 1 if router < u.nodes else s.up[1]
    outputs = 0
    rest = available
    while rest:
        port = lowest(rest) // u.vcs
        end = port + 1
        if port < ups:
            port = 0
            end = ups
        rest = rest >> end * u.vcs << end * u.vcs
        wanting = waiting & s.row[base + u.want + port]
        if wanting:
            outputs |= request_emptiest(s, u, router, wanting, port * u.vcs, end * u.vcs, available, cycle)
    return outputs


@inlined
def request_emptiest(
    s: State, u: Setting, router: int, wanting: int, begin: int, end: int, available: int, cycle: int
) -> int:
    """Let inputs draw among the emptiest outputs from `begin` to before `end`; returns those requested."""
    equal = emptiest(s, u, router, begin, end, cycle)
    outputs = 0
    if equal & available == 0:
        return 0
    while wanting:
        i = lowest(wanting)
        wanting &= wanting - 1
        output = lowest(equal)
        if equal & (equal - 1):
            output = drawn(equal, draw(u.seed, TREE_UP, router, i, cycle))
        if available >> output & 1:
            s.asked[output] = (s.asked[output] if outputs >> output & 1 else 0) | 1 << i
            outputs |= 1 << output
    return outputs


@inlined
def emptiest(s: State, u: Setting, router: int, begin: int, end: int, cycle: int) -> int:
    """Return the set of outputs with fewest phits beyond; 0 if they have no room for a packet."""
    least = (u.queue - 1) * u.phits
    equal = 0
    for output in range(begin, end):
        load = phits_beyond(s, u, router, output, cycle)
        equal = 0 if load < least else equal
        least = min(load, least)
        equal |= int(load == least) << output
    return equal


@where(dims=(0,))
@inlined
def obtainable_on_tree(s: State, u: Setting, router: int) -> bool:
    """Tell whether a waiting head could get an output next cycle though nothing else happens."""
    base = router * u.row
    waiting = s.row[base + WAIT]
    rest = s.row[base + FREE] & s.row[base + ROOM]
    while rest and waiting:
        port = lowest(rest) // u.vcs
        rest = rest >> (port + 1) * u.vcs << (port + 1) * u.vcs
        if u.policy == TREE_ADAPTIVE and port < s.up[1]:
            port = 0
        if waiting & s.row[base + u.want + port]:
            return True
    return False
