"""The request for a collective operation, and the messages that algorithms return.

The data of an operation are one vector of bytes. A message carries *parts* of it, half-open intervals
``(begin, end)``, so that what it takes and what it brings are one statement. The vector is, by operation:

================================  =============================================================
bcast, reduce, allreduce, scan..  the vector of ``bytes``
reduce_scatter, allgatherv        the vector of ``bytes``; block i is ``bytes // ranks``, one more
                                  for ``i < bytes % ranks``
reduce_scatter_block              ``bytes // ranks`` for each rank
allgather, gather, scatter        ``ranks`` blocks of ``bytes``
alltoall, alltoallv               ``ranks * ranks`` blocks of ``bytes``, that from i to j at ``i * ranks + j``
barrier                           nothing
================================  =============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, zip_longest
from typing import Any, NamedTuple

from netplace.apps.operation import MOST_TASKS
from netplace.inputs import check_int

OPERATIONS = {
    "allgather": "the block that each rank contributes",
    "allgatherv": "all blocks; block i has bytes // ranks bytes, and one more for i < bytes % ranks",
    "allreduce": "the vector",
    "alltoall": "the block for each pair",
    "alltoallv": "the block for each pair, if all are equal",
    "barrier": "not used",
    "bcast": "the root's message",
    "exscan": "the vector",
    "gather": "the block of each rank",
    "reduce": "the vector",
    "reduce_scatter": "the vector; block i has bytes // ranks bytes, and one more for i < bytes % ranks",
    "reduce_scatter_block": "the vector; each block has bytes // ranks bytes",
    "scan": "the vector",
    "scatter": "the block of each rank",
}
"""Operations, and the meaning of their ``bytes``."""

ROOTED = ("bcast", "gather", "reduce", "scatter")
REDUCING = ("allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan")

Part = tuple[int, int]


class Message(NamedTuple):
    """A message of a collective."""

    # Ranks, from 0.
    source: int
    destination: int
    bytes: int
    parts: Iterable[Part] = ()  # the intervals of the vector that it carries, together `bytes` long

    @classmethod
    def of(cls, source: int, destination: int, *parts: Part) -> Message:
        """Return the message that carries `parts`."""
        return cls(source, destination, sum(end - begin for begin, end in parts), parts)


Round = Iterable[Message]
"""Messages that can be sent at once, because they are independent; a message to oneself is a copy."""


@dataclass(frozen=True, eq=False)
class Phase:
    """How a rank executes some consecutive rounds.

    By default, it posts all receives of a round, begins all sends, and waits for all of them.
    """

    # ``"in turn"``: blocking receives, one after the other; ``"ahead"``: the next receive is posted before
    # the wait for the one before, which follows the sends of the round; ``"segments"``: as ahead, in a tree.
    receives: str = ""
    blocking: bool = False  # whether the sends of a round are blocking, one after the other
    combines: bool = False  # whether what is received is combined with data of the rank

    def of(self, rounds: Iterable[Round]) -> Rounds:
        """Yield `rounds` so that they belong to this phase."""
        for messages in rounds:
            yield PhaseRound(messages, self)


class PhaseRound(list[Message]):
    """The messages of a round of some phase."""

    def __init__(self, messages: Round, phase: Phase) -> None:
        super().__init__(messages)
        self.phase = phase


def phase_of(messages: Round) -> Phase:
    return messages.phase if isinstance(messages, PhaseRound) else AT_ONCE


AT_ONCE, COMBINING = Phase(), Phase(combines=True)

Rounds = Iterator[Round]

MOST_SEGMENTS = 1 << 20


@dataclass(frozen=True)
class Call:
    """A collective operation to execute."""

    operation: str  # key of `OPERATIONS`, which says what `bytes` are
    ranks: int
    bytes: int
    root: int = 0  # root of operations in `ROOTED`
    segment: int = 0  # bytes of a segment, for algorithms that split vectors; 0 means no segments
    # Chains that leave the root of algorithm ``chain``; radix of k-nomial trees.
    fanout: int = 4
    radix: int = 4
    # Consecutive ranks that share a node or switch, for hierarchical algorithms; 0 means those of `groups`,
    # or groups of about the root of `ranks`.
    group: int = 0
    # Sizes of the blocks of an allgatherv, if they are not about equal; for an alltoallv, of the blocks that
    # rank 0 sends, then rank 1, and so on, if they are not equal.
    sizes: tuple[int, ...] = ()
    # A number for each rank that it shares with the ranks on the same node or switch.
    groups: tuple[int, ...] = ()
    # Bytes of an element of a reduced vector, which is never split; 0 means unknown. Vectors may then be
    # split anywhere, and a table that counts elements takes a multiple of 8 bytes as doubles.
    element: int = 0
    unit: int = 1  # bytes that one unit of `bytes` and `segment` stands for; see `in_elements`

    def __post_init__(self) -> None:
        check_int(self.ranks, "ranks")
        check_int(self.bytes, "bytes", 0)
        check_int(self.segment, "segment", 0)
        check_int(self.fanout, "fanout")
        check_int(self.radix, "radix", 2)
        check_int(self.group, "group", 0)
        check_int(self.root, "root", 0)
        if check_int(self.element, "element", 0) and self.operation in REDUCING and self.bytes % self.element:
            raise ValueError(
                f"element: {self.element} does not divide the {self.bytes} bytes of {self.operation}"
            )
        if self.ranks > MOST_TASKS:
            raise ValueError(f"ranks: {self.ranks} are too many, expected at most {MOST_TASKS}")
        if self.root >= self.ranks:
            raise ValueError(f"root: {self.root} is not a rank, expected 0 to {self.ranks - 1}")
        if self.root and self.operation not in ROOTED:
            raise ValueError(
                f"root: {self.operation} has no root, expected 0; operations with a root are "
                f"{', '.join(ROOTED)}"
            )
        blocks = self.ranks**2 if self.operation == "alltoallv" else self.ranks
        for name, given, expected in (("sizes", self.sizes, blocks), ("groups", self.groups, self.ranks)):
            if len(given) not in (0, expected):
                raise ValueError(f"{name}: {len(given)} values, expected {expected} for {self.ranks} ranks")

    def having(self, options: Mapping[str, Any]) -> Call:
        """Return the call with other attributes."""
        return replace(self, **options)

    def in_elements(self) -> Call:
        """Return the call with lengths in elements, if it reduces vectors of known elements."""
        if self.element < 2 or self.unit != 1 or self.operation not in REDUCING:
            return self
        segment = max(1, self.segment // self.element) if self.segment else 0
        return replace(self, bytes=self.bytes // self.element, segment=segment, element=1, unit=self.element)

    @property
    def elements(self) -> int:
        """How many elements the vector has."""
        return self.bytes // (self.element or (1 if self.bytes % 8 else 8))

    @cached_property
    def offsets(self) -> list[int]:
        """Where each rank's block begins in the vector, and where the last one ends."""
        if self.sizes:
            sizes = list(self.sizes)
        elif self.operation.startswith("alltoall"):
            sizes = [self.bytes] * self.ranks**2
        elif self.operation in ("allgather", "gather", "scatter"):
            sizes = [self.bytes] * self.ranks
        elif self.operation == "reduce_scatter_block":
            sizes = [self.bytes // self.ranks] * self.ranks
        else:
            minimum, more = divmod(self.bytes, self.ranks)
            sizes = [minimum + (i < more) for i in range(self.ranks)]
        return [0, *accumulate(sizes)]

    @property
    def vector(self) -> int:
        """Length of the vector in bytes (of an all-to-all of equal blocks: one rank's row)."""
        return self.bytes * self.ranks if self.operation.startswith("alltoall") else self.offsets[-1]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do, so that libraries return at once: no bytes for anyone."""
        return self.operation not in ("barrier", "alltoallv") and not self.in_elements().vector

    def block(self, source: int, destination: int) -> Part:
        """Return the block of an all-to-all from `source` to `destination`."""
        number = source * self.ranks + destination
        if self.sizes:
            return self.offsets[number], self.offsets[number + 1]
        return number * self.bytes, (number + 1) * self.bytes

    def blocks(self, first: int, count: int = 1) -> tuple[Part, ...]:
        """Return the parts that are `count` blocks from `first` on, round the end if necessary."""
        first %= self.ranks
        end = first + count
        if end <= self.ranks:
            return ((self.offsets[first], self.offsets[end]),)
        return ((self.offsets[first], self.offsets[-1]), (0, self.offsets[end - self.ranks]))

    def rank(self, virtual: int) -> int:
        """Return the rank whose number, counted from the root, is `virtual`."""
        return (virtual + self.root) % self.ranks

    def segments(self, begin: int, end: int) -> list[Part]:
        """Return an interval cut into segments, the last one with the rest; a whole one if there are none."""
        step = self.segment or end - begin
        if step and (end - begin) // step > MOST_SEGMENTS:
            raise ValueError(
                f"segment: {step} bytes split {end - begin} bytes into more than {MOST_SEGMENTS:,} segments, "
                f"expected at least {-(-(end - begin) // MOST_SEGMENTS)}"
            )
        if not step:
            return [(begin, end)]
        return [(at, min(at + step, end)) for at in range(begin, end, step)] or [(begin, end)]


@dataclass(frozen=True)
class OwnBlocks(Call):
    """An alltoallv from the view of one rank: the sizes that it sends and receives."""

    member: int = 0  # the rank
    # Bytes that it sends to each rank, and receives from each.
    row: Sequence[int] = ()
    column: Sequence[int] = ()

    def block(self, source: int, destination: int) -> Part:
        """Return a block as large as the one from `source` to `destination`, one of which is `member`."""
        return 0, self.row[destination] if source == self.member else self.column[source]


Shifted = Iterator[tuple[int, Callable[[int], tuple[Part, ...] | None]]]
"""Rounds in which every p sends to p + distance, as (distance, parts that p sends; None: no message)."""

Shifts = Callable[[Call], Shifted]


def in_rounds(shifts: Shifts, phase: Phase = AT_ONCE) -> Callable[[Call], Rounds]:
    """Return a function that yields the messages of `shifts` round by round."""
    return lambda call: phase.of(_rounds_of(shifts, call))


def at_once(shifts: Shifts) -> Callable[[Call], Rounds]:
    """Return a function that yields the messages of `shifts` in one round."""

    def rounds(call: Call) -> Rounds:
        yield chain.from_iterable(_rounds_of(shifts, call))

    return rounds


def _rounds_of(shifts: Shifts, call: Call) -> Rounds:
    for distance, parts in shifts(call):
        yield [
            Message.of(p, (p + distance) % call.ranks, *sent)
            for p in range(call.ranks)
            if (sent := parts(p)) is not None
        ]


def beside(sides: Iterable[Iterable[Round]]) -> Rounds:
    """Yield rounds of the same number together, in the phase of the first."""
    for rounds in zip_longest(*sides, fillvalue=()):
        yield PhaseRound((message for messages in rounds for message in messages), phase_of(rounds[0]))


def renamed(rounds: Iterable[Round], rank: Callable[[int], int]) -> Rounds:
    """Yield rounds in which ranks have other numbers."""
    for messages in rounds:
        moved = (m._replace(source=rank(m.source), destination=rank(m.destination)) for m in messages)
        yield PhaseRound(moved, phase_of(messages))


def joined(offsets: Sequence[int], blocks: Iterable[int]) -> list[Part]:
    """Return the intervals that are these blocks, those beside each other as one."""
    parts: list[Part] = []
    for block in sorted(blocks):
        begin, end = offsets[block], offsets[block + 1]
        if parts and parts[-1][1] == begin:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((begin, end))
    return parts


def doubling(size: int) -> list[int]:
    """Return 1, 2, 4, .. below `size`."""
    return [1 << k for k in range((size - 1).bit_length())]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm for an operation."""

    rounds: Callable[[Call], Iterable[Round]]  # ``rounds(call)`` yields the messages, round by round
    description: str
    # ``needs(ranks)`` is empty, or says which numbers of ranks the algorithm supports.
    needs: Callable[[int], str] = field(default=lambda ranks: "")
    # Source of `rounds`, if every rank does the same: a rank then computes its own part alone, without the
    # messages of all others.
    shifts: Shifts | None = None
    phase: Phase = AT_ONCE  # of all shifts
    at_once: bool = False  # whether the shifts are one round
    # ``copies(ranks)`` returns how many times its vector a rank copies between its own buffers.
    copies: Callable[[int], float] = lambda ranks: 0.0
    grouped: bool = False  # whether it uses the ranks that share a node or switch

    @classmethod
    def shifting(
        cls,
        shifts: Shifts,
        description: str,
        needs: Callable[[int], str] | None = None,
        together: bool = False,
        phase: Phase = AT_ONCE,
    ) -> Algorithm:
        """Return the algorithm of some `shifts`, one after the other or all `together`."""
        rounds = at_once(shifts) if together else in_rounds(shifts, phase)
        return cls(rounds, description, needs or (lambda ranks: ""), shifts, phase, together)
