"""Schedules of the study of contiguity on trees: which jobs, queue, allocation and speed-up."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.experiments.shared.archive_logs import FOLDER, folder_logs
from netplace.report.studies import StudyRequest
from netplace.runs.plan import Plan, make_plan
from netplace.scheduling.workload import read

ARITIES = (4, 6, 8)
# Machine and load of the first 20,000 jobs of logs, as the tree sees them.
LIKE = {
    "like LLNL-Thunder": ("tree:4,6", 0.74),
    "like HPC2N": ("tree:4,4", 0.56),
    "like SDSC-BLUE": ("tree:6,4", 0.67),
}
# Machines of logs, and how many of their nodes are there.
_INSTALLED = {"HPC2N": ("tree:4,4", 240), "LLNL-Thunder": ("tree:4,6", 4008), "SDSC-BLUE": ("tree:4,6", 1152)}


@dataclass(frozen=True)
class _Stream:
    """Jobs and their machine: a log, or seeded workloads of the model at a load."""

    name: str
    machine: str
    load: float
    jobs: int
    file: str = ""
    seeds: int = 1
    installed: int | None = None


def tree_for(nodes: int) -> str:
    """Return the k-ary tree, k of `ARITIES`, that has the fewest nodes but has room for `nodes`."""
    trees = []
    for arity in ARITIES:
        stages = 1
        while arity**stages < nodes:
            stages += 1
        trees.append((arity**stages, arity, stages))
    _, arity, stages = min(trees)
    return f"tree:{arity},{stages}"


def logs(quick: bool = False, given: Sequence[str] = ()) -> list[_Stream]:
    for file in given:
        if not Path(file).is_file():
            raise ValueError(f"--log {file}: there is no such file, expected a log (.swf, .swf.gz)")
    streams = []
    for path in [Path(file) for file in given] or folder_logs():
        workload = read(path)
        machine = tree_for(max(workload.machine_nodes or 0, int(workload.nodes.max())))
        name = path.name.removesuffix(".gz").removesuffix(".swf")
        streams.append(_Stream(name, machine, 0.0, 500 if quick else 20_000, str(path)))
    return streams


def _whole_logs(quick: bool, given: Sequence[str] = ()) -> list[_Stream]:
    """Return the logs whose machines are known, whole; the quick version takes their first jobs."""
    streams = []
    for stream in logs(quick, given):
        name = next((known for known in _INSTALLED if stream.name.startswith(known)), None)
        if name is not None:
            machine, installed = _INSTALLED[name]
            jobs = 500 if quick else 0
            streams.append(_Stream(name, machine, 0.0, jobs, stream.file, installed=installed))
    return streams


def _models(quick: bool, given: Sequence[str] = ()) -> list[_Stream]:
    names = ["like HPC2N"] if quick else list(LIKE)
    jobs, seeds = (300, 2) if quick else (5000, 3)
    return [_Stream(name, *LIKE[name], jobs, seeds=seeds) for name in names]


PARTS = {
    "published": "whole logs on machines as installed, FCFS, and printed speed-ups (Table 3.10)",
    "published-bf": "the same with backfilling (EASY, which reserves a place)",
    "published-bf-counted": "a reading: it reserves a number of nodes, and clears the head's way by force",
    "published-bf-patient": "a reading: it reserves a number of nodes, and the head waits for its place",
    "lublin": "generated workloads of the size and load of three logs",
    "logs": f"logs given (--log), else those of the folder swf, or of that which {FOLDER} names",
}
POLICIES = ("fcfs", "easy")
SCATTERED, CONTIGUOUS = "non-contiguous", "contiguous"
_STREAMS = {"lublin": _models, "logs": logs}
# Of whole logs on machines as they were installed.
_PUBLISHED = {
    "published": "fcfs",
    "published-bf": "easy",
    "published-bf-counted": "easy-counted",
    "published-bf-patient": "easy-patient",
}


@dataclass(frozen=True)
class StreamCase:
    part: str  # key of `PARTS`
    stream: _Stream  # the jobs
    policy: str  # policy of the queue
    allocation: str  # as the tables name it
    threshold: int | None  # nodes of a job that may lie outside its subtree; None: not contiguous
    kept: bool  # whether jobs with nodes outside gain as much as contiguous ones
    speedup: int  # share of its run time that a contiguous job gains
    seed: int  # seed of the model

    def plan(self) -> Plan:
        stream, factor = self.stream, 1 - self.speedup / 100
        times = "log" if not self.speedup else f"factors:{factor:g},{factor if self.kept else 1:g}"
        rule = "quasi-contiguous" if self.part in _PUBLISHED else "nearly-contiguous"
        given = {
            "machine": stream.machine,
            "workload": stream.file or "lublin",
            "jobs": stream.jobs or None,
            "installed": stream.installed,
            "overrun": "requeue" if self.part in _PUBLISHED and self.policy != "fcfs" else None,
            "load": stream.load or None,
            "policy": self.policy,
            "partition": SCATTERED if self.threshold is None else f"{rule}:{self.threshold}",
            "times": times,
        }
        return make_plan(given, self.seed)


def cases(request: StudyRequest) -> list[StreamCase]:
    found = [
        case
        for part in request.parts
        for policy in ((_PUBLISHED[part],) if part in _PUBLISHED else POLICIES)
        for stream in _STREAMS.get(part, _whole_logs)(request.quick, request.logs)
        for case in _cases_of(part, stream, policy, request.quick)
    ]
    if request.logs and not any(case.stream.file for case in found):
        raise ValueError(
            f"--log {request.logs[0]}: has no effect on {' and '.join(request.parts)}; expected "
            f"--table logs, or a published one with a log of {', '.join(_INSTALLED)}"
        )
    return found


def _cases_of(part: str, stream: _Stream, policy: str, quick: bool) -> Iterator[StreamCase]:
    thresholds: tuple[int, ...] = (20,) if quick else (10, 20, 30, 40, 50)
    also_kept: tuple[int, ...] = (20,) if quick else (30,)
    if part in _PUBLISHED:
        thresholds, also_kept = (), (20,) if quick else (10, 20, 30, 40)
    allocations: list[tuple[str, int | None, bool]] = [(CONTIGUOUS, 0, True)]
    allocations += [(f"qct {number} %, lost", number, False) for number in thresholds]
    allocations += [(f"qct {number} %, kept", number, True) for number in also_kept]
    for seed in range(stream.seeds):
        yield StreamCase(part, stream, policy, SCATTERED, None, False, 0, seed)
        for (name, threshold, kept), speedup in itertools.product(allocations, speedups(quick)):
            yield StreamCase(part, stream, policy, name, threshold, kept, speedup, seed)


def speedups(quick: bool) -> tuple[int, ...]:
    """Return the speed-ups in percent that are tried."""
    return (0, 25, 50) if quick else (0, 10, 20, 30, 40, 50)
