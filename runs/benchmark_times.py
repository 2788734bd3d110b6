"""Times in the output of the OSU, Intel and NCCL benchmarks, as they print it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from netplace.files import text_of
from netplace.inputs import abbreviate, check_float, check_int

# Titles of benchmarks, in lower case: OSU's without the word test, and Intel's.
KINDS = {
    "pingpong": ("latency", "pingpong"),
    "allgather": ("allgather latency", "allgather"),
    "allreduce": ("allreduce latency", "allreduce"),
    "alltoall": ("all-to-all personalized exchange latency", "alltoall"),
    "bcast": ("broadcast latency", "bcast"),
}
_OSU = re.compile(r"#\s*OSU MPI(?:-\w+)* (.*?)\s*(?:v[\d.]+.*)?", re.I)
_INTEL = re.compile(r"#\s*Benchmarking\s+(\w+)", re.I)
_PROCESSES = re.compile(r"#\s*\#?processes\s*=\s*(\d+)", re.I)
_NCCL_REDOPS = ("sum", "prod", "max", "min", "avg", "none")
_MOST = 100_000  # lines with times


@dataclass(frozen=True)
class Measured:
    """The time of an operation at a number of bytes."""

    kind: str  # key of `KINDS`
    bytes: int  # bytes of a message; of a collective, as `netplace.apps.collectives.OPERATIONS` counts them
    seconds: float  # mean time that the benchmark prints; of a ping-pong, one way
    where: str


def read_times(path: Path, kind: str, ranks: int) -> list[Measured]:
    """Return the times in the output of OSU micro-benchmarks, Intel MPI Benchmarks or nccl-tests."""
    lines = text_of(path).splitlines()
    of, reads, times = "", False, list[Measured]()
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if title := _OSU.fullmatch(line.strip()) or _INTEL.match(line.strip()):
            of = title[1]
            reads = of.strip().lower().removesuffix(" test") in KINDS[kind]
        elif (given := _PROCESSES.match(line.strip())) and reads and int(given[1]) != ranks:
            raise ValueError(f"{where}: {given[1]} processes, expected {ranks}, the number of ranks")
        else:
            words = line.split()
            if len(words) >= 11 and words[3] in _NCCL_REDOPS and words[0].isdigit():
                reads = reads or _nccl(path, lines[:number], kind)
                # nccl-tests prints the bytes of all blocks where we count one.
                blocks = ranks if kind in ("allgather", "alltoall") else 1
                times.append(_time(kind, words[0], words[5], where, blocks))
            elif reads and len(words) >= 2 and words[0].isdigit() and not line.startswith("#"):
                times.append(_time(kind, words[0], words[_column(lines[:number])], where))
        if len(times) > _MOST:
            raise ValueError(f"{where}: more than {_MOST} lines with times")
    if not times and of:
        raise ValueError(f"{path}: is the output of {abbreviate(of)}, expected that of {kind}")
    if not times:
        raise ValueError(
            f"{path}: has no times, expected the output of OSU micro-benchmarks, Intel MPI Benchmarks or "
            f"nccl-tests for {kind}"
        )
    return times


def _nccl(path: Path, lines: list[str], kind: str) -> bool:
    """Refuse the output of nccl-tests of another operation, where it says which."""
    names = re.findall(r"\b(\w+)_perf\b", "\n".join(lines))
    if names and names[-1].replace("_", "").replace("broadcast", "bcast") != kind:
        raise ValueError(f"{path}: is the output of {names[-1]}_perf, expected that of {kind}")
    return True


def _column(lines: list[str]) -> int:
    """Return which word of a line is the mean time, by the last line of names of columns."""
    names = next((line for line in reversed(lines) if re.match(r"\s*#\s*(Size|#?bytes)\b", line, re.I)), "")
    words = re.split(r"\s{2,}|\s(?=#rep|t_)", names.strip().lstrip("# "))
    for place, word in enumerate(words):
        if word.lower().startswith(("t[usec]", "t_avg", "avg lat", "latency", "avg latency")):
            return place
    return 1


def _time(kind: str, size: str, time: str, where: str, blocks: int = 1) -> Measured:
    seconds = check_float(time, f"{where}: time in microseconds", 0.0) * 1e-6
    return Measured(kind, check_int(size, f"{where}: bytes", 0) // blocks, seconds, where)
