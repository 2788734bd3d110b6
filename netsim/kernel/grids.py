"""What one input requests on a mesh or torus, by policy (phase 2)."""

from __future__ import annotations

from netplace.netsim.chance import ADAPTIVE_VC, OBLIVIOUS_VC, POLICY, below, draw
from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.draws import drawn
from netplace.netsim.kernel.fifos import fifo_of, output_of, phits_beyond, port_of, vc_of
from netplace.netsim.kernel.state import BUBBLE, FREE, GRID, OBLIVIOUS, RANDOM, ROOM, SHORTEST, Setting, State

# mypy: disable-error-code="untyped-decorator"


@inlined
def memory_of(s: State, u: Setting, router: int, i: int) -> int:
    """Return the number of the alternative that an input tries next; `dims` is escape."""
    memory = router * u.row + u.next
    for k in range(u.dims):
        if (s.row[memory + k] >> i) & 1:
            return k + 1
    return 0


@inlined
def remember(s: State, u: Setting, router: int, i: int, old: int, new: int) -> None:
    """Change the alternative that an input tries next."""
    memory = router * u.row + u.next - 1
    if old > 0:
        s.row[memory + old] &= ~(1 << i)
    if new > 0:
        s.row[memory + new] |= 1 << i


@inlined
def escape_output(s: State, u: Setting, router: int, i: int) -> int:
    """Return the escape output in the DOR direction if the packet may enter it now, else -1."""
    base = router * u.row
    for port in range(2 * u.dims):
        if (s.row[base + u.want + port] >> i) & 1:
            return admitted(s, u, base, i, port * u.vcs)
    return -1


@inlined
def admitted(s: State, u: Setting, base: int, i: int, output: int) -> int:
    """Return `output` if there is room downstream and, on entering the ring, the bubble here, else -1."""
    if (s.row[base + ROOM] >> output) & 1 and (i == output or (s.row[base + BUBBLE] >> output) & 1):
        return output
    return -1


@where(dims=GRID, masks=(0,))
@inlined
def smart_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `smart` with several adaptive VCs, or -1; moves its memory."""
    base = router * u.row
    room = s.row[base + ROOM]
    dims = u.dims
    own = 0
    own_port = -1
    if i < u.fed:
        own_port = port_of(s, u, i)
        own = own_port >> 1
    start = memory_of(s, u, router, i)
    for k in range(start, dims):
        d = own + k
        if d >= dims:
            d -= dims
        port = 2 * d
        if (s.row[base + u.want + port] >> i) & 1 == 0:
            port += 1
            if (s.row[base + u.want + port] >> i) & 1 == 0:
                continue
        if port == own_port and vc_of(s, u, i) > 0:
            vc = vc_of(s, u, i)
        else:
            vc = 1 + below(draw(u.seed, ADAPTIVE_VC, router, i * dims + d, cycle), u.vcs - 1)
        output = port * u.vcs + vc
        if (room >> output) & 1:
            remember(s, u, router, i, start, k + 1)
            return output
    remember(s, u, router, i, start, 0)
    return escape_output(s, u, router, i)


@where(dims=GRID, policy=(SHORTEST,))
@inlined
def shortest_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `shortest`: the adaptive VC with fewest phits, else escape."""
    base = router * u.row
    room = s.row[base + ROOM]
    best = -1
    least = 0
    for port in range(2 * u.dims):
        if (s.row[base + u.want + port] >> i) & 1:
            for vc in range(1, u.vcs):
                output = port * u.vcs + vc
                if (room >> output) & 1:
                    load = phits_beyond(s, u, router, output, cycle)
                    if best < 0 or load < least:
                        best = output
                        least = load
    if best < 0:
        return escape_output(s, u, router, i)
    return best


@where(dims=GRID, policy=(RANDOM,))
@inlined
def random_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `random`: any adaptive VC with room, else escape."""
    base = router * u.row
    adaptive = ((1 << u.vcs) - 1) & ~1
    candidates = 0
    for port in range(2 * u.dims):
        if (s.row[base + u.want + port] >> i) & 1:
            candidates |= adaptive << (port * u.vcs)
    candidates &= s.row[base + ROOM]
    if candidates == 0:
        return escape_output(s, u, router, i)
    return drawn(candidates, draw(u.seed, POLICY, router, i, cycle))


@where(dims=GRID, policy=(OBLIVIOUS,))
@inlined
def oblivious_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `oblivious`: its own VC straight on, else one drawn anew."""
    output = output_of(u, s.counts[fifo_of(u, router, i)])
    if output != i:
        output += below(draw(u.seed, OBLIVIOUS_VC, router, i, cycle), u.vcs)
    return admitted(s, u, router * u.row, i, output)


@where(dims=GRID, policy=(OBLIVIOUS,))
@inlined
def obtainable_obliviously(s: State, u: Setting, router: int, i: int) -> bool:
    """Tell whether an input could get an output next cycle, whatever VC is drawn for it."""
    base = router * u.row
    available = s.row[base + FREE] & s.row[base + ROOM]
    output = output_of(u, s.counts[fifo_of(u, router, i)])
    if output == i:
        return available >> i & 1 != 0
    return (available & s.row[base + BUBBLE]) >> output & ((1 << u.vcs) - 1) != 0
