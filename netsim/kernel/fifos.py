"""FIFOs of a router: where packets stand in them, who feeds and who is fed, and how many phits they hold."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.state import EMPTIES, FILLS, INPUT, INPUTS, OUTPUT, SLOT_WORDS, Setting, State

# mypy: disable-error-code="untyped-decorator"


@inlined
def port_of(s: State, u: Setting, i: int) -> int:
    """Return the port of an input fed by a link, or of an output."""
    return i >> 1 if u.vcs == 2 else i if u.vcs == 1 else int(s.port_of[i])


@inlined
def vc_of(s: State, u: Setting, i: int) -> int:
    """Return the virtual channel of an input fed by a link, or of an output."""
    return i & 1 if u.vcs == 2 else 0 if u.vcs == 1 else int(s.vc_of[i])


@inlined
def fed(s: State, u: Setting, base: int) -> int:
    """Return how many inputs of a router are fed by links; injectors come after."""
    return u.fed if u.dims > 0 else int(s.row[base + INPUTS])


@inlined
def depth(s: State, u: Setting, base: int, i: int) -> int:
    """Return how many packets input `i` holds; behind an injection FIFO stands the injector's buffer."""
    return u.queue if i < fed(s, u, base) else u.queue + u.buffer


@inlined
def count_of(u: Setting, word: int) -> int:
    """Return how many packets a FIFO holds."""
    return word >> u.bits & u.field


@inlined
def fifo_of(u: Setting, router: int, i: int) -> int:
    """Return where the word of a FIFO is among the counts."""
    return router * u.row_counts + u.fifo + i


@inlined
def slot_of(s: State, u: Setting, router: int, i: int, at: int) -> int:
    """Return the first word of the slot at place `at` of input `i`."""
    place = router * u.slots if u.dims > 0 else int(s.name[router * u.row_names + u.place])
    if u.injectors > 1:
        place += max(0, i - fed(s, u, router * u.row)) * u.buffer
    return (place + i * u.queue + at) * SLOT_WORDS


@inlined
def head_slot(s: State, u: Setting, router: int, i: int) -> int:
    """Return the first word of the slot of an input's head."""
    return slot_of(s, u, router, i, s.counts[fifo_of(u, router, i)] & u.field)


@inlined
def output_of(u: Setting, word: int) -> int:
    """Return the output that the head of a FIFO holds."""
    return word >> (2 * u.bits) & OUTPUT


@inlined
def bound_for(u: Setting, word: int, output: int) -> int:
    """Return the word of a FIFO whose head is to hold `output`."""
    return word & ((1 << 2 * u.bits) - 1) | output << (2 * u.bits)


@inlined
def beyond(s: State, u: Setting, router: int, output: int) -> int:
    """Return the name of the FIFO that an output feeds."""
    return int(s.name[router * u.row_names + u.link + port_of(s, u, output)]) + vc_of(s, u, output)


@inlined
def feeder(s: State, u: Setting, router: int, i: int) -> int:
    """Return the name of the output that feeds an input.

    On a mesh or torus the input is named by the direction in which its packets travel, so its feeder has the
    same number and is the neighbour against that direction. On a tree a port's output and input lead to the
    same neighbour.
    """
    if u.dims > 0:
        return int(s.name[router * u.row_names + u.link + (port_of(s, u, i) ^ 1)]) & ~INPUT | i
    return beyond(s, u, router, i)


@where(exact=(1,))
@inlined
def phits(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return the phits in an input FIFO at the start of `cycle` (needs `Setting.exact`).

    What has not arrived of a packet being received is not there, what has left of the head neither.
    """
    f = router * u.fifos + i
    count = count_of(u, s.counts[fifo_of(u, router, i)])
    if i >= fed(s, u, router * u.row) and count > u.queue:
        count = u.queue
    present = count * u.phits
    arrived = cycle - s.came[f]
    if 0 < arrived < u.phits:
        present -= u.phits - arrived
    gone = cycle - s.left[f]
    if 0 < gone < u.phits:
        present -= gone
    return present


@where(loads=(1,))
@inlined
def phits_beyond(s: State, u: Setting, router: int, output: int, cycle: int) -> int:
    """Return the phits in the FIFO that an output feeds, at the start of `cycle` (needs `Setting.loads`)."""
    slope = router * u.row + u.slope
    fills = s.row[slope + FILLS] >> output & 1
    empties = s.row[slope + EMPTIES] >> output & 1
    return (s.counts[router * u.row_counts + u.load + output] + cycle * (fills - empties)) & u.modulus


@where(loads=(1,))
@inlined
def grow(s: State, u: Setting, router: int, output: int, what: int, cycle: int) -> None:
    """Begin in `cycle` to fill or to empty the FIFO that an output feeds."""
    s.row[router * u.row + u.slope + what] |= 1 << output
    s.counts[router * u.row_counts + u.load + output] += cycle if what == EMPTIES else -cycle


@where(loads=(1,))
@inlined
def stop(s: State, u: Setting, router: int, output: int, what: int, cycle: int) -> None:
    """End it: the last phit came, or left, in the cycle before `cycle`."""
    s.row[router * u.row + u.slope + what] &= ~(1 << output)
    s.counts[router * u.row_counts + u.load + output] -= cycle if what == EMPTIES else -cycle
