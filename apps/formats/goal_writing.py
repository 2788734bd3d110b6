"""Writing GOAL: the program of each rank as a chain of operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from netplace.apps.formats.writing import Options
from netplace.apps.operation import Op
from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.recorded import Recorded

__all__ = ["goal_lines"]


def goal_lines(whole: Recorded, options: Options) -> Iterator[str]:
    """Yield the lines of a schedule; collectives are written as messages, computation in nanoseconds.

    An operation requires the one before it. A posted receive is required where it is waited for, and a send
    is over when the CPU has sent it.
    """
    calls = whole.calls.copy()
    given = (calls["kind"] == Call.COMPUTE) & (calls["size"] > 0)
    calls["gap"][given] += calls["size"][given] * (options.cycle_ns * 1e-9)
    calls["size"][given] = 0
    program = replace(whole, calls=calls).program(cycles_per_us=1000.0)
    tags, tag = np.unique(program.tag, return_inverse=True)
    if not len(tags) or int(tags[-1]) < 1 << 31:
        tag = program.tag
    yield f"num_ranks {program.tasks}"
    for rank in range(program.tasks):
        part = slice(int(program.first[rank]), int(program.first[rank + 1]))
        columns = (program.kind, program.peer, program.size, tag, program.request)
        yield f"rank {rank} {{"
        yield from _rank(*(column[part].tolist() for column in columns))
        yield "}"


def _rank(
    kinds: list[int], peers: list[int], sizes: list[int], tags: list[int], requests: list[int]
) -> Iterator[str]:
    before: list[int] = []
    opened: dict[int, int] = {}
    for place, kind in enumerate(kinds):
        if kind == Op.WAIT:
            if (posted := opened.pop(requests[place], None)) is not None:
                before.append(posted)
            continue
        if kind == Op.COMPUTE:
            yield f"l{place}: calc {sizes[place]}"
        else:
            way = "send {}b to" if kind in (Op.SEND, Op.ISEND) else "recv {}b from"
            yield f"l{place}: {way.format(sizes[place])} {peers[place]} tag {tags[place]}"
        yield from (f"l{place} requires l{other}" for other in before)
        if kind == Op.IRECV:
            opened[requests[place]] = place
        else:
            before = [place]
