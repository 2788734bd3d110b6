"""Routers: what an event changes in one (phase 1), and what one decides from its own state (phase 2).

A waiting head that could get nothing sleeps: its router is looked at again when an event could help it. The
only trace of the cycles between is the memory of alternatives of policy `smart`, which `catch_up` makes good.
"""

from __future__ import annotations

from netsim.chance import ADAPTIVE_VC, ARBITER, OBLIVIOUS_VC, POLICY, TREE_UP, TREE_VC, below, draw
from netsim.kernel.bits import inlined, lowest
from netsim.kernel.events import ARRIVE, ENTER, TAIL, look_at, push
from netsim.kernel.routes import forced_port
from netsim.kernel.state import (
    AGE,
    BIRTH,
    BUBBLE,
    BUSY,
    CHANCE,
    COUNT,
    EVENTS,
    FIFO_WORDS,
    FIRST_COME,
    FREE,
    HEAD,
    HELD,
    HOME,
    HOMING,
    KEY_WORDS,
    LABEL,
    LEAVING,
    LONGEST,
    NAME_BITS,
    OBLIVIOUS,
    OUT,
    RANDOM,
    ROOM,
    ROUND_ROBIN,
    ROUTE,
    SEEN,
    SHORTEST,
    SIDE,
    SLOT_WORDS,
    SMART,
    SOURCE,
    TIME,
    TREE_ADAPTIVE,
    TREE_FAT,
    TREE_THIN,
    WAIT,
    WANT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def depth(s: State, u: Setting, router: int, i: int) -> int:
    """Return how many packets input `i` holds; behind an injection FIFO stands the injector's buffer."""
    return u.queue if i < s.inputs[router] else u.queue + u.buffer


@inlined
def slot_of(s: State, u: Setting, router: int, i: int, at: int) -> int:
    """Return the first word of the slot at place `at` of input `i`."""
    behind = i - s.inputs[router]
    slot = s.place[router] + i * u.queue + at
    if behind > 0:
        slot += behind * u.buffer
    return slot * SLOT_WORDS


@inlined
def phits(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return the phits in an input FIFO at the start of `cycle` (needs `Setting.exact`).

    What has not arrived of a packet being received is not there, what has left of the head neither.
    """
    f = s.first[router] + i
    count = s.fifo[f * FIFO_WORDS + COUNT]
    if i >= s.inputs[router] and count > u.queue:
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


@inlined
def passing(s: State, u: Setting, base: int, waiting: int) -> int:
    """Set `step[d]` to the waiting inputs that could use dimension d's adaptive VC now; return their union."""
    room = s.row[base + ROOM]
    union = 0
    for d in range(u.dims):
        plus = 2 * d
        some = 0
        if (room >> (2 * plus + 1)) & 1:
            some = s.row[base + WANT + plus]
        if (room >> (2 * plus + 3)) & 1:
            some |= s.row[base + WANT + plus + 1]
        some &= waiting
        s.step[d] = some
        union |= some
    return union


@inlined
def try_alternatives(s: State, u: Setting, base: int, waiting: int) -> int:
    """Let all waiting inputs try their alternatives for one cycle; return those that come to the escape VC.

    `smart` with one adaptive VC, for all inputs of a router at once. ``step[d]`` holds who could use dimension
    d; ``step[dims + i]`` becomes who requests its i-th alternative. An input that travels in dimension d has
    the alternatives d, d + 1, .. (cyclically), escape. The memory is one mask for each alternative but
    the first: who tries it next.
    """
    n = u.dims
    memory = base + u.next
    elsewhere = 0
    for i in range(n):
        elsewhere |= s.row[memory + i]
    trying = waiting & ~elsewhere
    for i in range(n):
        could = 0
        for d in range(n):
            e = d + i
            if e >= n:
                e -= n
            could |= s.group[d] & s.step[e]
        hit = trying & could
        s.step[n + i] = hit
        trying = (trying & ~hit) | s.row[memory + i]
        s.row[memory + i] = hit
    return trying


@inlined
def catch_up(s: State, u: Setting, router: int, cycle: int) -> None:
    """Bring the memories of a router that slept up to the start of `cycle`."""
    base = router * u.row
    asleep = cycle - s.row[base + TIME]
    if asleep <= 0:
        return
    s.row[base + TIME] = cycle
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    if waiting == 0:
        return
    if u.masks == 0:
        for past in range(cycle - asleep, cycle):
            if not recall(s, u, router, waiting, past):
                break
        return
    if passing(s, u, base, waiting) == 0:
        for i in range(u.dims):
            s.row[base + u.next + i] = 0
        return
    if asleep > u.period:
        asleep = 1 + (asleep - 1) % u.period
    for _ in range(asleep):
        try_alternatives(s, u, base, waiting)


@inlined
def recall(s: State, u: Setting, router: int, waiting: int, cycle: int) -> bool:
    """Let the waiting inputs of a router try their alternatives in a past cycle; tell whether any memory moved."""
    moved = False
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        before = memory_of(s, u, router, i)
        smart_output(s, u, router, i, cycle)
        if before != memory_of(s, u, router, i) or before > 0:
            moved = True
    return moved


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
    if i < s.inputs[router]:
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
    name = s.wire[router * u.ports + s.port_of[output]]
    i = (name & ((1 << NAME_BITS) - 1)) + s.vc_of[output]
    return phits(s, u, name >> NAME_BITS, i, cycle)


@inlined
def random_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests under `random`: any adaptive VC with room, else escape."""
    base = router * u.row
    room = s.row[base + ROOM]
    count = 0
    pick = -1
    for lap in range(2):
        for port in range(2 * u.dims):
            if (s.row[base + WANT + port] >> i) & 1:
                for vc in range(1, u.vcs):
                    output = port * u.vcs + vc
                    if (room >> output) & 1:
                        if lap == 0:
                            count += 1
                        elif pick == 0:
                            return output
                        else:
                            pick -= 1
        if count == 0:
            return escape_output(s, u, router, i)
        if lap == 0:
            pick = below(draw(u.seed, POLICY, router, i, cycle), count)
    return -1


@inlined
def tree_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input of a tree's router requests, or -1."""
    base = router * u.row
    f = s.first[router] + i
    slot = slot_of(s, u, router, i, s.fifo[f * FIFO_WORDS + HEAD])
    target = s.slot[slot + ROUTE]
    room = s.row[base + ROOM]
    if u.policy == TREE_ADAPTIVE:
        port = forced_port(s, u, router, 0, target, 0)
        if s.stage[router] < 0 or port < 0:
            return emptiest_up(s, u, router, i, cycle)
        return emptiest_down(s, u, router, port, cycle)
    source = s.key[(s.slot[slot + LABEL] >> 2) * KEY_WORDS + SOURCE]
    if s.stage[router] < 0:
        vc = 0
        if u.vcs > 1:
            vc = below(draw(u.seed, TREE_VC, router, i, cycle), u.vcs)
    else:
        vc = s.vc_of[i]
    output = forced_port(s, u, router, source, target, vc) * u.vcs + vc
    return output if (room >> output) & 1 else -1


@inlined
def emptiest_up(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return the (up port, VC) with fewest phits beyond, drawn among equals; -1 if it has no room."""
    ports = 1 if s.stage[router] < 0 else s.up[1]
    least = 1 << 40
    equal = 0
    for output in range(ports * u.vcs):
        load = phits_beyond(s, u, router, output, cycle)
        if load < least:
            least = load
            equal = 0
        if load == least:
            equal += 1
    if least > (u.queue - 1) * u.phits:
        return -1
    pick = 0
    if equal > 1:
        pick = below(draw(u.seed, TREE_UP, router, i, cycle), equal)
    for output in range(ports * u.vcs):
        if phits_beyond(s, u, router, output, cycle) == least:
            if pick == 0:
                return output
            pick -= 1
    return -1


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
def wanted_output(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what an input requests in `cycle`, or -1."""
    if u.dims == 0:
        return tree_output(s, u, router, i, cycle)
    if u.policy == SMART:
        return smart_output(s, u, router, i, cycle)
    if u.policy == SHORTEST:
        return shortest_output(s, u, router, i, cycle)
    if u.policy == RANDOM:
        return random_output(s, u, router, i, cycle)
    output = s.fifo[(s.first[router] + i) * FIFO_WORDS + OUT]
    return admitted(s, u, router * u.row, i, output)


# --- heads ----------------------------------------------------------------------------------------


@inlined
def expose(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Make the packet at the head of an input known to its router; it may request in `cycle`."""
    base = router * u.row
    f = s.first[router] + i
    word = f * FIFO_WORDS
    slot = slot_of(s, u, router, i, s.fifo[word + HEAD])
    route = s.slot[slot + ROUTE]
    bit = 1 << i
    if u.arbiter == FIRST_COME:
        s.since[f] = -1
    if u.dims > 0:
        arrived = True
        for d in range(u.dims):
            if (route >> s.shift[d]) & s.field[d] > 1:
                arrived = False
    else:
        arrived = route == router
    if arrived:
        if u.single == 0:
            s.row[base + LEAVING] |= bit
            s.fifo[word + OUT] = HOME
            if u.exact == 1:
                s.left[f] = cycle
            push(s, TAIL, router << NAME_BITS | i, cycle + u.phits)
            return
        s.row[base + HOMING] |= bit
        s.row[base + WAIT] |= bit
        look_at(s, u, router, cycle, 1 - s.clock[SIDE])
        return
    if u.policy == SMART:
        catch_up(s, u, router, cycle)
    s.row[base + WAIT] |= bit
    if u.dims > 0:
        for d in range(u.dims):
            hops = (route >> s.shift[d]) & s.field[d]
            if hops > 1:
                s.row[base + WANT + 2 * d + (hops & 1)] |= bit
        if u.policy == OBLIVIOUS:
            bind(s, u, router, i, cycle)
    else:
        want_on_tree(s, u, router, i, slot)
    look_at(s, u, router, cycle, 1 - s.clock[SIDE])


@inlined
def bind(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Choose the output of a head under `oblivious`: DOR, the same VC straight on, else one drawn."""
    base = router * u.row
    for port in range(2 * u.dims):
        if (s.row[base + WANT + port] >> i) & 1:
            if i < s.inputs[router] and s.port_of[i] == port:
                vc = s.vc_of[i]
            elif u.vcs == 1:
                vc = 0
            else:
                vc = below(draw(u.seed, OBLIVIOUS_VC, router, i, cycle), u.vcs)
            s.fifo[(s.first[router] + i) * FIFO_WORDS + OUT] = port * u.vcs + vc
            return


@inlined
def want_on_tree(s: State, u: Setting, router: int, i: int, slot: int) -> None:
    """Note the ports that a head may take on a tree."""
    base = router * u.row
    source = 0
    vc = 0
    if u.policy != TREE_ADAPTIVE:
        source = s.key[(s.slot[slot + LABEL] >> 2) * KEY_WORDS + SOURCE]
        if s.stage[router] >= 0:
            vc = s.vc_of[i]
    port = forced_port(s, u, router, source, s.slot[slot + ROUTE], vc)
    if port >= 0:
        s.row[base + WANT + port] |= 1 << i
    else:
        for up in range(s.up[1]):
            s.row[base + WANT + up] |= 1 << i


# --- events (phase 1) -----------------------------------------------------------------------------


@inlined
def enter(s: State, u: Setting, name: int, cycle: int) -> None:
    """A header left for this FIFO in the cycle before: take its room away."""
    router = name >> NAME_BITS
    i = name & ((1 << NAME_BITS) - 1)
    base = router * u.row
    word = (s.first[router] + i) * FIFO_WORDS
    count = s.fifo[word + COUNT] + 1
    s.fifo[word + COUNT] = count
    # A head that began to leave no later than the packet began to arrive makes room as fast as it is taken.
    leaving = (s.row[base + LEAVING] >> i) & 1
    if count >= u.queue - u.bubble + 1 and (leaving == 0 or count > u.queue - u.bubble + 1):
        s.row[base + BUBBLE] &= ~(1 << i)
    if count == u.queue and leaving == 0:
        feeder = s.feeder[router * u.ports + s.port_of[i]]
        vc = s.vc_of[i]
        up = feeder >> NAME_BITS
        if u.policy == SMART and vc > 0:
            catch_up(s, u, up, cycle)
        s.row[up * u.row + ROOM] &= ~(1 << ((feeder & ((1 << NAME_BITS) - 1)) + vc))
    if u.hop == 1:
        arrive(s, u, name, cycle)


@inlined
def arrive(s: State, u: Setting, name: int, cycle: int) -> None:
    """A header can be looked at from this cycle on."""
    router = name >> NAME_BITS
    i = name & ((1 << NAME_BITS) - 1)
    word = (s.first[router] + i) * FIFO_WORDS
    seen = s.fifo[word + SEEN] + 1
    s.fifo[word + SEEN] = seen
    if seen == 1:
        expose(s, u, router, i, cycle)


@inlined
def make_room(s: State, u: Setting, router: int, i: int, count: int, cycle: int) -> None:
    """A packet has left a transit FIFO, which now holds `count`: tell whoever feeds it, and its own ring."""
    if count == u.queue - u.bubble:
        s.row[router * u.row + BUBBLE] |= 1 << i
    if count != u.queue - 1:
        return
    port = s.port_of[i]
    vc = s.vc_of[i]
    feeder = s.feeder[router * u.ports + port]
    up = feeder >> NAME_BITS
    output = (feeder & ((1 << NAME_BITS) - 1)) + vc
    base = up * u.row
    if (s.row[base + ROOM] >> output) & 1:
        return
    if u.policy == SMART and vc > 0:
        catch_up(s, u, up, cycle)
    s.row[base + ROOM] |= 1 << output
    if (s.row[base + FREE] >> output) & 1 or u.arbiter == FIRST_COME:
        if s.row[base + WAIT] & s.row[base + WANT + s.port_of[output]]:
            look_at(s, u, up, cycle, 1 - s.clock[SIDE])


@inlined
def drop_head(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """The head of an input has left to the tail: the next packet becomes head."""
    base = router * u.row
    word = (s.first[router] + i) * FIFO_WORDS
    s.row[base + LEAVING] &= ~(1 << i)
    head = s.fifo[word + HEAD] + 1
    s.fifo[word + HEAD] = 0 if head == depth(s, u, router, i) else head
    count = s.fifo[word + COUNT] - 1
    s.fifo[word + COUNT] = count
    seen = s.fifo[word + SEEN] - 1
    s.fifo[word + SEEN] = seen
    if i < s.inputs[router]:
        make_room(s, u, router, i, count, cycle)
    if seen > 0:
        expose(s, u, router, i, cycle)


# --- decisions (phase 2) --------------------------------------------------------------------------


@inlined
def chosen(s: State, u: Setting, router: int, requests: int, last: int, output: int, cycle: int) -> int:
    """Return the input that an arbiter picks among the `requests`; round robin begins at input `last`."""
    if requests & (requests - 1) == 0:
        return lowest(requests)
    if u.arbiter == ROUND_ROBIN:
        later = (requests >> last) << last
        return lowest(later) if later else lowest(requests)
    if u.arbiter == CHANCE:
        n = 0
        rest = requests
        while rest:
            rest &= rest - 1
            n += 1
        for _ in range(below(draw(u.seed, ARBITER, router, output, cycle), n)):
            requests &= requests - 1
        return lowest(requests)
    best = -1
    most = -1
    later = (requests >> last) << last
    for lap in range(2):
        if u.arbiter == LONGEST:
            rest = later if lap == 0 else requests & ~later
        else:
            rest = requests if lap == 0 else 0
        while rest:
            i = lowest(rest)
            rest &= rest - 1
            if u.arbiter == LONGEST:
                value = phits_at_start(s, u, router, i, cycle)
            elif u.arbiter == FIRST_COME:
                value = cycle - s.since[s.first[router] + i]
            else:
                at = s.fifo[(s.first[router] + i) * FIFO_WORDS + HEAD]
                birth = s.slot[slot_of(s, u, router, i, at) + BIRTH]
                value = (cycle - birth) & 0xFFFFFFFF
            if value > most:
                most = value
                best = i
    return best


@inlined
def phits_at_start(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return the phits that arbiter `longest` compares: those present when the cycle began."""
    return phits(s, u, router, i, cycle)


@inlined
def grant(s: State, u: Setting, router: int, i: int, output: int) -> None:
    """Tie an input and an output until the packet's tail has left."""
    base = router * u.row
    others = ~(1 << i)
    s.row[base + WAIT] &= others
    for port in range(u.ports):
        s.row[base + WANT + port] &= others
    if u.policy == SMART:
        for k in range(u.dims):
            s.row[base + u.next + k] &= others
    f = s.first[router]
    s.fifo[(f + i) * FIFO_WORDS + OUT] = output
    s.turn[f + output] = i + 1
    s.row[base + FREE] &= ~(1 << output)
    s.row[base + HELD] |= 1 << output


@inlined
def start(s: State, u: Setting, router: int, output: int, cycle: int) -> None:
    """Let the packet that holds an output begin to cross its link."""
    base = router * u.row
    port = s.port_of[output]
    vc = s.vc_of[output]
    f = s.first[router]
    i = s.turn[f + output] - 1
    s.row[base + HELD] &= ~(1 << output)
    s.row[base + BUSY] |= 1 << port
    s.row[base + LEAVING] |= 1 << i
    link = router * u.ports + port
    s.turn_link[link] = 0 if vc + 1 == u.vcs else vc + 1
    s.crossed[link] += 1
    name = s.wire[link] + vc
    there = name >> NAME_BITS
    g = s.first[there] + (name & ((1 << NAME_BITS) - 1))
    at = s.fifo[g * FIFO_WORDS + HEAD] + s.fifo[g * FIFO_WORDS + COUNT]
    if at >= u.queue:
        at -= u.queue
    new = (s.place[there] + (name & ((1 << NAME_BITS) - 1)) * u.queue + at) * SLOT_WORDS
    old = slot_of(s, u, router, i, s.fifo[(f + i) * FIFO_WORDS + HEAD])
    route = s.slot[old + ROUTE]
    if u.dims > 0:
        route -= 2 << s.shift[port >> 1]
    s.slot[new + ROUTE] = route
    s.slot[new + BIRTH] = s.slot[old + BIRTH]
    s.slot[new + LABEL] = s.slot[old + LABEL]
    if u.exact == 1:
        s.left[f + i] = cycle
        s.came[g] = cycle
    push(s, ENTER, name, cycle + 1)
    if u.hop > 1:
        push(s, ARRIVE, name, cycle + u.hop)
    push(s, TAIL, router << NAME_BITS | i, cycle + u.phits)


@inlined
def serve_links(s: State, u: Setting, router: int, cycle: int) -> None:
    """Let each idle link begin with the next VC that holds a grant."""
    base = router * u.row
    held = s.row[base + HELD]
    while held:
        output = lowest(held)
        port = s.port_of[output]
        mine = ((1 << u.vcs) - 1) << (port * u.vcs)
        candidates = held & mine
        held &= ~mine
        if (s.row[base + BUSY] >> port) & 1:
            continue
        if candidates & (candidates - 1):
            turn = port * u.vcs + s.turn_link[router * u.ports + port]
            later = (candidates >> turn) << turn
            if later:
                candidates = later
        start(s, u, router, lowest(candidates), cycle)


@inlined
def first_requests(s: State, router: int, requests: int, cycle: int) -> None:
    """Note the cycle of a head's first request, for arbiter `fifo`."""
    f = s.first[router]
    while requests:
        i = lowest(requests)
        requests &= requests - 1
        if s.since[f + i] < 0:
            s.since[f + i] = cycle


@inlined
def decide_by_masks(s: State, u: Setting, router: int, cycle: int) -> int:
    """Requests and grants on a mesh or torus with at most one adaptive VC; return outputs still to be had.

    Whoever requests is found for all inputs at once. The value returned is a mask of outputs that are free and
    have room and that a waiting head could use: if it is 0 the router can sleep.
    """
    base = router * u.row
    n = u.dims
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    escaping = waiting
    if u.vcs == 2:
        passing(s, u, base, waiting)
        escaping = try_alternatives(s, u, base, waiting)
    room = s.row[base + ROOM]
    bubble = s.row[base + BUBBLE]
    available = s.row[base + FREE] & room
    if u.arbiter == FIRST_COME:
        note_mask_requests(s, u, router, escaping, cycle)
    elif available == 0:
        return 0
    granted = 0
    turned = 0
    left = 0
    for d in range(n):
        adaptive = 0
        if u.vcs == 2:
            for g in range(n):
                k = d - g
                if k < 0:
                    k += n
                adaptive |= s.group[g] & s.step[n + k]
        straight = waiting & ~turned
        for port in range(2 * d, 2 * d + 2):
            wanting = s.row[base + WANT + port]
            turned |= wanting
            output = port * u.vcs
            if (available >> output) & 1:
                may = wanting & straight
                if (bubble >> output) & 1 == 0:
                    may &= 1 << output
                requests = may & escaping
                if requests:
                    i = chosen(s, u, router, requests, s.turn[s.first[router] + output], output, cycle)
                    grant(s, u, router, i, output)
                    granted |= 1 << i
                elif may:
                    left |= 1 << output
            if u.vcs == 2 and (available >> (output + 1)) & 1:
                output += 1
                requests = adaptive & wanting
                if requests:
                    i = chosen(s, u, router, requests, s.turn[s.first[router] + output], output, cycle)
                    grant(s, u, router, i, output)
                    granted |= 1 << i
                elif wanting & waiting:
                    left |= 1 << output
    return left if waiting & ~granted else 0


@inlined
def note_mask_requests(s: State, u: Setting, router: int, escaping: int, cycle: int) -> None:
    """Note first requests for arbiter `fifo`, lost ones too."""
    base = router * u.row
    n = u.dims
    requests = 0
    if u.vcs == 2:
        for i in range(n):
            requests |= s.step[n + i]
    for port in range(2 * n):
        output = port * u.vcs
        wanting = s.row[base + WANT + port]
        if (s.row[base + ROOM] >> output) & 1:
            may = wanting & escaping
            if (s.row[base + BUBBLE] >> output) & 1 == 0:
                may &= 1 << output
            requests |= may
        if port & 1:
            escaping &= ~(wanting | s.row[base + WANT + port - 1])
    first_requests(s, router, requests, cycle)


@inlined
def decide_by_inputs(s: State, u: Setting, router: int, cycle: int) -> int:
    """Requests and grants input by input; return whether a waiting head could still get something."""
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    free = s.row[base + FREE]
    outputs = 0
    rest = waiting
    requesting = 0
    while rest:
        i = lowest(rest)
        rest &= rest - 1
        output = wanted_output(s, u, router, i, cycle)
        if output >= 0:
            requesting |= 1 << i
            if (outputs >> output) & 1 == 0:
                s.asked[output] = 0
                outputs |= 1 << output
            s.asked[output] |= 1 << i
    if u.arbiter == FIRST_COME:
        first_requests(s, router, requesting, cycle)
    outputs &= free
    while outputs:
        output = lowest(outputs)
        outputs &= outputs - 1
        i = chosen(s, u, router, s.asked[output], s.turn[s.first[router] + output], output, cycle)
        grant(s, u, router, i, output)
    return obtainable(s, u, router)


@inlined
def obtainable(s: State, u: Setting, router: int) -> int:
    """Return 1 if a waiting head could get an output next cycle though nothing else happens, else 0."""
    base = router * u.row
    waiting = s.row[base + WAIT] & ~s.row[base + HOMING]
    available = s.row[base + FREE] & s.row[base + ROOM]
    if waiting == 0 or available == 0:
        return 0
    if u.policy == OBLIVIOUS:
        while waiting:
            i = lowest(waiting)
            waiting &= waiting - 1
            output = s.fifo[(s.first[router] + i) * FIFO_WORDS + OUT]
            if (available >> output) & 1 and admitted(s, u, base, i, output) >= 0:
                return 1
        return 0
    turned = 0
    every = (1 << u.vcs) - 1
    for port in range(u.ports):
        wanting = s.row[base + WANT + port] & waiting
        if wanting == 0:
            continue
        here = (available >> (port * u.vcs)) & every
        if u.dims == 0:
            if here:
                return 1
            continue
        if here > 1:
            return 1
        if here:
            output = port * u.vcs
            may = wanting & ~turned
            if (s.row[base + BUBBLE] >> output) & 1 == 0:
                may &= 1 << output
            if may:
                return 1
        turned |= wanting
    return 0


@inlined
def decide_home(s: State, u: Setting, router: int, cycle: int) -> None:
    """Let `single` consumption take one of the packets that are at their destination."""
    base = router * u.row
    requests = s.row[base + HOMING] & s.row[base + WAIT]
    if requests == 0:
        return
    if u.arbiter == FIRST_COME:
        first_requests(s, router, requests, cycle)
    if (s.row[base + FREE] >> HOME) & 1 == 0:
        return
    i = chosen(s, u, router, requests, s.turn_home[router], s.inputs[router], cycle)
    others = ~(1 << i)
    s.row[base + WAIT] &= others
    s.row[base + HOMING] &= others
    s.row[base + FREE] &= ~(1 << HOME)
    s.row[base + LEAVING] |= 1 << i
    s.turn_home[router] = i + 1
    f = s.first[router] + i
    s.fifo[f * FIFO_WORDS + OUT] = HOME
    if u.exact == 1:
        s.left[f] = cycle
    push(s, TAIL, router << NAME_BITS | i, cycle + u.phits)


@inlined
def decide(s: State, u: Setting, router: int, cycle: int) -> None:
    """Do all that a router does in phase 2 of `cycle`."""
    base = router * u.row
    if u.single == 1:
        decide_home(s, u, router, cycle)
    more = 0
    if s.row[base + WAIT] & ~s.row[base + HOMING]:
        if u.policy == SMART:
            catch_up(s, u, router, cycle)
        if u.masks == 1:
            more = decide_by_masks(s, u, router, cycle)
        else:
            more = decide_by_inputs(s, u, router, cycle)
    s.row[base + TIME] = cycle + 1
    if s.row[base + HELD]:
        serve_links(s, u, router, cycle)
    if more:
        look_at(s, u, router, cycle + 1, s.clock[SIDE])
    s.clock[EVENTS] += 1
