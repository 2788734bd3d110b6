"""Open-loop sources: when a node has its next packet, and for whom."""

from __future__ import annotations

from netplace.netsim.chance import GAP, HOT_SPOT, below, draw, gap
from netplace.netsim.chance import TARGET as TARGET_DRAW
from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.creation import handed_over
from netplace.netsim.kernel.events import act_next, set_timer
from netplace.netsim.kernel.state import DATA, DRAWN, NEXT_DRAW, QUIET, TASK_WORDS, WHEN_WORDS, Setting, State

# mypy: disable-error-code="untyped-decorator"


@inlined
def draw_target(s: State, u: Setting, node: int, cycle: int) -> int:
    """Return the destination of a packet drawn in `cycle`."""
    hot = s.hot[0]
    if hot >= 0 and hot != node:
        unit = float(draw(u.seed, HOT_SPOT, node, 0, cycle)) / 18446744073709551616.0
        if unit < s.share[1]:
            return hot
    target = s.target[node]
    if target < 0:
        some = s.hot[2]
        target = below(draw(u.seed, TARGET_DRAW, node, 0, cycle), (some if some else u.nodes) - 1)
        if some:
            place = u.nodes + target
            target = s.target[place if s.target[place] < node else place + 1]
        elif target >= node:
            target += 1
    return target


@inlined
def source_label(s: State, u: Setting, node: int, target: int) -> int:
    """Return the label of a packet of open-loop traffic: its node has a key of its own, or all have one.

    In domains there is such a key for each domain of the destination, which alone counts what arrives.
    """
    key = s.hot[1] + node * s.hot[3]
    if u.split == 1:
        key += s.owner_of[target] * s.hot[4]
    return key << 2 | DATA


@inlined
def act_source(s: State, u: Setting, node: int, occupied: bool, cycle: int) -> None:
    """Create a packet of open-loop traffic; the next is drawn when an injector has taken it.

    A node that is `occupied` with a message creates none in this cycle.
    """
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    if s.task[task + DRAWN] == 0:
        if cycle < s.when[when + NEXT_DRAW]:
            return
        s.task[task + DRAWN] = 1 + draw_target(s, u, node, cycle)
        s.clock[QUIET] = cycle + 1
    if occupied:
        act_next(s, u, node)
        return
    target = s.task[task + DRAWN] - 1
    if handed_over(s, u, node, target, source_label(s, u, node, target), cycle):
        s.task[task + DRAWN] = 0
        due = cycle + 1 + gap(draw(u.seed, GAP, node, 0, cycle + 1), s.share[0])
        s.when[when + NEXT_DRAW] = due
        set_timer(s, cycle, due, node, 1)


@inlined
def begin_sources(s: State, u: Setting, now: int) -> None:
    """Draw when each node has its first packet, `now` at the earliest."""
    for node in range(u.nodes):
        if s.target[node] != node:
            due = now + gap(draw(u.seed, GAP, node, 0, now), s.share[0])
            s.when[node * WHEN_WORDS + NEXT_DRAW] = due
