"""The choice of an algorithm for each operation: a table, and users' algorithms in addition."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives.call import (
    OPERATIONS,
    REDUCING,
    Algorithm,
    Call,
    OwnBlocks,
    Phase,
    Round,
    phase_of,
)
from netplace.apps.collectives.catalog import algorithm
from netplace.apps.collectives.decisions import Table, decision_table
from netplace.apps.task import TaskWriter
from netplace.inputs import check_choice, check_float, check_int

MOST_RANKS = 1 << 18  # of a list of messages, which take 200 bytes each
MOST_MESSAGES = 1 << 22  # of one collective; 32 bytes each, and a second or so for a million


def exchange(
    writer: TaskWriter,
    requests: list[int],
    sends: Sequence[tuple[int, int]],
    tag: int,
    blocking: bool = False,
) -> None:
    """Send to each destination its number of bytes, and wait for `requests` and the sends.

    Several messages are sent at once or, if `blocking`, one after the other.
    """
    if blocking or len(sends) == 1:
        for destination, size in sends:
            writer.send(destination, size, tag)
    else:
        requests = requests + [writer.isend(destination, size, tag) for destination, size in sends]
    writer.waitall(requests)


@dataclass(frozen=True)
class Host:
    """What a processor needs for data besides messages, in cycles per byte."""

    combine: float = 0.0  # to combine received data with its own
    copy: float = 0.0  # to copy data between its own buffers
    memory: float = 0.0  # in addition for data of more than `cache` bytes
    cache: float = 0.0

    def work(self, writer: TaskWriter, rate: float, bytes: int, times: float = 1.0) -> None:
        """Append the computation on so many bytes at this rate, some times."""
        if rate and bytes and times:
            writer.compute(round(times * bytes * (rate + (self.memory if bytes > self.cache else 0.0))))


_NO_HOST = Host()


@dataclass(frozen=True, eq=False)
class Schedule:
    """The messages of one collective, in order."""

    call: Call
    algorithm: str  # name of the algorithm
    # shape (messages,): Number of the round, from 0, ranks and size of each message.
    round: NDArray[np.int64]
    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    bytes: NDArray[np.int64]
    phases: tuple[Phase, ...] = ()  # of each round

    @classmethod
    def of(cls, call: Call, algorithm: str, rounds: Iterable[Round], unit: int = 1) -> Schedule:
        """Record the messages of `rounds`, without empty messages and messages of a task to itself.

        Lengths are in units of `unit` bytes.
        """
        columns = array("q"), array("q"), array("q"), array("q")
        phases: list[Phase] = []
        for messages in rounds:
            before = len(columns[0])
            for source, destination, size, _ in messages:
                if not (0 <= source < call.ranks and 0 <= destination < call.ranks and size >= 0):
                    raise ValueError(
                        f"algorithm {algorithm!r} of {call.operation}: sends {size} bytes from rank {source} "
                        f"to rank {destination}, expected ranks from 0 to {call.ranks - 1} and at least 0 "
                        f"bytes"
                    )
                if source != destination:
                    if len(columns[0]) >= MOST_MESSAGES:
                        raise ValueError(
                            f"algorithm {algorithm!r} of {call.operation}: sends more than {MOST_MESSAGES:,} "
                            f"messages among {call.ranks} ranks, expected fewer: use fewer ranks or longer "
                            f"segments"
                        )
                    values = len(phases), source, destination, size * unit
                    for column, value in zip(columns, values, strict=True):
                        column.append(value)
            if len(columns[0]) > before:
                phases.append(phase_of(messages))
        rounds_of, sources, destinations, sizes = (np.array(column, np.int64) for column in columns)
        return cls(call, algorithm, rounds_of, sources, destinations, sizes, tuple(phases))

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return int(self.round[-1]) + 1 if len(self.round) else 0

    def pairs(self) -> list[tuple[int, int, int, int]]:
        """Return (source, destination, messages, bytes) of each pair that communicates, in order."""
        pair, place = np.unique(self.source * self.call.ranks + self.destination, return_inverse=True)
        messages = np.bincount(place, minlength=len(pair))
        volume = np.zeros(len(pair), np.int64)
        np.add.at(volume, place, self.bytes)
        source, destination = np.divmod(pair, self.call.ranks)
        return list(
            zip(source.tolist(), destination.tolist(), messages.tolist(), volume.tolist(), strict=True)
        )

    def write(
        self, writer: TaskWriter, members: Sequence[int], rank: int, tag: int = 0, host: Host = _NO_HOST
    ) -> None:
        """Append to `writer` the operations of member number `rank` of `members`.

        `Phase` says in which order.
        """
        for phase, steps in groupby(self._of_rank(rank), key=lambda step: self.phases[step[0]]):
            rounds = []
            for _, own in groupby(steps, key=lambda step: step[0]):
                sends: list[tuple[int, int]] = []
                receives: list[tuple[int, int]] = []
                for _, sent, peer, size in own:
                    (sends if sent else receives).append((members[peer], size))
                rounds.append((sends, receives))
            _WAYS[phase.receives](_Place(writer, phase, tag, host), rounds)

    @cached_property
    def _by_rank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the messages of every rank, as both source and destination, and where each rank's begin."""
        either = np.concatenate([self.source, self.destination])
        message = np.tile(np.arange(len(self.source)), 2)
        order = np.lexsort((message, either))
        first = np.searchsorted(either[order], np.arange(self.call.ranks + 1))
        return message[order], first

    def _of_rank(self, rank: int) -> list[tuple[int, bool, int, int]]:
        """Return (round, whether sent, other rank, bytes) of each message of `rank`, in order."""
        message, first = self._by_rank
        own = message[first[rank] : first[rank + 1]]
        sent = self.source[own] == rank
        peer = np.where(sent, self.destination[own], self.source[own])
        return list(
            zip(self.round[own].tolist(), sent.tolist(), peer.tolist(), self.bytes[own].tolist(), strict=True)
        )


_Rounds = list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]  # sends and receives: rank, bytes


@dataclass(frozen=True)
class _Place:
    """Where the operations of a phase are written."""

    writer: TaskWriter
    phase: Phase
    tag: int
    host: Host

    def send(self, sends: Sequence[tuple[int, int]], requests: Iterable[int] = ()) -> None:
        exchange(self.writer, list(requests), sends, self.tag, self.phase.blocking)

    def post(self, receives: Iterable[tuple[int, int]]) -> list[int]:
        return [self.writer.irecv(source, size, self.tag) for source, size in receives]

    def combine(self, receives: Iterable[tuple[int, int]]) -> None:
        for _, size in receives if self.phase.combines else ():
            self.host.work(self.writer, self.host.combine, size)


def _write_together(place: _Place, rounds: _Rounds) -> None:
    for sends, receives in rounds:
        if len(receives) == 1 and not sends:
            place.writer.recv(*receives[0], place.tag)
        else:
            place.send(sends, place.post(receives))
        place.combine(receives)


def _write_in_turn(place: _Place, rounds: _Rounds) -> None:
    for sends, receives in rounds:
        place.send(sends)
        for receive in receives:
            place.writer.recv(*receive, place.tag)
            place.combine([receive])


def _write_ahead(place: _Place, rounds: _Rounds) -> None:
    coming = iter([receive for _, receives in rounds for receive in receives])
    posted = place.post(islice(coming, 1))
    for sends, receives in rounds:
        place.send(sends)
        for receive in receives:
            posted += place.post(islice(coming, 1))
            place.writer.wait(posted.pop(0))
            place.combine([receive])


def _write_segments(place: _Place, rounds: _Rounds) -> None:
    """Write that each segment is sent on when it has come from all."""
    steps: _Rounds = []
    for direction in (0, 1):
        number: dict[int, int] = {}
        for message in (message for step in rounds for message in step[direction]):
            segment = number[message[0]] = number.get(message[0], -1) + 1
            # A segment is sent in the step after the one in which it comes.
            steps += [([], []) for _ in range(segment + 2 - len(steps))]
            steps[segment + (direction == 0)][direction].append(message)
    _write_ahead(place, steps)


_WAYS = {
    "": _write_together, "in turn": _write_in_turn, "ahead": _write_ahead, "segments": _write_segments,
}  # fmt: skip
"""How the receives of a phase are written."""


@dataclass(frozen=True, eq=False)
class Collectives:
    """The choice of algorithms."""

    table: Table  # table for operations that `named` does not have
    named: Mapping[str, str] = field(default_factory=dict)  # algorithm by operation
    # A number for each task that it shares with the tasks on the same node or switch, for hierarchical
    # algorithms; empty means unknown.
    groups: tuple[int, ...] = ()
    element: int = 0  # bytes of an element of reduced vectors, as in `Call`
    host: Host = _NO_HOST

    @property
    def is_default(self) -> bool:
        """Whether it is the built-in choice, whatever the host."""
        return self.table.name == "builtin" and not (self.named or self.groups or self.element)

    @cached_property
    def is_hierarchical(self) -> bool:
        """Whether some algorithm that it may choose goes by groups, which were not given."""
        rows = [(operation, row) for operation, rows in self.table.all_rows().items() for row in rows]
        names = [
            (of, row.algorithm) for of, row in rows if of not in self.named and "group" not in row.options
        ]
        return not self.groups and any(
            algorithm(operation, name)[1].grouped for operation, name in (*self.named.items(), *names)
        )

    def schedule(self, call: Call) -> Schedule:
        """Return all messages of a call."""
        name, chosen, call = self._chosen(call)
        return _schedule(chosen, name, call)

    def write(self, writer: TaskWriter, members: Sequence[int], rank: int, call: Call, tag: int) -> None:
        """Append to `writer` the operations of member number `rank` of `members`."""
        name, chosen, call = self._chosen(call)
        if call.is_empty:
            return
        if chosen.grouped and self.groups:
            if len(self.groups) != writer.tasks:
                raise ValueError(
                    f"groups: {len(self.groups)} values, expected one for each of {writer.tasks} tasks"
                )
            call = call.having({"groups": tuple(self.groups[member] for member in members)})
        if chosen.shifts is not None:
            rounds = _shifted(chosen, call.in_elements(), members, rank)
            _WAYS[chosen.phase.receives](_Place(writer, chosen.phase, tag, self.host), rounds)
        elif isinstance(call, OwnBlocks):
            raise ValueError(
                f"algorithm {name!r} of {call.operation}: needs the sizes of all blocks, but programs know "
                f"only their own; expected basic_linear, pairwise or scattered"
            )
        else:
            _schedule(chosen, name, call).write(writer, members, rank, tag, self.host)
        self.host.work(writer, self.host.copy, call.vector, chosen.copies(call.ranks))

    def _chosen(self, call: Call) -> tuple[str, Algorithm, Call]:
        """Return name and algorithm for a call, and the call with the table's options."""
        if self.element and call.operation in REDUCING and not call.element:
            call = call.having({"element": self.element})
        name = self.named.get(call.operation)
        if name is not None:
            return *algorithm(call.operation, name, call.ranks), call
        row = self.table.choose(call)
        label = f"collectives {self.table.name!r}: algorithm of {call.operation}"
        return *algorithm(call.operation, row.algorithm, call.ranks, label), call.having(row.options)


def selection(text: str, label: str = "--collectives") -> Collectives:
    """Return the choice that `text` describes: a table and algorithms.

    For example ``"openmpi+allreduce=ring+bcast=binomial"``; ``element=8`` means that reduced vectors consist
    of 8-byte elements, and ``host=0.1:0.05:0.02:65536`` gives the attributes of `Host`.
    """
    table, *words = text.split("+")
    named: dict[str, str] = {}
    groups: tuple[int, ...] = ()
    element, host = 0, _NO_HOST
    for word in words:
        operation, equals, name = word.partition("=")
        if not equals:
            raise ValueError(f"{label}: {word!r} is not of the form operation=algorithm")
        if operation == "groups":
            groups = tuple(check_int(number, f"{label}: groups", 0) for number in name.split("."))
        elif operation == "element":
            element = check_int(name, f"{label}: element")
        elif operation == "host":
            host = Host(*(check_float(rate, f"{label}: host", 0.0) for rate in name.split(":")))
        else:
            check_choice(operation, OPERATIONS, f"{label}: collective operation")
            named[operation], _ = algorithm(operation, name, label=f"{label}: algorithm of {operation}")
    return Collectives(decision_table(table, label), named, groups, element, host)


def in_groups(text: str, groups: Sequence[int]) -> str:
    """Return the text of the same selection for tasks that share nodes or switches.

    `groups` has a number for each task that it shares with the tasks on the same node or switch. The text
    stays the same if no algorithm in it uses groups, or if it contains groups already.
    """
    if not groups or not selection(text).is_hierarchical:
        return text
    number = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    return f"{text}+groups={'.'.join(str(number[group]) for group in groups)}"


def schedule(
    operation: str,
    ranks: int,
    bytes: int,
    root: int = 0,
    *,
    collectives: str = "builtin",
    algorithm: str | None = None,
    **options: Any,
) -> Schedule:
    """Return the messages of a collective operation.

    Parameters
    ----------
    operation, bytes : str, int
        Key of `OPERATIONS`, and the bytes that it describes.
    ranks : int
        At most 262,144, because each round is a list of messages.
    root : int
        Rank, for operations that have a root.
    collectives : str
        Table that chooses the algorithm, as in `selection`.
    algorithm : str, optional
        The algorithm itself.
    **options
        Other attributes of the `Call`.

    Examples
    --------
    >>> messages = schedule("bcast", ranks=4, bytes=100, algorithm="binomial")
    >>> messages.rounds, messages.pairs()
    (2, [(0, 1, 1, 100), (0, 2, 1, 100), (1, 3, 1, 100)])
    """
    check_choice(operation, OPERATIONS, "collective operation")
    chosen = Collectives(decision_table(collectives), {} if algorithm is None else {operation: algorithm})
    check_int(ranks, "ranks", maximum=MOST_RANKS)
    if options.get("element") and operation not in REDUCING:
        known = ", ".join(REDUCING)
        raise ValueError(f"element: {operation} does not reduce; reductions are {known}")
    return chosen.schedule(Call(operation, ranks, bytes, root, **options))


@lru_cache(maxsize=64)
def _schedule(chosen: Algorithm, name: str, call: Call) -> Schedule:
    counted = call.in_elements()
    return Schedule.of(call, name, () if call.is_empty else chosen.rounds(counted), unit=counted.unit)


def _shifted(chosen: Algorithm, call: Call, members: Sequence[int], rank: int) -> _Rounds:
    """Return what a rank sends and receives in rounds in which all do the same, or in all of them at once."""
    ranks = len(members)
    assert chosen.shifts is not None
    rounds: _Rounds = []
    for distance, parts in chosen.shifts(call):
        source, destination = (rank - distance) % ranks, (rank + distance) % ranks
        coming, going = parts(source), parts(rank)
        receives = [] if coming is None else [(members[source], _length(coming) * call.unit)]
        sends = [] if going is None else [(members[destination], _length(going) * call.unit)]
        if chosen.at_once and rounds:
            rounds[0][0].extend(sends)
            rounds[0][1].extend(receives)
        else:
            rounds.append((sends, receives))
    return rounds


def _length(parts: Sequence[tuple[int, int]]) -> int:
    if len(parts) == 1:  # the usual case, a million times
        ((begin, end),) = parts
        return end - begin
    return sum(end - begin for begin, end in parts)


BUILTIN = Collectives(decision_table("builtin"))
