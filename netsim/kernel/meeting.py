"""Meetings of domains: none goes on before all have come, and each learns what the others have written.

A domain writes one cache line, and reads those of the others. It looks again and again for a while, then it
lets other threads run, then it sleeps a little between looks: a core is not kept from who has work.
"""

from __future__ import annotations

from netplace.netsim.kernel.atomic import let_others_run, read_shared, relax, write_shared
from netplace.netsim.kernel.bits import inlined, outlined, where
from netplace.netsim.kernel.state import BOARD_WORDS, DUE, FLAGS, I64, MEETINGS, MET, Setting, State

# mypy: disable-error-code="untyped-decorator"

GIVE_WAY, SLEEP = 0, 1  # behind the domains' lines of `board`: addresses of functions of the C library
TURNS = 20  # of giving way, before it sleeps
NAP = 50  # microseconds


@outlined
def wait_for(board: I64, domain: int, meeting: int, naps: int, spin: int) -> None:
    """Wait until a domain has come to a meeting."""
    looks = 0
    while read_shared(board, domain * BOARD_WORDS + MET) < meeting:
        looks += 1
        if looks <= spin:
            relax()
        elif looks <= spin + TURNS:
            let_others_run(board[naps + GIVE_WAY], 0)
        else:
            let_others_run(board[naps + SLEEP], NAP)


@where(dawdle=(1,))
@inlined
def dawdle(s: State, u: Setting, place: int) -> None:
    """Lose some time, or none, by chance: other domains are then ahead, or behind, by up to a whole phase."""
    dice = (s.clock[MEETINGS] * 8 + place) * 6364136223846793005 + (u.domain + 1) * 1442695040888963407
    dice = ((dice ^ dice >> 29) * 3202034522624059733) >> 32 & 0xFFFFFF
    naps = u.domains * BOARD_WORDS
    kind = dice & 63
    if kind < 2:
        let_others_run(s.board[naps + SLEEP], dice >> 6 & 63)
    elif kind < 12:
        let_others_run(s.board[naps + GIVE_WAY], 0)
    elif kind < 32:
        for _ in range(dice >> 6 & 1023):
            relax()


@inlined
def meet(s: State, u: Setting, due: int, flags: int) -> int:
    """Come to the next meeting with what all must know, and wait for the others; return its parity."""
    if u.dawdle == 1:
        dawdle(s, u, 0)
    meeting = s.clock[MEETINGS] + 1
    s.clock[MEETINGS] = meeting
    parity = meeting & 1
    mine = u.domain * BOARD_WORDS
    s.board[mine + DUE + parity] = due
    s.board[mine + FLAGS + parity] = flags
    write_shared(s.board, mine + MET, meeting)
    for domain in range(u.domains):
        if read_shared(s.board, domain * BOARD_WORDS + MET) < meeting:
            wait_for(s.board, domain, meeting, u.domains * BOARD_WORDS, u.spin)
    if u.dawdle == 1:
        dawdle(s, u, 1)
    return parity


@inlined
def earliest(s: State, u: Setting, parity: int) -> int:
    """Return the first cycle in which something happens in any domain, as of a meeting of this parity."""
    due = s.board[DUE + parity]
    for domain in range(1, u.domains):
        due = min(due, s.board[domain * BOARD_WORDS + DUE + parity])
    return due


@inlined
def flags_of_all(s: State, u: Setting, parity: int) -> int:
    """Return the flags that domains have brought to a meeting of this parity, all together."""
    flags = 0
    for domain in range(u.domains):
        flags |= s.board[domain * BOARD_WORDS + FLAGS + parity]
    return flags
