"""The check of a collective algorithm."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from netplace.apps.collectives import OPERATIONS, ROOTED, Algorithm, Call, Message, Schedule, algorithm
from netplace.inputs import check_choice
from netplace.testing.demand import demand, name_of

_EXCHANGES = ("alltoall", "alltoallv")
_COPIED = ("allgather", "allgatherv", *_EXCHANGES, "bcast", "gather", "scatter")


class _Data:
    """The pieces of the vector of a call at each rank.

    The vector is split wherever a part begins or ends. For each piece, each rank has a set of contributors,
    as the bits of a number: the ranks whose data are summed in it, or the one from which it came, or none. A
    rank can also forward a received sum separately from its own.
    """

    def __init__(self, call: Call, rounds: Sequence[Sequence[Message]]) -> None:
        self._call = call
        length = call.offsets[-1] if call.operation in _EXCHANGES else call.vector
        cuts = {0, length} | {place for r in rounds for m in r for part in m.parts for place in part}
        if call.operation not in ("bcast", "reduce", "allreduce", "scan", "exscan", "barrier"):
            cuts |= set(call.offsets)
        self._cuts = sorted(cuts)
        # A barrier moves no bytes, but each message tells all that its sender knows.
        self._pieces = 1 if call.operation == "barrier" else len(self._cuts) - 1
        self._has = [
            [self._first(rank, piece) for piece in range(self._pieces)] for rank in range(call.ranks)
        ]
        self._came = [[0] * self._pieces for _ in range(call.ranks)]
        self._below = [[0] * self._pieces for _ in range(call.ranks)]

    def has(self, message: Message) -> bool:
        """Return whether the sender has all data of a message."""
        return all(self._has[message.source][piece] for piece in self._carried(message))

    def move(self, messages: Sequence[Message]) -> Iterator[tuple[Message, bool]]:
        """Process the messages of a round; yield each, and whether no contribution was added twice."""
        contents = [
            [
                (piece, self._has[message.source][piece], self._came[message.source][piece])
                for piece in self._carried(message)
            ]
            for message in messages
        ]
        for message, content in zip(messages, contents, strict=True):
            alright = True
            for piece, whole, came in content:
                alright &= self._take(message.destination, piece, whole, came)
            yield message, alright

    def ends_well(self, rank: int) -> bool:
        """Return whether a rank has all required data."""
        return all(self._is_right(rank, piece) for piece in range(self._pieces))

    def _take(self, rank: int, piece: int, whole: int, came: int) -> bool:
        """Add or copy what was sent, the sender's sum or what came to it; return whether that is right."""
        own = self._has[rank][piece]
        sent = whole if self._agrees(own, whole) else came
        if self._call.operation in ("scan", "exscan") and sent < 1 << rank:
            if sent & self._below[rank][piece]:
                return False
            self._below[rank][piece] |= sent
        self._came[rank][piece] = sent
        self._has[rank][piece] = own | sent
        return sent != 0 and self._agrees(own, sent)

    def _agrees(self, own: int, sent: int) -> bool:
        """Return whether sums are disjoint and add, or what comes has all of the other and replaces it."""
        return not own & sent or own | sent == sent or self._call.operation == "barrier"

    def _carried(self, message: Message) -> Iterator[int]:
        if self._call.operation == "barrier":
            yield 0
        for begin, end in message.parts:
            yield from range(bisect_left(self._cuts, begin), bisect_left(self._cuts, end))

    def _first(self, rank: int, piece: int) -> int:
        """Return whose contribution `rank` has to begin with."""
        call = self._call
        if call.operation in ("bcast", "scatter"):
            return 1 << rank if rank == call.root else 0
        if call.operation in _COPIED:
            return 1 << rank if self._owner(piece) == rank else 0
        return 1 << rank

    def _owner(self, piece: int) -> int:
        """Return whose block a piece is; of an all-to-all, the sender."""
        number = self._block(piece)
        return number // self._call.ranks if self._call.operation in _EXCHANGES else number

    def _block(self, piece: int) -> int:
        """Return the number of the block in which a piece lies."""
        return bisect_right(self._call.offsets, self._cuts[piece]) - 1

    def _is_right(self, rank: int, piece: int) -> bool:
        call, mask = self._call, self._has[rank][piece]
        everyone = (1 << call.ranks) - 1
        match call.operation:
            case "bcast":
                return mask == 1 << call.root
            case "scatter":
                return self._owner(piece) != rank or mask == 1 << call.root
            case "gather":
                return rank != call.root or mask == 1 << self._owner(piece)
            case "allgather" | "allgatherv":
                return mask == 1 << self._owner(piece)
            case "alltoall" | "alltoallv":
                mine = self._block(piece) % call.ranks == rank
                return not mine or mask == 1 << self._owner(piece)
            case "reduce":
                return rank != call.root or mask == everyone
            case "reduce_scatter" | "reduce_scatter_block":
                return self._owner(piece) != rank or mask == everyone
            case "scan" | "exscan":
                return self._below[rank][piece] == (1 << rank) - 1
            case _:
                return mask == everyone


def check_collective(
    operation: str,
    rule: str | Callable[[Call], Iterable[Iterable[Message]]],
    ranks: Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16),
    bytes: Sequence[int] = (37, 48),
    **options: Any,
) -> list[Schedule]:
    """Check that each rank ends up with the data it needs, and that each sender has the data it sends.

    The rule is a function that takes a `Call` and yields rounds of messages. The check follows the data
    symbolically, round by round. A rank can forward a sum, but cannot add a contribution twice.

    Parameters
    ----------
    operation : str
        Key of `netplace.apps.collectives.OPERATIONS`.
    ranks, bytes : sequence of int
        Numbers of ranks, and sizes, to try. The roots are the first rank, the last rank and one between them.
        The check skips cases in which the rule rounds numbers of bytes.
    **options
        Other attributes of the `Call`, such as ``segment``.

    Returns
    -------
    list of Schedule
        The schedules that the check tried, with their rounds, messages and bytes.
    """
    check_choice(operation, OPERATIONS, "collective operation")
    what = f"algorithm {name_of(rule)} of {operation}"
    checked = algorithm(operation, rule)[1] if isinstance(rule, str) else Algorithm(rule, "")
    tried = []
    for count, size in product(ranks, bytes):
        for root in sorted({0, count // 2, count - 1}) if operation in ROOTED else [0]:
            if checked.needs(count):
                continue
            call = Call(operation, count, size, root, **options)
            if not checked.exact(call):
                continue
            subject = f"{what}, {count} ranks, root {root}, {size} bytes"
            try:
                rounds = [list(messages) for messages in checked.rounds(call)]
            except ValueError:
                continue
            _follow(call, rounds, subject)
            tried.append(Schedule.of(call, name_of(rule), rounds))
    demand(bool(tried), f"{what}: refuses all of {list(ranks)} ranks")
    return tried


def _follow(call: Call, rounds: list[list[Message]], subject: str) -> None:
    """Move the data of all rounds, and require that they end at the right ranks."""
    data = _Data(call, rounds)
    for number, messages in enumerate(rounds):
        for message in messages:
            here = f"{subject}, round {number}, rank {message.source} to {message.destination}"
            carried = sum(end - begin for begin, end in message.parts)
            demand(message.bytes == carried, f"{here}: {message.bytes} bytes, but parts of {carried}")
            demand(data.has(message), f"{here}: sends data that its sender does not have")
        for message, alright in data.move(messages):
            here = f"{subject}, round {number}, rank {message.source} to {message.destination}"
            demand(alright, f"{here}: adds a value that is already in the sum")
    for rank in range(call.ranks):
        demand(data.ends_well(rank), f"{subject}: rank {rank} ends with wrong data")
