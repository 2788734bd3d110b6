"""Collective operations as the point-to-point messages of one member.

Every function appends to `writer` what its own task does, and every member must call it with the same
arguments. `members` are the world ranks of the communicator, in order; index i below is a place in that list.
An exchange with a partner is irecv, send, wait, as in ``MPI_Sendrecv``, so that it cannot deadlock even where
a send waits for its receive. The algorithms are those of Thakur, Rabenseifner and Gropp, "Optimization of
collective communication operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005,
section 4, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from netplace.apps.task import TaskWriter
from netplace.checks import one_of

__all__ = [
    "ALLTOALL_ORDERS",
    "COLLECTIVES",
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "scatter",
]

LONG_VECTOR = 2048  # bytes above which an allreduce halves the vector instead of sending it whole

ALLTOALL_ORDERS = {
    "rotated": "for k = 1 .. p-1: exchange, send to i+k and receive from i-k",
    "sends-first": "send to i+1 .. i+p-1, then receive from i-1 .. i-p+1",
    "identifier": "for k = 0 .. p-1 without oneself: exchange with k",
}


def bcast(writer: TaskWriter, members: Sequence[int], root: int, bytes: int, tag: int = 0) -> None:
    """Send `bytes` from world rank `root` to all members along a binomial tree, the largest subtree first."""
    parent, children = _tree(writer, members, root)
    if parent is not None:
        writer.recv(parent, bytes, tag)
    for child, _ in reversed(children):
        writer.send(child, bytes, tag)


def reduce(writer: TaskWriter, members: Sequence[int], root: int, bytes: int, tag: int = 0) -> None:
    """Combine vectors of `bytes` of all members at world rank `root`: the tree of `bcast`, upwards."""
    parent, children = _tree(writer, members, root)
    for child, _ in children:
        writer.recv(child, bytes, tag)
    if parent is not None:
        writer.send(parent, bytes, tag)


def scatter(writer: TaskWriter, members: Sequence[int], root: int, bytes: int, tag: int = 0) -> None:
    """Send `bytes` of its own to each member: the tree of `bcast`, with all that a subtree needs."""
    parent, children = _tree(writer, members, root)
    if parent is not None:
        writer.recv(parent, bytes * (1 + sum(size for _, size in children)), tag)
    for child, size in reversed(children):
        writer.send(child, bytes * size, tag)


def gather(writer: TaskWriter, members: Sequence[int], root: int, bytes: int, tag: int = 0) -> None:
    """Collect `bytes` from each member at world rank `root`: the tree of `scatter`, upwards."""
    parent, children = _tree(writer, members, root)
    for child, size in children:
        writer.recv(child, bytes * size, tag)
    if parent is not None:
        writer.send(parent, bytes * (1 + sum(size for _, size in children)), tag)


def allreduce(writer: TaskWriter, members: Sequence[int], bytes: int, tag: int = 0) -> None:
    """Combine vectors of `bytes` of all members and leave the result with all of them.

    Up to `LONG_VECTOR` bytes by recursive doubling: log2 p exchanges of the whole vector with i xor 1, i
    xor 2, .. Above, by a reduce-scatter by recursive halving (with i xor p/2, .., i xor 1; half, a
    quarter, .. of the vector, rounded down) and an allgather by recursive doubling back (Rabenseifner's
    algorithm). If p is not a power of two, r = p - 2**floor(log2 p) members are folded in: of the first
    2r, each even one gives its vector to the next, sits out, and gets the result from it at the end.
    """
    i, p = _place(writer, members), len(members)
    core = 1 << (p.bit_length() - 1)
    rest = p - core
    if i < 2 * rest and i % 2 == 0:
        writer.send(members[i + 1], bytes, tag)
        writer.recv(members[i + 1], bytes, tag)
        return
    if i < 2 * rest:
        writer.recv(members[i - 1], bytes, tag)
    place = i // 2 if i < 2 * rest else i - rest
    for distance, size in _rounds(core, bytes):
        partner = place ^ distance
        rank = members[2 * partner + 1 if partner < rest else partner + rest]
        _exchange(writer, rank, rank, size, size, tag)
    if i < 2 * rest:
        writer.send(members[i - 1], bytes, tag)


def barrier(writer: TaskWriter, members: Sequence[int], tag: int = 0) -> None:
    """Wait for all members by dissemination: messages of 0 bytes to i+1, i+2, i+4, ..

    Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", Int. J. Parallel Programming
    17(1), 1988.
    """
    i, p = _place(writer, members), len(members)
    distance = 1
    while distance < p:
        _exchange(writer, members[(i + distance) % p], members[(i - distance) % p], 0, 0, tag)
        distance *= 2


def allgather(writer: TaskWriter, members: Sequence[int], bytes: int, tag: int = 0) -> None:
    """Bring `bytes` of each member to all: a ring of p-1 steps, each passing a block from i-1 on to i+1."""
    allgatherv(writer, members, [bytes] * len(members), tag)


def allgatherv(writer: TaskWriter, members: Sequence[int], sizes: Sequence[int], tag: int = 0) -> None:
    """Bring ``sizes[j]`` bytes of each member j to all: the ring of `allgather`."""
    i, p = _place(writer, members), len(members)
    for k in range(p - 1):
        _exchange(writer, members[(i + 1) % p], members[i - 1], sizes[i - k], sizes[i - k - 1], tag)


def alltoall(
    writer: TaskWriter, members: Sequence[int], bytes: int, tag: int = 0, order: str = "rotated"
) -> None:
    """Send `bytes` from each member to each other one, in one of `ALLTOALL_ORDERS`."""
    one_of(order, ALLTOALL_ORDERS, "alltoall order")
    sizes = [bytes] * len(members)
    if order == "sends-first":
        alltoallv(writer, members, sizes, sizes, tag)
        return
    i, p = _place(writer, members), len(members)
    for k in range(1, p) if order == "rotated" else range(p):
        dst, src = ((i + k) % p, (i - k) % p) if order == "rotated" else (k, k)
        if dst != i:
            _exchange(writer, members[dst], members[src], bytes, bytes, tag)


def alltoallv(
    writer: TaskWriter,
    members: Sequence[int],
    sizes_row: Sequence[int],
    sizes_column: Sequence[int],
    tag: int = 0,
) -> None:
    """Send ``sizes_row[j]`` bytes to each member j and receive ``sizes_column[j]`` from it.

    All sends come first, to i+1 .. i+p-1, then all receives, from i-1 .. i-p+1. Pairs of 0 bytes say nothing.

    Raises
    ------
    ValueError
        If there is not one size for each member.
    """
    i, p = _place(writer, members), len(members)
    for sizes, what in ((sizes_row, "sizes_row"), (sizes_column, "sizes_column")):
        if len(sizes) != p:
            raise ValueError(
                f"alltoallv: {what} has {len(sizes)} sizes, expected one for each of {p} members"
            )
    sources = [(i - k) % p for k in range(1, p)]
    requests = [writer.irecv(members[j], sizes_column[j], tag) for j in sources if sizes_column[j]]
    for j in reversed(sources):
        if sizes_row[j]:
            writer.send(members[j], sizes_row[j], tag)
    writer.waitall(requests)


COLLECTIVES: dict[str, Callable[..., Any]] = {
    "allgather": allgather,
    "allgatherv": allgatherv,
    "allreduce": allreduce,
    "alltoall": alltoall,
    "alltoallv": alltoallv,
    "barrier": barrier,
    "bcast": bcast,
    "gather": gather,
    "reduce": reduce,
    "scatter": scatter,
}


def _place(writer: TaskWriter, members: Sequence[int]) -> int:
    if writer.task not in members:
        raise ValueError(
            f"members: task {writer.task} is not among the {len(members)} members of its collective"
        )
    return members.index(writer.task)


def _exchange(writer: TaskWriter, dst: int, src: int, sent: int, received: int, tag: int) -> None:
    request = writer.irecv(src, received, tag)
    writer.send(dst, sent, tag)
    writer.wait(request)


def _rounds(p: int, bytes: int) -> Iterator[tuple[int, int]]:
    """Yield distance to the partner and bytes of each round of an allreduce among p = 2**n members."""
    rounds = p.bit_length() - 1
    if bytes <= LONG_VECTOR:
        yield from ((1 << n, bytes) for n in range(rounds))
        return
    yield from ((p >> n, bytes >> n) for n in range(1, rounds + 1))
    share = bytes >> rounds
    yield from ((1 << n, share << n) for n in range(rounds))


def _tree(writer: TaskWriter, members: Sequence[int], root: int) -> tuple[int | None, list[tuple[int, int]]]:
    """Return the world rank of this task's parent, and its children with the sizes of their subtrees.

    With v = i - root (mod p): the parent of v is v without its lowest set bit, and its children are v +
    1, v + 2, v + 4, .. below that bit; the subtree of v + m has the members from v + m to v + 2m - 1.
    """
    if root not in members:
        raise ValueError(f"root: task {root} is not among the {len(members)} members of the collective")
    p, start = len(members), members.index(root)
    v = (_place(writer, members) - start) % p
    lowest = v & -v if v else 1 << p.bit_length()
    steps = [1 << n for n in range(lowest.bit_length() - 1) if v + (1 << n) < p]
    children = [(members[(v + m + start) % p], min(m, p - v - m)) for m in steps]
    parent = members[(v - lowest + start) % p] if v else None
    return parent, children
