"""The actions of a time-independent trace of SimGrid: what each adds to the calls."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable

from netplace.apps.formats.errors import TraceError
from netplace.apps.formats.tit_calls import Calls
from netplace.apps.formats.tit_lines import Line
from netplace.apps.recorded.calls import Call
from netplace.checks import abbreviate

__all__ = ["ACTIONS", "NOTHING"]

NOTHING = {
    *("init", "finalize", "comm_size", "comm_rank", "comm_split", "comm_dup", "comm_free"),
    *("test", "testall", "testany", "probe", "location"),
}


def _message(kind: int) -> Callable[[Calls, Line], None]:
    def add(calls: Calls, line: Line) -> None:
        line.has(3)
        peer, tag = line.integer(0, "rank"), line.integer(1, "tag")
        size = calls.bytes_of(line, line.integer(2), 3)
        if kind in (Call.SEND, Call.RECV):
            calls.add(line, kind, peer, size, tag)
            return
        request = calls.opens(line, kind, peer, size, tag)
        ends = (line.rank, peer) if kind == Call.ISEND else (peer, line.rank)
        calls.open.setdefault(line.rank, defaultdict(deque))[*ends, tag].append(request)

    return add


def _sendrecv(calls: Calls, line: Line) -> None:
    received = calls.bytes_of(line, line.integer(2), 5)
    request = calls.opens(line, Call.IRECV, line.integer(3, "rank"), received, 0)
    calls.add(line, Call.SEND, line.integer(1, "rank"), calls.bytes_of(line, line.integer(0), 4), 0)
    calls.add(line, Call.WAIT, request=request)


def _wait(calls: Calls, line: Line) -> None:
    names = calls.open.get(line.rank, {})
    if line.words:
        line.has(3)
        key = (line.integer(0, "rank"), line.integer(1, "rank"), line.integer(2, "tag"))
        waiting = names.get(key)
    else:
        waiting = max((item for item in names.values() if item), key=lambda item: item[-1], default=None)
    if waiting:
        key = next(name for name, item in names.items() if item is waiting)
        calls.completed[f"wait ({'send' if key[0] == line.rank else 'recv'})"] += 1
        calls.add(line, Call.WAIT, request=waiting.popleft() if line.words else waiting.pop())


def _waitall(calls: Calls, line: Line) -> None:
    names = calls.open.get(line.rank, {})
    for request, key in sorted((request, key) for key, waiting in names.items() for request in waiting):
        calls.completed[f"waitall ({'send' if key[0] == line.rank else 'recv'})"] += 1
        calls.add(line, Call.WAIT, request=request)
    names.clear()


def _compute(calls: Calls, line: Line) -> None:
    flops = line.integer(0, "flops")
    calls.flops[line.rank] += flops
    calls.gaps[line.rank] = calls.gaps.get(line.rank, 0.0) + flops / calls.reading.flops


def _sleep(calls: Calls, line: Line) -> None:
    line.has(1)
    try:
        seconds = float(line.words[0])
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise TraceError(line.number, f"sleep of {abbreviate(line.words[0])} is not a number of seconds")
    calls.gaps[line.rank] = calls.gaps.get(line.rank, 0.0) + seconds


def _barrier(calls: Calls, line: Line) -> None:
    calls.collective(line, 0)


def _bcast(calls: Calls, line: Line) -> None:
    calls.collective(line, calls.bytes_of(line, line.integer(0), 2), line.integer(1, "root", 0))


def _reduction(rooted: bool) -> Callable[[Calls, Line], None]:
    def add(calls: Calls, line: Line) -> None:
        root = line.integer(2, "root", 0) if rooted else -1
        size = calls.bytes_of(line, line.integer(0), 2 + rooted)
        calls.collective(line, size, root, line.integer(1, "flops"))

    return add


def _exchange(rooted: bool, side: int = 0) -> Callable[[Calls, Line], None]:
    def add(calls: Calls, line: Line) -> None:
        line.has(2)
        root = line.integer(2, "root", 0) if rooted else -1
        calls.collective(line, calls.bytes_of(line, line.integer(side), 2 + rooted + side), root)

    return add


def _counts(calls: Calls, line: Line, begin: int) -> list[int]:
    line.has(begin + calls.world)
    return [line.integer(place) for place in range(begin, begin + calls.world)]


def _gatherv(calls: Calls, line: Line) -> None:
    after = 1 + calls.world
    sizes = [calls.bytes_of(line, count, after + 2) for count in _counts(calls, line, 1)]
    size = calls.bytes_of(line, line.integer(0), after + 1)
    calls.collective(line, size, line.integer(after, "root", 0), sizes=sizes)


def _scatterv(calls: Calls, line: Line) -> None:
    after = 1 + calls.world
    sizes = [calls.bytes_of(line, count, after + 1) for count in _counts(calls, line, 0)]
    size = calls.bytes_of(line, line.integer(calls.world), after + 2)
    calls.collective(line, size, line.integer(after, "root", 0), sizes=sizes)


def _allgatherv(calls: Calls, line: Line) -> None:
    after = 1 + calls.world
    sizes = [calls.bytes_of(line, count, after + 1) for count in _counts(calls, line, 1)]
    calls.collective(line, calls.bytes_of(line, line.integer(0), after), sizes=sizes)


def _reduce_scatter(calls: Calls, line: Line) -> None:
    after = calls.world
    sizes = [calls.bytes_of(line, count, after + 1) for count in _counts(calls, line, 0)]
    calls.collective(line, sum(sizes), flops=line.integer(after, "flops"), sizes=sizes)


def _alltoallv(calls: Calls, line: Line) -> None:
    world = calls.world
    line.has(2 + 2 * world)
    sizes = [calls.bytes_of(line, count, 2 + 2 * world) for count in _counts(calls, line, 1)]
    calls.collective(line, line.fits(sum(sizes)), sizes=sizes)


ACTIONS: dict[str, Callable[[Calls, Line], None]] = {
    "send": _message(Call.SEND),
    "isend": _message(Call.ISEND),
    "recv": _message(Call.RECV),
    "irecv": _message(Call.IRECV),
    "sendrecv": _sendrecv,
    "wait": _wait,
    "waitall": _waitall,
    "compute": _compute,
    "sleep": _sleep,
    "barrier": _barrier,
    "bcast": _bcast,
    "reduce": _reduction(rooted=True),
    "allreduce": _reduction(rooted=False),
    "scan": _reduction(rooted=False),
    "exscan": _reduction(rooted=False),
    "gather": _exchange(rooted=True),
    "scatter": _exchange(rooted=True, side=1),
    "allgather": _exchange(rooted=False),
    "alltoall": _exchange(rooted=False),
    "gatherv": _gatherv,
    "scatterv": _scatterv,
    "allgatherv": _allgatherv,
    "reducescatter": _reduce_scatter,
    "alltoallv": _alltoallv,
}
