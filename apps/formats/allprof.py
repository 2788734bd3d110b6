"""liballprof traces, from which Schedgen of LogGOPSim makes schedules: a text file per rank.

A line is a call: ``MPI_Isend:start:buffer:count:type,size,extent:dest:tag:comm,rank,size:request:end``, its
arguments in the order of C between two times in microseconds. Computation is what passes between the end of a
call and the start of the next one. Source: liballprof in github.com/spcl/LogGOPSim.

Requests are known by their address alone, so `MPI_Test` and what else says in a flag or an index which one
is complete can be counted and not replayed; and communicators by a handle and a size, so none but the world
and a rank's own is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.apps.formats.dumpi_communicators import CREATING, SELF, WORLD
from netplace.apps.formats.dumpi_rank import RankCalls
from netplace.apps.formats.stream import TraceError, first_line, head_of, lines, named
from netplace.apps.recorded.calls import Batch, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate

_MEMBER = re.compile(r"(.*?)(\d+)((?:\.[a-z]+)*)")
_LINE = re.compile(rb"MPI_\w+:(?:-|\d+):")
_NAME = "*-0*"  # of the file of the first rank: pmpi-trace-rank-0.txt or trace-0.dat
_MPICH_HANDLES = range(0x44000000, 0x44000004)

# The arguments of calls, as DUMPI's reader calls them; "_" is passed over. Lists of counts take two places.
_MESSAGE = "_ count datatype dest tag comm"
_RECEIVE = "_ count datatype source tag comm"
_BOTH = "_ sendcount sendtype _ recvcount recvtype"
_REDUCTION = "_ _ count datatype _"
_ARGUMENTS = {
    **dict.fromkeys(("send", "bsend", "ssend", "rsend"), _MESSAGE),
    **dict.fromkeys(("isend", "ibsend", "issend", "irsend"), f"{_MESSAGE} request"),
    **dict.fromkeys(("send_init", "bsend_init", "ssend_init", "rsend_init"), f"{_MESSAGE} request"),
    "recv": f"{_RECEIVE} _",
    **dict.fromkeys(("irecv", "recv_init"), f"{_RECEIVE} request"),
    "sendrecv": "_ sendcount sendtype dest sendtag _ recvcount recvtype source recvtag comm _",
    "sendrecv_replace": "_ count datatype dest sendtag source recvtag comm _",
    "start": "request",
    "startall": "count requests",
    "request_free": "request",
    "wait": "request _",
    "waitall": "count requests _",
    "barrier": "comm",
    "bcast": "_ count datatype root comm",
    "reduce": f"{_REDUCTION} root comm",
    **dict.fromkeys(("allreduce", "scan", "exscan"), f"{_REDUCTION} comm"),
    **dict.fromkeys(("gather", "scatter"), f"{_BOTH} root comm"),
    **dict.fromkeys(("allgather", "alltoall"), f"{_BOTH} comm"),
    "gatherv": "_ sendcount sendtype _ recvcounts displs recvtype root comm",
    "scatterv": "_ sendcounts displs sendtype _ recvcount recvtype root comm",
    "allgatherv": "_ sendcount sendtype _ recvcounts displs recvtype comm",
    "alltoallv": "_ sendcounts displs sendtype _ recvcounts displs recvtype comm",
    "reduce_scatter": "_ _ recvcounts datatype _ comm",
}
_UNTOLD = (
    *("test", "testany", "testall", "testsome", "waitany", "waitsome", "alltoallw", "comm_spawn"),
    *("ibcast", "ibarrier", "iallreduce", "ireduce", "ialltoall", "ialltoallv", "iallgather", "igather"),
)
_TIME = re.compile(r"\d{1,18}(?:\.\d*)?", re.ASCII)


def recognises(path: Path, head: bytes) -> bool:
    """Return whether a file is a rank's, or a folder holds those of a run."""
    if not head:
        return path.is_dir() and any(recognises(file, head_of(file)) for file in _first(path))
    return _LINE.match(first_line(head)) is not None


def _first(folder: Path) -> list[Path]:
    return sorted((file for file in folder.glob(_NAME) if file.is_file()), key=lambda file: len(file.name))


def files(path: Path) -> list[Path]:
    """Return the files of the ranks, in order, of a run named by its folder or any of them."""
    if path.is_dir():
        path = _first(path)[0]
    match = _MEMBER.fullmatch(path.name)
    if match is None:
        return [path]
    neighbors = ((file, _MEMBER.fullmatch(file.name)) for file in path.parent.iterdir())
    members = {int(of[2]): file for file, of in neighbors if of and of.group(1, 3) == match.group(1, 3)}
    for rank in range(max(members)):
        if rank not in members:
            raise ValueError(f"{path}: the file of rank {rank} of {max(members) + 1} is missing")
    return [members[rank] for rank in sorted(members)]


def open_trace(path: Path, reading: Reading) -> Trace:
    parts = files(path)
    trace = Trace(len(parts), iter(()))
    trace.batches = _batches(parts, reading, trace)
    return trace


def _batches(parts: list[Path], reading: Reading, trace: Trace) -> Iterator[Batch]:
    writer = CallWriter()
    for rank, part in enumerate(parts):
        with named(part):
            state = RankCalls(rank, trace, writer, [], iter(()))
            for number, line in lines(part, reading):
                if line and not line.startswith(b"#"):
                    _read(state, trace, rank, number, line.decode("ascii", "replace"))
                    yield from writer.full()
            state.end()
    yield from writer.rest()


def _read(state: RankCalls, trace: Trace, rank: int, number: int, line: str) -> None:
    words = line.split(":")
    if len(words) < 3 or not words[0].startswith("MPI_"):
        raise TraceError(
            number, f"{abbreviate(line[:60])} is not a call, expected a form such as MPI_Barrier:12:5,0,4:15"
        )
    name = words[0].removeprefix("MPI_").lower()
    known = [_nanoseconds(word, number) for word in (words[1], words[-1]) if word != "-"]
    if not known:
        raise TraceError(number, f"{words[0]} has no time, expected microseconds")
    begin, end = known[0], known[-1]  # old collectors know no time before MPI_Init and after MPI_Finalize
    given: dict[str, Any] = {}
    if name in _ARGUMENTS:
        try:
            given = _arguments(state, trace, rank, _ARGUMENTS[name].split(), words[2:-1])
        except (ValueError, IndexError):
            raise TraceError(
                number, f"{words[0]} has unexpected arguments: {abbreviate(line[:80])}"
            ) from None
        if given.get("comm") is None and "comm" in given:
            raise TraceError(
                number,
                f"{words[0]} of rank {given['own']} of a communicator of {given['ranks']} of {trace.ranks} "
                f"ranks, and liballprof does not record which; expected MPI_COMM_WORLD",
            )
        _adapt(name, given)
    elif name in _UNTOLD:
        trace.left_out[name] += 1
        name = "wtime"
    elif name in CREATING or name.startswith("type_"):
        name = "wtime"  # nothing is sent that is recorded
    state.read((name, number, (begin, end), given))


def _nanoseconds(word: str, line: int) -> int:
    """Return a time in microseconds, which old collectors wrote with decimals, in nanoseconds."""
    if not _TIME.fullmatch(word):
        raise TraceError(line, f"time {abbreviate(word)}, expected microseconds")
    whole, _, part = word.partition(".")
    return int(whole) * 1000 + int(f"{part:0<3.3}")


def _arguments(
    state: RankCalls, trace: Trace, rank: int, names: list[str], words: list[str]
) -> dict[str, Any]:
    """Return the arguments of a call by name; ``comm`` is None if its members are unknown."""
    given: dict[str, Any] = {"own": rank}
    place = 0
    for name in names:
        word = words[place]
        place += 1
        if name.endswith("counts") or name == "displs":
            given[name] = [int(count) for count in words[place].split(",")]  # behind their address
            place += 1
        elif name.endswith("type"):
            size = int(word.split(",")[1])
            state.datatype(size, size)
            given[name] = size
        elif name == "comm":
            handle, own, ranks = (int(part) for part in word.split(","))
            known = {(0, 1): SELF, (rank, trace.ranks): WORLD}
            given |= {"comm": known.get((own, ranks)), "ranks": ranks, "own": own, "handle": handle}
        elif name != "_":
            given[name] = int(word)
    if place != len(words):
        raise ValueError
    if "requests" in given:
        given["requests"] = _requests(state, given["requests"], given["count"])
    return given


def _requests(state: RankCalls, first: int, count: int) -> list[int]:
    """Return the addresses of consecutive requests of 8 bytes each, or 4 as in MPICH."""
    count = min(count, 1 << 20)
    arrays = [[first + size * place for place in range(count)] for size in (8, 4)]
    return max(arrays, key=lambda array: sum(map(state.holds, array)))


def _adapt(name: str, given: dict[str, Any]) -> None:
    """Let wildcards, and counts that mean something at the root alone, be as DUMPI's reader takes them."""
    if given.get("handle") in _MPICH_HANDLES:  # there -1 is MPI_PROC_NULL, and -2 any source
        for peer in ("source", "dest"):
            if given.get(peer) in (-1, -2):
                given[peer] = -3 - given[peer]
    if name == "gatherv" and given["own"] != given["root"]:
        del given["recvcounts"]
    if name == "scatterv" and given["own"] != given["root"]:
        del given["sendcounts"]
