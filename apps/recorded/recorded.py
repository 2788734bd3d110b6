"""A whole trace in memory: its calls, matched and in order.

Each collective is assembled from the calls of its members. Only `write_collective` determines how a
collective becomes messages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import collectives
from netplace.apps.collectives import Collectives
from netplace.apps.operation import Op
from netplace.apps.program import Program
from netplace.apps.recorded.calls import LISTED, OPERATIONS, ROOTED, Batch, Call
from netplace.apps.recorded.program import joined
from netplace.apps.recorded.trace import Trace
from netplace.apps.task import TaskWriter

COLLECTIVE_TAG = 1 << 31  # above every tag of a message
_Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Collective:
    operation: str  # one of `OPERATIONS`
    members: tuple[int, ...]  # world ranks of the communicator
    root: int  # world rank of the root, -1 if it has none
    sizes: tuple[int, ...]  # bytes that each member's call names
    lists: tuple[tuple[int, ...] | None, ...]  # bytes for each partner, where a member's call lists them

    @property
    def bytes(self) -> int:
        """Bytes of an operation in which all members name the same."""
        return max(self.sizes)


def write_collective(writer: TaskWriter, label: Collective, tag: int) -> None:
    """Append to `writer` what its task does in a collective, all messages with one tag."""
    if len(label.members) <= 1:
        return
    if label.operation in _OWN:
        _OWN[label.operation](writer, label, tag)
        return
    root = (label.root,) if label.operation in collectives.ROOTED else ()
    collectives.COLLECTIVES[label.operation](writer, label.members, *root, label.bytes, tag)


def collective_blocks(
    calls: NDArray[Any],
    sizes: Sequence[Any],
    communicators: Mapping[int, tuple[int, ...]],
    ranks: int,
    chosen: Collectives | None = None,
) -> dict[int, _Columns]:
    """Return the operations that replace each row of a collective or of the wait for one.

    A non-blocking collective begins all of its messages at the call and completes them at the wait, so its
    rounds do not wait for each other.
    """
    rows = np.flatnonzero(calls["kind"] == Call.COLLECTIVE).tolist()
    if not rows:
        return {}
    of: dict[int, list[list[int]]] = {}
    places: dict[int, dict[int, int]] = {}
    rank, communicator = calls["rank"].tolist(), calls["communicator"].tolist()
    for row in rows:
        number = communicator[row]
        if number not in of:
            places[number] = {member: place for place, member in enumerate(communicators[number])}
            of[number] = [[] for _ in communicators[number]]
        if rank[row] not in places[number]:
            raise ValueError(f"rank {rank[row]} is not a member of the communicator of its collective")
        of[number][places[number][rank[row]]].append(row)
    writing = _Writing(calls, sizes, ranks, chosen)
    for number, by_member in of.items():
        writing.communicator(communicators[number], number, by_member)
    return writing.blocks


class _Writing:
    """Blocks of operations, as they are made."""

    def __init__(
        self, calls: NDArray[Any], sizes: Sequence[Any], ranks: int, chosen: Collectives | None
    ) -> None:
        self._chosen = chosen
        self.blocks: dict[int, _Columns] = {}
        self._calls, self._sizes, self._ranks = calls, sizes, ranks
        self._tag, self._root = calls["tag"].tolist(), calls["peer"].tolist()
        self._size, self._list = calls["size"].tolist(), calls["sizes"].tolist()
        self._request = calls["request"].tolist()
        # Above every request of the trace.
        self._next: dict[int, int] = defaultdict(lambda: int(calls["request"].max(initial=0)) + 1)
        self._known: dict[Any, dict[int, _Columns]] = {}
        waits = np.flatnonzero(calls["kind"] == Call.WAIT)
        keys = zip(calls["rank"][waits].tolist(), calls["request"][waits].tolist(), strict=True)
        opens = (calls["request"][calls["kind"] == Call.COLLECTIVE] != -1).any()
        self._waits = dict(zip(keys, waits.tolist(), strict=True)) if opens else {}

    def communicator(self, members: tuple[int, ...], number: int, by_member: list[list[int]]) -> None:
        maximum = max(map(len, by_member))
        for place, rows in enumerate(by_member):
            if len(rows) < maximum:
                full = next(other for other in by_member if len(other) == maximum)
                name = OPERATIONS[self._tag[full[len(rows)]]]
                raise ValueError(
                    f"rank {members[place]} does not call {name}, number {len(rows)} of the collectives of "
                    f"its communicator of {len(members)} ranks"
                )
        for place in range(maximum):
            self._instance(members, number, place, tuple(rows[place] for rows in by_member))

    def _instance(self, members: tuple[int, ...], number: int, place: int, rows: tuple[int, ...]) -> None:
        operation = self._tag[rows[0]]
        for member, row in zip(members, rows, strict=True):
            if self._tag[row] != operation:
                raise ValueError(
                    f"rank {member} calls {OPERATIONS[self._tag[row]]} as number {place} of the collectives "
                    f"of its communicator, where rank {members[0]} calls {OPERATIONS[operation]}"
                )
        name = OPERATIONS[operation]
        root = self._root_of(name, members, rows)
        lists = tuple(tuple(self._sizes[self._list[row]]) if self._list[row] >= 0 else None for row in rows)
        label = Collective(name, members, root, tuple(self._size[row] for row in rows), lists)
        key = (name, number, root, label.sizes, lists)
        known = self._known.setdefault(key, {})
        tag = COLLECTIVE_TAG + operation + (number << 32)
        for member, row in zip(members, rows, strict=True):
            if member not in known:
                writer = TaskWriter(member, self._ranks, self._chosen)
                write_collective(writer, label, tag)
                known[member] = writer.columns()
            self._put(row, member, known[member])

    def _root_of(self, name: str, members: tuple[int, ...], rows: tuple[int, ...]) -> int:
        if name not in ROOTED:
            return -1
        roots = {self._root[row] for row in rows if self._root[row] >= 0} or {members[0]}
        if len(roots) > 1 or not roots <= set(members):
            raise ValueError(
                f"{name} among {len(members)} ranks: members disagree on the root, {sorted(roots)}"
            )
        return int(roots.pop())

    def _put(self, row: int, member: int, block: _Columns) -> None:
        opened = int(block["request"].max(initial=-1)) + 1
        first = self._next[member]
        request = block["request"].astype(np.int64)
        request[request >= 0] += first
        wait = None if self._request[row] == -1 else self._waits.get((member, self._request[row]))
        if wait is None:
            self._next[member] += opened
            self.blocks[row] = block | {"request": request}
            return
        messages = np.isin(block["kind"], (Op.SEND, Op.ISEND, Op.RECV, Op.IRECV))
        begun = {name: column[messages].copy() for name, column in block.items()}
        sends = np.isin(begun["kind"], (Op.SEND, Op.ISEND))
        begun["kind"] = np.where(sends, int(Op.ISEND), int(Op.IRECV)).astype(np.int8)
        count = len(sends)
        begun["request"] = np.arange(first, first + count, dtype=np.int64)
        self._next[member] += count
        self.blocks[row] = begun
        nothing = np.zeros(count, np.int64)
        self.blocks[wait] = {
            "kind": np.full(count, int(Op.WAIT), np.int8),
            "peer": nothing - 1,
            "size": nothing,
            "tag": nothing,
            "request": begun["request"],
        }


def _straight(writer: TaskWriter, label: Collective, tag: int, sizes: Sequence[int], up: bool) -> None:
    """Send from the root to each member, or `up` from each to the root, ``sizes[i]`` bytes of member i."""
    for member, size in zip(label.members, sizes, strict=True):
        if member == label.root:
            continue
        if writer.task == label.root:
            (writer.recv if up else writer.send)(member, size, tag)
        elif writer.task == member:
            (writer.send if up else writer.recv)(label.root, size, tag)


def _v_sizes(label: Collective) -> Sequence[int]:
    """Return the bytes of each member in a gatherv or scatterv: the root's list, or each member's own."""
    listed = label.lists[label.members.index(label.root)]
    return listed if listed is not None and len(listed) == len(label.members) else label.sizes


def _alltoallv(writer: TaskWriter, label: Collective, tag: int) -> None:
    p, own = len(label.members), label.members.index(writer.task)
    rows = [
        given if given is not None and len(given) == p else (size // p,) * p
        for given, size in zip(label.lists, label.sizes, strict=True)
    ]
    collectives.alltoallv(writer, label.members, rows[own], [row[own] for row in rows], tag)


def _has_choice(writer: TaskWriter) -> bool:
    """Return whether the user chose algorithms."""
    return writer.collectives is not None and not writer.collectives.is_default


def _reduce_scatter(writer: TaskWriter, label: Collective, tag: int) -> None:
    root, p = label.members[0], len(label.members)
    listed = next((given for given in label.lists if given is not None and len(given) == p), None)
    total = sum(listed) if listed is not None else label.bytes
    if _has_choice(writer):
        collectives.reduce_scatter(writer, label.members, total, tag)
        return
    collectives.reduce(writer, label.members, root, total, tag)
    parts = Collective("scatterv", label.members, root, tuple(listed or (total // p,) * p), (None,) * p)
    _straight(writer, parts, tag, parts.sizes, up=False)


def _reduce_scatter_block(writer: TaskWriter, label: Collective, tag: int) -> None:
    if _has_choice(writer):
        collectives.reduce_scatter_block(writer, label.members, label.bytes * len(label.members), tag)
        return
    collectives.reduce(writer, label.members, label.members[0], label.bytes * len(label.members), tag)
    collectives.scatter(writer, label.members, label.members[0], label.bytes, tag)


# Operations that take more than a root and the bytes of a call.
_OWN: dict[str, Callable[[TaskWriter, Collective, int], None]] = {
    "barrier": lambda writer, label, tag: collectives.barrier(writer, label.members, tag),
    "gatherv": lambda writer, label, tag: _straight(writer, label, tag, _v_sizes(label), up=True),
    "scatterv": lambda writer, label, tag: _straight(writer, label, tag, _v_sizes(label), up=False),
    "allgatherv": lambda writer, label, tag: collectives.allgatherv(writer, label.members, label.sizes, tag),
    "alltoallv": _alltoallv,
    "alltoallw": _alltoallv,
    "reduce_scatter": _reduce_scatter,
    "reduce_scatter_block": _reduce_scatter_block,
}


_TAG = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Recorded:
    """The calls of a trace."""

    ranks: int
    # Those of rank 0 first, each rank's in order; receives have the source, tag and bytes of their sends.
    calls: NDArray[Any]
    sizes: Sequence[Sequence[int]]  # lists that the calls name
    communicators: dict[int, tuple[int, ...]]  # world ranks of the members
    sections: Sequence[str] = ()  # names of the sections that marks begin and end
    lost: int = 0  # messages and collectives that a cut omitted because not all of their ranks are in it
    # As in `Trace`.
    left_out: Counter[str] = field(default_factory=Counter)
    by_length: bool = False

    def program(self, cycles_per_us: float = 0.0, collectives: Collectives | None = None) -> Program:
        """Return the program, collectives written out as messages."""
        blocks = collective_blocks(self.calls, self.sizes, self.communicators, self.ranks, collectives)
        program = joined(self.calls, blocks, self.ranks, cycles_per_us, self.sections)
        return replace(program, interleaved=not self.by_length)

    def trace(self) -> Trace:
        """Return the calls as a trace."""
        calls = [Batch(self.calls, self.sizes)]
        trace = Trace(self.ranks, iter(calls), self.communicators, Counter(self.left_out))
        trace.sections, trace.by_length = self.sections, self.by_length
        return trace

    def with_messages(self, names: Collection[str], world: bool = False) -> Recorded:
        """Return the calls with collectives as messages, except blocking ones of `names`.

        With `world`, only those of all ranks, in order, stay.
        """
        kept = [OPERATIONS.index(name) for name in names]
        calls = self.calls
        stay = (calls["kind"] == Call.COLLECTIVE) & np.isin(calls["tag"], kept) & (calls["request"] == -1)
        listed = np.isin(calls["tag"], [OPERATIONS.index(name) for name in LISTED])
        stay &= ~listed | (calls["sizes"] >= 0)
        if world:
            whole = [own for own, members in self.communicators.items() if members == self.communicators[0]]
            stay &= np.isin(calls["communicator"], whole)
        blocks = collective_blocks(calls, self.sizes, self.communicators, self.ranks)
        blocks = {row: block for row, block in sorted(blocks.items()) if not stay[row]}
        if not blocks:
            return self
        parts, done = [], 0
        for row, block in blocks.items():
            head = calls[done : row + 1].copy()
            head[-1:]["kind"], head[-1:]["size"], head[-1:]["sizes"] = Call.COMPUTE, 0, -1
            rows = np.repeat(head[-1:], len(block["kind"]))
            rows["gap"] = 0.0
            for name in ("kind", "peer", "size", "request"):
                rows[name] = block[name]
            rows["tag"], rows["communicator"] = block["tag"] & _TAG, block["tag"] >> 32
            parts += [head, rows]
            done = row + 1
        return replace(self, calls=np.concatenate([*parts, calls[done:]]))

    def of_ranks(self, ranks: Sequence[int]) -> Recorded:
        """Return calls that are all of some ranks, which are renumbered in the given order."""
        number = np.full(self.ranks, -1, np.int64)
        number[list(ranks)] = np.arange(len(ranks))
        calls = self.calls.copy()
        calls["rank"] = number[calls["rank"]]
        peers = np.isin(calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV, Call.COLLECTIVE))
        peers &= calls["peer"] >= 0
        calls["peer"][peers] = number[calls["peer"][peers]]
        sizes = _chosen_sizes(self, calls, set(ranks))
        communicators = {
            key: tuple(int(number[member]) for member in members if number[member] >= 0)
            for key, members in self.communicators.items()
        }
        communicators[0] = tuple(range(len(ranks)))
        order = np.argsort(calls["rank"], kind="stable")
        return replace(self, ranks=len(ranks), calls=calls[order], sizes=sizes, communicators=communicators)


def _chosen_sizes(whole: Recorded, calls: NDArray[Any], ranks: set[int]) -> list[Sequence[int]]:
    """Return the lists of sizes with those of the kept members only."""
    sizes: list[Sequence[int]] = [*whole.sizes]
    for row in np.flatnonzero(calls["sizes"] >= 0).tolist():
        members = whole.communicators[int(calls["communicator"][row])]
        listed = whole.sizes[int(calls["sizes"][row])]
        if len(listed) == len(members):
            sizes[int(calls["sizes"][row])] = [
                size for size, member in zip(listed, members, strict=True) if member in ranks
            ]
    return sizes
