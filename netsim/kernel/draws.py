"""A member of a set by chance."""

from __future__ import annotations

from netplace.netsim.chance import below
from netplace.netsim.kernel.bits import inlined, lowest

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
