"""The memory of alternatives of policy `smart`, of all inputs of a router at once.

A waiting head that could get nothing sleeps: its router is looked at again when an event could help it. The
only trace of the cycles between is the memory of alternatives, which `catch_up` makes good.

With one adaptive VC: an input that travels in dimension d has the alternatives d, d + 1, .. (cyclically),
escape. The memory is one mask for each alternative but the first: who tries it next. A step lets everybody
try for one cycle: `could[d]` holds who could use dimension d's adaptive VC and becomes who requests it; those
that come to the escape channel are returned.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest, outlined, where
from netplace.netsim.kernel.grids import memory_of, smart_output
from netplace.netsim.kernel.state import GRID, I16, I64, ROOM, WAIT, Setting, State

# mypy: disable-error-code="untyped-decorator"


@inlined
def try_in_two(row: I16, memory: int, waiting: int, x_group: int, y_group: int, could: I64) -> int:
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
    row: I16, memory: int, waiting: int, x_group: int, y_group: int, z_group: int, could: I64
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
def try_in_any(row: I16, memory: int, waiting: int, dims: int, group: I64, could: I64) -> int:
    """Do one step on a network of any dimensions; `could` has room for two masks a dimension."""
    trying = waiting
    for k in range(dims):
        trying &= ~row[memory + k]
        could[dims + k] = 0
    for k in range(dims):
        may = 0
        for d in range(dims):
            at = d + k if d + k < dims else d + k - dims
            may |= group[d] & could[at]
        hit = trying & may
        for d in range(dims):
            at = d + k if d + k < dims else d + k - dims
            could[dims + at] |= group[d] & hit
        trying = trying & ~hit | row[memory + k]
        row[memory + k] = hit
    for d in range(dims):
        could[d] = could[dims + d]
    return trying


@inlined
def passing(row: I16, base: int, want: int, dims: int, waiting: int, could: I64) -> int:
    """Set `could[d]` to the waiting inputs that could use dimension d's adaptive VC; return their union."""
    room = row[base + ROOM]
    union = 0
    for d in range(dims):
        plus = row[base + want + 2 * d] & -(room >> (4 * d + 1) & 1)
        minus = row[base + want + 2 * d + 1] & -(room >> (4 * d + 3) & 1)
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


@where(dims=GRID)
@inlined
def catch_up(s: State, u: Setting, router: int, cycle: int) -> None:
    """Bring the memories of a router that slept up to the start of `cycle`."""
    base = router * u.row
    at = router * u.row_names + u.time
    asleep = (cycle - s.name[at]) & 0xFFFFFFFF
    if asleep == 0:
        return
    s.name[at] = cycle
    waiting = s.row[base + WAIT]
    if waiting == 0:
        return
    if u.masks == 1:
        sleep_by_masks(s.row, base, u.next, u.want, u.dims, waiting, asleep, s.group, s.step)
    else:
        sleep_by_inputs(s, u, router, cycle - asleep, cycle)


@outlined
def sleep_by_masks(
    row: I16, base: int, next: int, want: int, dims: int, waiting: int, asleep: int, group: I64, could: I64
) -> None:
    """Let the waiting inputs try their alternatives for the cycles that their router slept.

    An input with p alternatives that it could use tries them in turn, then escape: a circle of p + 1 cycles.
    """
    memory = base + next
    union = passing(row, base, want, dims, waiting, could)
    for k in range(dims):
        row[memory + k] &= union
    while union:
        i = lowest(union)
        bit = union & -union
        union &= union - 1
        own = 0
        while group[own] & bit == 0:
            own += 1
        tried = 0  # of those that the input could use, before the one that it tries next
        usable = 0
        for k in range(dims):
            usable += could[own + k - dims * (own + k >= dims)] >> i & 1
            if row[memory + k] & bit:
                row[memory + k] &= ~bit
                tried = usable
        place = (tried + asleep) % (usable + 1)
        for k in range(dims):
            if place > 0:
                place -= could[own + k - dims * (own + k >= dims)] >> i & 1
                if place == 0:
                    row[memory + k] |= bit


@where(dims=GRID, masks=(0,))
@outlined
def sleep_by_inputs(s: State, u: Setting, router: int, begin: int, end: int) -> None:
    """Do the same input by input: with several adaptive VCs each cycle draws anew."""
    base = router * u.row
    for cycle in range(begin, end):
        waiting = s.row[base + WAIT]
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
        if s.row[base + u.want + port] & waiting and (s.row[base + ROOM] >> (port * u.vcs)) & adaptive:
            return True
    return False
