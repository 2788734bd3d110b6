"""The memory of alternatives of policy `smart`, of all inputs of a router at once.

A waiting head that could get nothing sleeps: its router is looked at again when an event could help it. The
only trace of the cycles between is the memory of alternatives, which `catch_up` makes good.

With one adaptive VC: an input that travels in dimension d has the alternatives d, d + 1, .. (cyclically),
escape. The memory is one mask for each alternative but the first: who tries it next. A step lets everybody
try for one cycle: `could[d]` holds who could use dimension d's adaptive VC and becomes who requests it; those
that come to the escape channel are returned.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest, outlined
from netplace.netsim.kernel.grids import memory_of, smart_output
from netplace.netsim.kernel.state import HOMING, I64, ROOM, TIME, WAIT, WANT, Setting, State

# mypy: disable-error-code="untyped-decorator"


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
