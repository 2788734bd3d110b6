"""FIFOs of a router: where packets stand in them, and how many phits."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.state import (
    COUNT,
    FIELD,
    FIRST,
    INPUT,
    INPUTS,
    NAME_BITS,
    PLACE,
    SLOT_WORDS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


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


@inlined
def phits_beyond(s: State, u: Setting, router: int, output: int, cycle: int) -> int:
    """Return the phits in the FIFO that an output feeds, at the start of `cycle`."""
    name = (s.row[router * u.row + u.link + s.port_of[output]] >> 32) + s.vc_of[output]
    return phits(s, u, (name >> NAME_BITS) * u.row, name & INPUT, cycle)
