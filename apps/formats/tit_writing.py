"""Output of SimGrid's time-independent traces: one file for all ranks, with sizes in bytes."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.apps.formats.writing import Line, Options, dense_tags, lines_of, name_of
from netplace.apps.recorded.calls import Batch, Call
from netplace.apps.recorded.recorded import Recorded

# Those whose action means the same in all releases.
_KEPT = ("barrier", "bcast", "reduce", "allreduce", "alltoall", "alltoallv", "allgather", "gather")


def tit_lines(whole: Recorded, options: Options) -> Iterator[str]:
    """Yield the lines of a trace; collectives that the format cannot represent are written as messages."""
    whole = whole.with_messages(_KEPT, world=True)
    tag_of = dense_tags(whole)
    yield from (f"{rank} init" for rank in range(whole.ranks))
    opened: dict[tuple[int, int], tuple[int, int, int]] = {}
    for line in lines_of([Batch(whole.calls, whole.sizes)]):
        flops = line.gap * options.flops + (
            line.size * options.cycle_ns * 1e-9 * options.flops if line.kind == Call.COMPUTE else 0.0
        )
        if round(flops):
            yield f"{line.rank} compute {round(flops)}"
        if line.kind == Call.COLLECTIVE:
            yield _collective(line, whole.ranks)
        elif line.kind == Call.WAIT:
            yield "{} wait {} {} {}".format(line.rank, *opened.pop((line.rank, line.request)))
        elif line.kind not in (Call.COMPUTE, Call.MARK):
            tag = tag_of(line.communicator, line.tag)
            if line.kind in (Call.ISEND, Call.IRECV):
                ends = (line.rank, line.peer) if line.kind == Call.ISEND else (line.peer, line.rank)
                opened[line.rank, line.request] = (*ends, tag)
            yield f"{line.rank} {Call(line.kind).name.lower()} {line.peer} {tag} {line.size}"
    yield from (f"{rank} finalize" for rank in range(whole.ranks))


def _collective(line: Line, ranks: int) -> str:
    name, size, root = name_of(line), line.size, max(line.peer, 0)
    arguments: tuple[int, ...]
    if name == "barrier":
        arguments = ()
    elif name == "bcast":
        arguments = (size, root)
    elif name == "reduce":
        arguments = (size, 0, root)
    elif name == "allreduce":
        arguments = (size, 0)
    elif name == "gather":
        arguments = (size, size, root)
    elif name == "alltoallv":
        sizes = line.sizes or (0,) * ranks
        # The receive side says the same; SimGrid takes buffers and counts from it.
        arguments = (sum(sizes), *sizes, sum(sizes), *sizes)
    else:
        arguments = (size, size)
    return " ".join(map(str, (line.rank, name, *arguments)))
