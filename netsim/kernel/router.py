"""Routers: what an event changes in one (phase 1), and what one decides from its own state (phase 2).

A waiting head that could get nothing sleeps: its router is looked at again when an event could help it. The
only trace of the cycles between is the memory of alternatives of policy `smart`, which `catch_up` makes good.
"""

from __future__ import annotations

from netplace.netsim.chance import ADAPTIVE_VC, ARBITER, OBLIVIOUS_VC, POLICY, TREE_UP, TREE_VC, below, draw
from netplace.netsim.kernel.bits import fetch, inlined, lowest, outlined
from netplace.netsim.kernel.events import (
    becomes_head,
    header_arrives,
    header_enters,
    look_at,
    look_now,
    tail_leaves,
)
from netplace.netsim.kernel.routes import forced_port
from netplace.netsim.kernel.state import (
    BELOW_OUT,
    BIRTH,
    BUBBLE,
    BUSY,
    CHANCE,
    COUNT,
    FIELD,
    FIRST,
    FIRST_COME,
    FREE,
    HEAD,
    HELD,
    HOME,
    HOMING,
    I64,
    INPUT,
    INPUTS,
    KEY_WORDS,
    LABEL,
    LEAVING,
    LONGEST,
    NAME_BITS,
    OBLIVIOUS,
    OUT,
    PLACE,
    RANDOM,
    REPLY,
    ROOM,
    ROUND_ROBIN,
    ROUTE,
    SEEN,
    SHORTEST,
    SIDE,
    SLOT_WORDS,
    SMART,
    SOURCE,
    STARTING,
    TARGET,
    TIME,
    TREE_ADAPTIVE,
    WAIT,
    WANT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def drawn(members: int, bits: int) -> int:
    """Return one member of a set, which is not empty, by 64 random bits."""
    count = 0
    rest = members
    while rest:
        rest &= rest - 1
        count += 1
    for _ in range(below(bits, count)):
        members &= members - 1
    return lowest(members)


# --- FIFOs ----------------------------------------------------------------------------------------


@inlined
def depth(s: State, u: Setting, base: int, i: int) -> int:
    """Return how many packets input `i` holds; behind an injection FIFO stands the injector's buffer."""
    return u.queue if i < s.row[base + INPUTS] else u.queue + u.buffer


@inlined
def slot_of(s: State, u: Setting, base: int, i: int, at: int) -> int:
    """Return the first word of the slot at place `at` of input `i` of the router whose row is at `base`."""
    behind = max(0, i - s.row[base + INPUTS])
    return (s.row[base + PLACE] + i * u.queue + at + behind * u.buffer) * SLOT_WORDS


@inlined
def phits(s: State, u: Setting, base: int, i: int, cycle: int) -> int:
    """Return the phits in an input FIFO at the start of `cycle` (needs `Setting.exact`).

    What has not arrived of a packet being received is not there, what has left of the head neither.
    """
    f = s.row[base + FIRST] + i
    count = (s.fifo[f] >> COUNT) & FIELD
    if i >= s.row[base + INPUTS] and count > u.queue:
        count = u.queue
    present = count * u.phits
    arrived = cycle - s.came[f]
    if 0 < arrived < u.phits:
        present -= u.phits - arrived
    gone = cycle - s.left[f]
    if 0 < gone < u.phits:
        present -= gone
    return present


# --- the memory of alternatives -------------------------------------------------------------------
#
# `smart` with one adaptive VC, for all inputs of a router at once. An input that travels in dimension d
# has the alternatives d, d + 1, .. (cyclically), escape. The memory is one mask for each alternative but the
# first: who tries it next. A step lets everybody try for one cycle: `could[d]` holds who could use dimension
# d's adaptive VC and becomes who requests it; those that come to the escape channel are returned.


@inlined
def try_in_two(row: I64, memory: int, waiting: int, x_group: int, y_group: int, could: I64) -> int:
    """Do one step on a 2-D network."""
    x, y = could[0], could[1]
    second, last = row[memory], row[memory + 1]
    trying = waiting & ~(second | last)
    first_hit = trying & (x_group & x | y_group & y)
    trying = trying & ~first_hit | second
    second_hit = trying & (x_group & y | y_group & x)
    row[memory] = first_hit
    row[memory + 1] = second_hit
    could[0] = x_group & first_hit | y_group & second_hit
    could[1] = y_group & first_hit | x_group & second_hit
    return trying & ~second_hit | last


@inlined
def try_in_three(
    row: I64, memory: int, waiting: int, x_group: int, y_group: int, z_group: int, could: I64
) -> int:
    """Do one step on a 3-D network."""
    x, y, z = could[0], could[1], could[2]
    second, third, last = row[memory], row[memory + 1], row[memory + 2]
    trying = waiting & ~(second | third | last)
    first_hit = trying & (x_group & x | y_group & y | z_group & z)
    trying = trying & ~first_hit | second
    second_hit = trying & (x_group & y | y_group & z | z_group & x)
    trying = trying & ~second_hit | third
    third_hit = trying & (x_group & z | y_group & x | z_group & y)
    row[memory] = first_hit
    row[memory + 1] = second_hit
    row[memory + 2] = third_hit
    could[0] = x_group & first_hit | z_group & second_hit | y_group & third_hit
    could[1] = y_group & first_hit | x_group & second_hit | z_group & third_hit
    could[2] = z_group & first_hit | y_group & second_hit | x_group & third_hit
    return trying & ~third_hit | last


@inlined
def try_in_any(row: I64, memory: int, waiting: int, dims: int, group: I64, could: I64) -> int:
    """Do one step on a network of any dimensions; `could` has room for three masks a dimension."""
    trying = waiting
    for k in range(dims):
        trying &= ~row[memory + k]
        could[dims + k] = 0
    for k in range(dims):
        may = 0
        for d in range(dims):
            may |= group[d] & could[(d + k) % dims]
        hit = trying & may
        for d in range(dims):
            could[dims + (d + k) % dims] |= group[d] & hit
        trying = trying & ~hit | row[memory + k]
        row[memory + k] = hit
    for d in range(dims):
        could[d] = could[dims + d]
    return trying


@inlined
def passing(row: I64, base: int, dims: int, waiting: int, could: I64) -> int:
    """Set `could[d]` to the waiting inputs that could use dimension d's adaptive VC; return their union."""
    room = row[base + ROOM]
    union = 0
    for d in range(dims):
        plus = row[base + WANT + 2 * d] & -(room >> (4 * d + 1) & 1)
        minus = row[base + WANT + 2 * d + 1] & -(room >> (4 * d + 3) & 1)
        could[d] = (plus | minus) & waiting
        union |= could[d]
    return union


@inlined
def try_alternatives(s: State, u: Setting, base: int, waiting: int) -> int:
    """Do one step; `step[d]` holds who could use dimension d and becomes who requests it."""
    memory = base + u.next
    if u.dims == 2:
        return try_in_two(s.row, memory, waiting, u.x_group, u.y_group, s.step)
    if u.dims == 3:
        return try_in_three(s.row, memory, waiting, u.x_group, u.y_group, u.z_group, s.step)
    return try_in_any(s.row, memory, waiting, u.dims, s.group, s.step)


@inlined
def catch_up(s: State, u: Setting, router: int, cycle: int) -> None:
    """Bring the memories of a router that slept up to the start of `cycle`."""
    base = router * u.row
    asleep = cycle - s.row[base + TIME]
    if asleep <= 0:
        return
    s.row[base + TIME] = cycle
    if u.masks == 1:
        waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
        if waiting:
            sleep_by_masks(s.row, base, u.next, u.dims, waiting, asleep, u.period, s.group, s.step)
    else:
        sleep_by_inputs(s, u, router, cycle - asleep, cycle)


@outlined
def sleep_by_masks(
    row: I64, base: int, next: int, dims: int, waiting: int, asleep: int, period: int, group: I64, step: I64
) -> None:
    """Let the waiting inputs try their alternatives for the cycles that their router slept."""
    memory = base + next
    if passing(row, base, dims, waiting, step) == 0:
        for k in range(dims):
            row[memory + k] = 0
        return
    if asleep > period:
        asleep = 1 + (asleep - 1) % period
    while True:
        if dims == 2:
            try_in_two(row, memory, waiting, group[0], group[1], step)
        elif dims == 3:
            try_in_three(row, memory, waiting, group[0], group[1], group[2], step)
        else:
            try_in_any(row, memory, waiting, dims, group, step)
        asleep -= 1
        if asleep == 0:
            break
        passing(row, base, dims, waiting, step)


@outlined
def sleep_by_inputs(s: State, u: Setting, router: int, begin: int, end: int) -> None:
    """Do the same input by input: with several adaptive VCs each cycle draws anew."""
    base = router * u.row
    for cycle in range(begin, end):
        waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
        moved = False
        while waiting:
            i = lowest(waiting)
            waiting &= waiting - 1
            before = memory_of(s, u, router, i)
            smart_output(s, u, router, i, cycle)
            moved |= before > 0 or memory_of(s, u, router, i) > 0
        if not moved and not could_move(s, u, base):
            return


@inlined
def could_move(s: State, u: Setting, base: int) -> bool:
    """Tell whether any adaptive VC that a waiting input wants has room: if not, no memory ever moves."""
    adaptive = ((1 << u.vcs) - 1) & ~1
    waiting = s.row[base + WAIT]
    for port in range(u.ports):
        if s.row[base + WANT + port] & waiting and (s.row[base + ROOM] >> (port * u.vcs)) & adaptive:
            return True
    return False


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


# --- what one input requests ----------------------------------------------------------------------


@inlined
def escape_output(s: State, u: Setting, router: int, i: int) -> int:
    """Return the escape output in the DOR direction if the packet may enter it now, else -1."""
    base = router * u.row
    for port in range(2 * u.dims):
        if (s.row[base + WANT + port] >> i) & 1:
            return admitted(s, u, base, i, port * u.vcs)
    return -1


@inlined
def admitted(s: State, u: Setting, base: int, i: int, output: int) -> int:
    """Return `output` if there is room downstream and, on entering the ring, the bubble here, else -1."""
    if (s.row[base + ROOM] >> output) & 1 and (i == output or (s.row[base + BUBBLE] >> output) & 1):
        return output
    return -1


@inlined
def smart_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `smart` with several adaptive VCs, or -1; moves its memory."""
    base = router * u.row
    room = s.row[base + ROOM]
    dims = u.dims
    own = 0
    own_port = -1
    if i < s.row[base + INPUTS]:
        own_port = s.port_of[i]
        own = own_port >> 1
    start = memory_of(s, u, router, i)
    for k in range(start, dims):
        d = own + k
        if d >= dims:
            d -= dims
        port = 2 * d
        if (s.row[base + WANT + port] >> i) & 1 == 0:
            port += 1
            if (s.row[base + WANT + port] >> i) & 1 == 0:
                continue
        if port == own_port and s.vc_of[i] > 0:
            vc = s.vc_of[i]
        else:
            vc = 1 + below(draw(u.seed, ADAPTIVE_VC, router, i * dims + d, cycle), u.vcs - 1)
        output = port * u.vcs + vc
        if (room >> output) & 1:
            remember(s, u, router, i, start, k + 1)
            return output
    remember(s, u, router, i, start, 0)
    return escape_output(s, u, router, i)


@inlined
def shortest_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `shortest`: the adaptive VC with fewest phits, else escape."""
    base = router * u.row
    room = s.row[base + ROOM]
    best = -1
    least = 0
    for port in range(2 * u.dims):
        if (s.row[base + WANT + port] >> i) & 1:
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


@inlined
def phits_beyond(s: State, u: Setting, router: int, output: int, cycle: int) -> int:
    """Return the phits in the FIFO that an output feeds, at the start of `cycle`."""
    name = (s.row[router * u.row + u.link + s.port_of[output]] >> 32) + s.vc_of[output]
    return phits(s, u, (name >> NAME_BITS) * u.row, name & INPUT, cycle)


@inlined
def random_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `random`: any adaptive VC with room, else escape."""
    base = router * u.row
    adaptive = ((1 << u.vcs) - 1) & ~1
    candidates = 0
    for port in range(2 * u.dims):
        if (s.row[base + WANT + port] >> i) & 1:
            candidates |= adaptive << (port * u.vcs)
    candidates &= s.row[base + ROOM]
    if candidates == 0:
        return escape_output(s, u, router, i)
    return drawn(candidates, draw(u.seed, POLICY, router, i, cycle))


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
def wanted_output(s: State, u: Setting, router: int, i: int, up: int, cycle: int) -> int:
    """Return what an input requests in `cycle`, or -1; `up` is what `emptiest_up` found."""
    if u.dims == 0:
        return tree_output(s, u, router, i, up, cycle)
    if u.policy == SMART:
        return smart_output(s, u, router, i, cycle)
    if u.policy == SHORTEST:
        return shortest_output(s, u, router, i, cycle)
    if u.policy == RANDOM:
        return random_output(s, u, router, i, cycle)
    base = router * u.row
    return admitted(s, u, base, i, s.fifo[s.row[base + FIRST] + i] >> OUT)


# --- heads ----------------------------------------------------------------------------------------


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
        s.since[f] = -1
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


# --- events (phase 1) -----------------------------------------------------------------------------


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
def lose_room(s: State, u: Setting, base: int, i: int, cycle: int) -> None:
    """Tell whoever feeds a FIFO that it cannot take another packet."""
    feeder = (s.row[base + u.link + s.port_of[i]] & 0xFFFFFFFF) + s.vc_of[i]
    up = feeder >> NAME_BITS
    if u.policy == SMART and s.vc_of[i] > 0:
        catch_up(s, u, up, cycle)
    s.row[up * u.row + ROOM] &= ~(1 << (feeder & INPUT))


@inlined
def arrive(s: State, name: int, row_words: int) -> None:
    """Let a header be looked at from this cycle on (hops of more than a cycle)."""
    f = s.row[(name >> NAME_BITS) * row_words + FIRST] + (name & INPUT)
    word = s.fifo[f] + (1 << SEEN)
    s.fifo[f] = word
    if (word >> SEEN) & FIELD == 1:
        becomes_head(s, name)


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
    if wanted and ((s.row[above + FREE] >> output) & 1 or u.arbiter == FIRST_COME):
        look_now(s, u, up)


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


# --- decisions (phase 2) --------------------------------------------------------------------------


@inlined
def chosen(s: State, u: Setting, router: int, requests: int, turn: int, output: int, cycle: int) -> int:
    """Return the input that the arbiter picks among the `requests`; round robin begins at input `turn`."""
    if requests & (requests - 1) == 0:
        return lowest(requests)
    if u.arbiter == ROUND_ROBIN:
        later = requests >> turn << turn
        return lowest(later) if later else lowest(requests)
    if u.arbiter == CHANCE:
        return drawn(requests, draw(u.seed, ARBITER, router, output, cycle))
    later = requests >> turn << turn
    if u.arbiter != LONGEST:
        later = requests
    best = -1
    most = -1
    for part in (later, requests & ~later):
        rest = part
        while rest:
            i = lowest(rest)
            rest &= rest - 1
            value = claim(s, u, router, i, cycle)
            if value > most:
                most = value
                best = i
    return best


@inlined
def claim(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what arbiters `longest`, `fifo` and `age` compare; the largest wins."""
    base = router * u.row
    if u.arbiter == LONGEST:
        return phits(s, u, base, i, cycle)
    f = s.row[base + FIRST] + i
    if u.arbiter == FIRST_COME:
        return cycle - s.since[f]
    birth = s.slot[slot_of(s, u, base, i, s.fifo[f] & FIELD) + BIRTH]
    return (cycle - birth) & 0xFFFFFFFF


@inlined
def grant(s: State, u: Setting, base: int, i: int, output: int) -> None:
    """Tie an input and an output until the packet's tail has left."""
    others = ~(1 << i)
    s.row[base + WAIT] &= others
    if u.policy == SMART:
        for k in range(u.dims):
            s.row[base + u.next + k] &= others
    f = s.row[base + FIRST]
    s.fifo[f + i] = s.fifo[f + i] & BELOW_OUT | output << OUT
    s.turn[f + output] = i + 1
    s.row[base + FREE] &= ~(1 << output)
    s.row[base + HELD] |= 1 << output


@inlined
def start(s: State, u: Setting, name: int, cycle: int) -> None:
    """Let the packet that holds an output (named like an input) begin to cross its link."""
    router = name >> NAME_BITS
    output = name & INPUT
    base = router * u.row
    port = s.port_of[output]
    f = s.row[base + FIRST]
    i = s.turn[f + output] - 1
    s.row[base + LEAVING] |= 1 << i
    s.row[base + u.crossed + port] += 1
    beyond = (s.row[base + u.link + port] >> 32) + s.vc_of[output]
    j = beyond & INPUT
    there = (beyond >> NAME_BITS) * u.row
    g = s.row[there + FIRST] + j
    at = (s.fifo[g] & FIELD) + (s.fifo[g] >> COUNT & FIELD)
    if at >= u.queue:
        at -= u.queue
    new = (s.row[there + PLACE] + j * u.queue + at) * SLOT_WORDS
    old = slot_of(s, u, base, i, s.fifo[f + i] & FIELD)
    route = s.slot[old + ROUTE]
    if u.dims > 0:
        route -= 2 << s.shift[port >> 1]
    s.slot[new + ROUTE] = route
    s.slot[new + BIRTH] = s.slot[old + BIRTH]
    s.slot[new + LABEL] = s.slot[old + LABEL]
    if u.exact == 1:
        s.left[f + i] = cycle
        s.came[g] = cycle
    header_enters(s, u, beyond)
    if u.hop > 1:
        header_arrives(s, u, beyond, cycle)
    tail_leaves(s, u, router << NAME_BITS | i, cycle)


@inlined
def fetch_start(s: State, u: Setting, base: int, output: int) -> None:
    """Ask for the memory between which `start` will soon move a packet."""
    f = s.row[base + FIRST]
    i = s.turn[f + output] - 1
    fetch(s.slot, slot_of(s, u, base, i, s.fifo[f + i] & FIELD))
    beyond = (s.row[base + u.link + s.port_of[output]] >> 32) + s.vc_of[output]
    router = beyond >> NAME_BITS
    fetch(s.row, router * u.row + FIRST)
    fetch(s.fifo, router * u.fifos + (beyond & INPUT))


@inlined
def serve_links(s: State, u: Setting, router: int) -> None:
    """Let each idle link serve the next VC that holds a grant; its packet starts after all decisions."""
    base = router * u.row
    held = s.row[base + HELD]
    busy = s.row[base + BUSY]
    waiting = held
    while held:
        output = lowest(held)
        port = s.port_of[output]
        mine = ((1 << u.vcs) - 1) << (port * u.vcs)
        candidates = held & mine
        held &= ~mine
        if busy >> port & 1:
            continue
        if candidates & (candidates - 1):
            turn = port * u.vcs + s.turn_link[router * u.ports + port]
            later = candidates >> turn << turn
            if later:
                output = lowest(later)
        next_vc = s.vc_of[output] + 1
        s.turn_link[router * u.ports + port] = 0 if next_vc == u.vcs else next_vc
        busy |= 1 << port
        waiting &= ~(1 << output)
        s.starting[s.clock[STARTING]] = router << NAME_BITS | output
        s.clock[STARTING] += 1
        if u.ahead > 0:
            fetch_start(s, u, base, output)
    s.row[base + HELD] = waiting
    s.row[base + BUSY] = busy


@inlined
def first_requests(s: State, base: int, requests: int, cycle: int) -> None:
    """Note the cycle of a head's first request, lost or not, for arbiter `fifo`."""
    f = s.row[base + FIRST]
    while requests:
        i = lowest(requests)
        requests &= requests - 1
        if s.since[f + i] < 0:
            s.since[f + i] = cycle


@inlined
def request_by_masks(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests into `asked`, on a mesh or torus with at most one adaptive VC, for all inputs at once.

    Returns the outputs that a waiting head could use and that are free and have room: while there are any,
    the router is looked at in every cycle, since a head that tried another alternative may come to them.
    """
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    escaping = waiting
    adaptive = 0
    if u.vcs == 2:
        passing(s.row, base, u.dims, waiting, s.step)
        escaping = try_alternatives(s, u, base, waiting)
        adaptive = 1
    room = s.row[base + ROOM]
    bubble = s.row[base + BUBBLE]
    available = s.row[base + FREE] & room
    if u.arbiter == FIRST_COME:
        available = room  # lost requests count too; outputs that are held are left out by the caller
    useful = 0
    straight = waiting
    for d in range(u.dims):
        turning = 0
        for port in range(2 * d, 2 * d + 2):
            wanting = s.row[base + WANT + port]
            turning |= wanting
            output = port * u.vcs
            ring = 1 << output if bubble >> output & 1 == 0 else -1
            may = wanting & straight & ring & -(available >> output & 1)
            s.asked[output] = may & escaping
            useful |= (may != 0) << output
            if adaptive:
                output += 1
                wanting &= -(available >> output & 1)
                s.asked[output] = wanting & s.step[d]
                useful |= (wanting & waiting != 0) << output
        straight &= ~turning
    return useful


@inlined
def request_by_inputs(s: State, u: Setting, router: int, cycle: int) -> int:
    """Put requests into `asked`, input by input; returns the outputs requested."""
    waiting = s.row[router * u.row + WAIT] & ~s.row[router * u.row + HOMING]
    outputs = 0
    up = 0
    if u.policy == TREE_ADAPTIVE and s.row[router * u.row + WANT] & waiting:  # port 0 is wanted on the way up
        up = emptiest_up(s, u, router, cycle)
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        output = wanted_output(s, u, router, i, up, cycle)
        if output >= 0:
            if outputs >> output & 1 == 0:
                s.asked[output] = 0
                outputs |= 1 << output
            s.asked[output] |= 1 << i
    return outputs


@inlined
def settle(s: State, u: Setting, router: int, outputs: int, cycle: int) -> None:
    """Grant each free one of the `outputs` to one of its requests in `asked`."""
    base = router * u.row
    if u.arbiter == FIRST_COME:
        rest = outputs
        while rest:
            first_requests(s, base, s.asked[lowest(rest)], cycle)
            rest &= rest - 1
    outputs &= s.row[base + FREE]
    while outputs:
        output = lowest(outputs)
        outputs &= outputs - 1
        requests = s.asked[output]
        if requests:
            turn = s.turn[s.row[base + FIRST] + output]
            grant(s, u, base, chosen(s, u, router, requests, turn, output, cycle), output)


@inlined
def obtainable(s: State, u: Setting, router: int) -> bool:
    """Tell whether a waiting head could get an output next cycle though nothing else happens."""
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    available = s.row[base + ROOM]
    if u.arbiter != FIRST_COME:  # which counts lost requests too, and some are for a VC drawn anew each cycle
        available &= s.row[base + FREE]
    if waiting == 0 or available == 0:
        return False
    if u.policy == OBLIVIOUS:
        while waiting:
            i = lowest(waiting)
            waiting &= waiting - 1
            output = s.fifo[s.row[base + FIRST] + i] >> OUT
            if available >> output & 1 and admitted(s, u, base, i, output) >= 0:
                return True
        return False
    turned = 0
    for port in range(u.ports):
        wanting = s.row[base + WANT + port] & waiting
        here = available >> (port * u.vcs) & ((1 << u.vcs) - 1)
        if wanting and here:
            if u.dims == 0 or here > 1:
                return True
            may = wanting & ~turned
            if s.row[base + BUBBLE] >> (port * u.vcs) & 1 == 0:
                may &= 1 << (port * u.vcs)
            if may:
                return True
        turned |= wanting
    return False


@inlined
def consume_one(s: State, u: Setting, router: int, cycle: int) -> None:
    """Let `single` consumption take one of the packets that are at their destination."""
    base = router * u.row
    requests = s.row[base + HOMING]
    if requests == 0:
        return
    if u.arbiter == FIRST_COME:
        first_requests(s, base, requests, cycle)
    if s.row[base + FREE] >> HOME & 1 == 0:
        return
    i = chosen(s, u, router, requests, s.turn_home[router], s.row[base + INPUTS], cycle)
    s.row[base + WAIT] &= ~(1 << i)
    s.row[base + HOMING] &= ~(1 << i)
    s.row[base + FREE] &= ~(1 << HOME)
    s.turn_home[router] = i + 1
    leave_home(s, u, router, i, cycle)


@inlined
def decide(s: State, u: Setting, router: int, cycle: int) -> None:
    """Do all that a router does in phase 2 of `cycle`."""
    base = router * u.row
    if u.single == 1:
        consume_one(s, u, router, cycle)
    if s.row[base + WAIT] & ~s.row[base + HOMING]:
        if u.policy == SMART:
            catch_up(s, u, router, cycle)
        if u.masks == 1:
            useful = request_by_masks(s, u, router, cycle)
            settle(s, u, router, useful, cycle)
            again = useful & s.row[base + FREE] != 0 and s.row[base + WAIT] != 0
        else:
            settle(s, u, router, request_by_inputs(s, u, router, cycle), cycle)
            again = obtainable(s, u, router)
        if again:
            look_at(s, u, router, s.clock[SIDE])
    s.row[base + TIME] = cycle + 1
    if s.row[base + HELD]:
        serve_links(s, u, router)
