"""Route records: what a packet carries to find its way (docs/background/model.md, "Routes").

On a mesh or torus a record has a field for each dimension: hops left, and the sign in the lowest bit. It is
fixed at creation. On a tree it is the destination.
"""

from __future__ import annotations

from netplace.netsim.chance import HALF_RING, TWIST, below, draw
from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.state import GRID, TREE_FAT, TREE_THIN, Setting, State

# mypy: disable-error-code="untyped-decorator"


@where(dims=GRID)
@inlined
def grid_route(s: State, u: Setting, source: int, target: int, cycle: int) -> int:
    """Return the minimal route record of a packet created in `cycle` on a mesh or torus."""
    route = 0
    for d in range(u.dims):
        hops = s.coordinate[target * u.dims + d] - s.coordinate[source * u.dims + d]
        size = s.size[d]
        sign = 0
        if hops < 0:
            hops = -hops
            sign = 1
        if size > 0:
            other = size - hops
            if other < hops:
                hops = other
                sign ^= 1
            elif other == hops:
                sign = below(draw(u.seed, HALF_RING, source, d, cycle), 2)
        route |= (2 * hops + sign) << s.shift[d]
    return route


@where(dims=GRID)
@inlined
def twisted_route(s: State, u: Setting, source: int, target: int, cycle: int) -> int:
    """Return the minimal route record of a packet created in `cycle` on a twisted 2-D torus.

    The network looks the same from every node, so the routes of a displacement are tabulated.
    """
    x = s.coordinate[2 * target] - s.coordinate[2 * source]
    y = s.coordinate[2 * target + 1] - s.coordinate[2 * source + 1]
    width = s.size[0]
    if y < 0:
        y += s.size[1]
        x -= u.twist
    x %= width
    at = y * width + x
    begin = s.record_first[at]
    count = s.record_first[at + 1] - begin
    if count > 1:
        begin += below(draw(u.seed, TWIST, source, 0, cycle), count)
    return s.record[begin]


@inlined
def route_of(s: State, u: Setting, source: int, target: int, cycle: int) -> int:
    """Return the route record of a packet created in `cycle`."""
    if u.dims == 0:
        return target
    if u.twist != 0:
        return twisted_route(s, u, source, target, cycle)
    return grid_route(s, u, source, target, cycle)


@where(dims=(0,))
@inlined
def forced_port(s: State, u: Setting, router: int, source: int, target: int, vc: int) -> int:
    """Return the only port a packet may take at a router of a tree, or -1 if any port up is as good."""
    stage = s.stage[router]
    if stage < 0:
        return 0
    down = s.up[0]
    up = s.up[1]
    part = target // s.power[stage]
    above = part // down
    if above == s.subtree[router]:
        return up + part - above * down
    if u.policy == TREE_FAT:
        return ((source // s.power[stage]) % down + vc) % down
    if u.policy == TREE_THIN:
        return (target // s.power[stage] + vc) % up
    return -1
