"""What one domain tells another: where the network is cut into domains, each simulated by its own thread.

A domain changes only what is its own. What an event does to a router of another domain goes into an outbox,
one for each phase and pair of domains, and is done there by its owner after the next meeting (`taking`): in
phase 2 headers that cross a border, and FIFOs beyond it that begin to empty; in phase 1 room that is lost or
comes back, FIFOs that are done with emptying, heads that are gone to which waiting is charged, and nodes that
may try again. None of it is looked at before that meeting.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.state import SENT_ACROSS, Setting, State

# mypy: disable-error-code="untyped-decorator"

DECIDED, FELL_DUE = 0, 1  # what outboxes are filled in: phase 2, phase 1
KIND_BITS = 3  # of the first word of what is told; before them a name
HEADER, EMPTYING, EMPTIED, NO_ROOM, ROOM_AGAIN, HEAD_GONE, TRY_AGAIN = range(7)


@inlined
def is_ours(s: State, u: Setting, router: int) -> bool:
    """Tell whether a router belongs to the domain that asks; it does where there is only one."""
    return u.split == 0 or s.owner_of[router] == u.domain


@inlined
def outbox(u: Setting, phase: int, teller: int, taker: int) -> int:
    """Return the first word of an outbox, which counts those behind it."""
    return ((phase * u.domains + teller) * u.domains + taker) * u.box


@inlined
def post(s: State, u: Setting, phase: int, router: int, word: int) -> None:
    """Tell the domain of a router something, a word."""
    at = outbox(u, phase, u.domain, s.owner_of[router])
    count = s.box[at] + 1
    s.box[at + count] = word
    s.box[at] = count


@where(split=(1,))
@inlined
def tell(s: State, u: Setting, phase: int, router: int, kind: int, name: int) -> None:
    """Tell the domain of a router what happens to an output or a FIFO of its own."""
    post(s, u, phase, router, name << KIND_BITS | kind)
    if phase == FELL_DUE:
        s.clock[SENT_ACROSS] = 1


@where(split=(1,))
@inlined
def tell_of_head(s: State, u: Setting, router: int, name: int, job: int) -> None:
    """Tell the domain of an output that the head of the FIFO beyond, of `job`, is gone."""
    post(s, u, FELL_DUE, router, name << KIND_BITS | HEAD_GONE)
    post(s, u, FELL_DUE, router, job)


@where(split=(1,))
@inlined
def send_across(s: State, u: Setting, router: int, name: int, route: int, birth: int, label: int) -> None:
    """Let a packet cross a border into a FIFO of another domain's router."""
    post(s, u, DECIDED, router, name << KIND_BITS | HEADER)
    post(s, u, DECIDED, router, route)
    post(s, u, DECIDED, router, birth)
    post(s, u, DECIDED, router, label)
