"""Collective operations as the point-to-point messages of one member.

Every function appends to `writer` the operations of its own task, and every member must call it with the same
arguments. `members` are the world ranks of the communicator, in order; index i below is a place in that list.
The `writer` chooses the algorithm; `OPERATIONS` says what `bytes` are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from netplace.apps.application import Application
from netplace.apps.collectives.call import OPERATIONS, Call, OwnBlocks
from netplace.apps.collectives.catalog import algorithm as algorithm_named
from netplace.apps.collectives.selection import BUILTIN, Collectives
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter
from netplace.inputs import check_choice, check_int

ALLTOALL_ORDERS = {
    "rotated": "for k = 1 .. p-1: exchange, send to i+k and receive from i-k",
    "identifier": "for k = 0 .. p-1 except the own rank: exchange with k",
}


def _rooted(operation: str, purpose: str) -> Callable[..., None]:
    def write(writer: TaskWriter, members: Sequence[int], root: int, bytes: int, tag: int = 0) -> None:
        _write(writer, operation, members, bytes, tag, root)

    write.__name__, write.__doc__ = operation, purpose
    return write


def _for_all(operation: str, purpose: str) -> Callable[..., None]:
    def write(writer: TaskWriter, members: Sequence[int], bytes: int, tag: int = 0) -> None:
        _write(writer, operation, members, bytes, tag)

    write.__name__, write.__doc__ = operation, purpose
    return write


bcast = _rooted("bcast", "Send `bytes` from world rank `root` to all members.")
reduce = _rooted("reduce", "Combine vectors of `bytes` of all members at world rank `root`.")
scatter = _rooted("scatter", "Send `bytes` of its own from world rank `root` to each member.")
gather = _rooted("gather", "Collect `bytes` from each member at world rank `root`.")
allreduce = _for_all("allreduce", "Combine vectors of `bytes` of all members and leave the result with all.")
reduce_scatter = _for_all(
    "reduce_scatter",
    "Combine vectors of `bytes` and leave each member its share, the first ones a byte more if necessary.",
)
reduce_scatter_block = _for_all(
    "reduce_scatter_block", "Combine vectors of `bytes` and leave each member as large a share, rounded down."
)
scan = _for_all("scan", "Combine vectors of `bytes` of each member and all before it.")
exscan = _for_all("exscan", "Combine vectors of `bytes` of all members before each.")
allgather = _for_all("allgather", "Bring `bytes` of each member to all.")


def barrier(writer: TaskWriter, members: Sequence[int], tag: int = 0) -> None:
    """Wait for all members."""
    _write(writer, "barrier", members, 0, tag)


def allgatherv(writer: TaskWriter, members: Sequence[int], sizes: Sequence[int], tag: int = 0) -> None:
    """Bring ``sizes[j]`` bytes of each member j to all."""
    _write(writer, "allgatherv", members, sum(sizes), tag, sizes=tuple(sizes))


def alltoall(
    writer: TaskWriter, members: Sequence[int], bytes: int, tag: int = 0, order: str | None = None
) -> None:
    """Send `bytes` from each member to each other one, perhaps in one of `ALLTOALL_ORDERS`."""
    if order is None:
        _write(writer, "alltoall", members, bytes, tag)
        return
    check_choice(order, ALLTOALL_ORDERS, "alltoall order")
    i, p = _place(writer, members), len(members)
    for k in range(1, p) if order == "rotated" else range(p):
        dst, src = ((i + k) % p, (i - k) % p) if order == "rotated" else (k, k)
        if dst != i:
            request = writer.irecv(members[src], bytes, tag)
            writer.send(members[dst], bytes, tag)
            writer.wait(request)


def alltoallv(
    writer: TaskWriter,
    members: Sequence[int],
    sizes_row: Sequence[int],
    sizes_column: Sequence[int],
    tag: int = 0,
) -> None:
    """Send ``sizes_row[j]`` bytes to each member j and receive ``sizes_column[j]`` from it.

    Members know their own blocks alone, so that the number of members chooses the algorithm, not the bytes.
    """
    place, count = _place(writer, members), len(members)
    for sizes, label in ((sizes_row, "sizes_row"), (sizes_column, "sizes_column")):
        if len(sizes) != count:
            raise ValueError(
                f"alltoallv: {label} has {len(sizes)} sizes, expected one for each of {count} members"
            )
    call = OwnBlocks("alltoallv", count, 0, member=place, row=sizes_row, column=sizes_column)
    _chosen(writer).write(writer, members, place, call, tag)


COLLECTIVES: dict[str, Callable[..., Any]] = {name: globals()[name] for name in OPERATIONS}


def collective(
    tasks: int,
    operation: str = "allreduce",
    algorithm: str = "",
    bytes: int = 1024,
    root: int = 0,
    segment: int = 0,
    iterations: int = 1,
    group: int = 0,
    collectives: Collectives | None = None,
) -> Program:
    check_choice(operation, OPERATIONS, "application 'collective': operation")
    chosen = collectives or BUILTIN
    if algorithm:
        name, _ = algorithm_named(operation, str(algorithm), tasks, f"algorithm of {operation}")
        chosen = replace(chosen, named={**chosen.named, operation: name})
    call = Call(operation, tasks, bytes, root, segment=segment, group=group)
    times = check_int(iterations, "iterations")
    writers = [TaskWriter(task, tasks, chosen) for task in range(tasks)]
    for writer in writers:
        writer.mark(1)
        chosen.write(writer, range(tasks), writer.task, call, 0)
        writer.repeat(0, times)
        writer.mark(-1)
    program = Program.of(writers, f"{operation}.{tasks}")
    return replace(program, interleaved=True)


COLLECTIVE: dict[str, Application] = {
    "collective": Application(
        "collective", "one collective operation under a given algorithm, as in MPI libraries", collective
    )
}


def _write(
    writer: TaskWriter,
    operation: str,
    members: Sequence[int],
    bytes: int,
    tag: int,
    root: int | None = None,
    sizes: tuple[int, ...] = (),
) -> None:
    if root is not None and root not in members:
        raise ValueError(f"root: task {root} is not one of the {len(members)} members of the collective")
    place = 0 if root is None else members.index(root)
    call = Call(operation, len(members), bytes, place, sizes=sizes)
    _chosen(writer).write(writer, members, _place(writer, members), call, tag)


def _chosen(writer: TaskWriter) -> Collectives:
    return writer.collectives or BUILTIN


def _place(writer: TaskWriter, members: Sequence[int]) -> int:
    if writer.task not in members:
        raise ValueError(
            f"members: task {writer.task} is not one of the {len(members)} members of its collective"
        )
    return members.index(writer.task)
