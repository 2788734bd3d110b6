"""Jobs from Slurm's ``sacct``: ``sacct -P``, or ``sacct --json``.

Source: sacct(1) of Slurm, "Job accounting fields" (slurm.schedmd.com/sacct.html).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from netplace.inputs import abbreviate, check_choice
from netplace.scheduling.workload.files import read_text
from netplace.scheduling.workload.swf import DEFAULT_DROPS, DROPS, USED, LogTable, workload_of
from netplace.scheduling.workload.workload import Workload

COMMAND = "sacct -a -X -P -o JobIDRaw,Submit,Start,End,ElapsedRaw,NNodes,TimelimitRaw,State,User,Partition"
_STATES = {  # as the Standard Workload Format counts: 1 completed, 0 failed, 5 cancelled
    "COMPLETED": 1,
    "CANCELLED": 5,
    **dict.fromkeys(
        ("FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED"), 0
    ),
    "REVOKED": 5,
}
_NOT_ENDED = (
    "PENDING", "RUNNING", "REQUEUED", "RESIZING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED"
)  # fmt: skip
_NODES = ("nnodes", "allocnodes", "reqnodes")
_CPUS = ("alloccpus", "ncpus", "reqcpus")
_UNKNOWN = ("", "unknown", "none", "n/a", "unlimited", "partition_limit", "invalid")
_NO_VAL = 0xFFFFFFFE  # Slurm's number of 32 bits that is not set; the next one is without end
_SPAN = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")

Row = Mapping[str, str]  # a job: its columns, names in lower case


def is_sacct(head: str) -> bool:
    """Return whether a file begins as JSON, or with the names of columns of ``sacct``."""
    line = head.partition("\n")[0].lower()
    names = {*re.split(r"\W+", line)} if line[:1] not in ";#" else set()
    return (
        line.startswith("{")
        or not names.isdisjoint({"jobid", "jobidraw"})
        or ("|" in line and "state" in names)
    )


def read_sacct(
    path: str | Path,
    drop: Collection[str] = DEFAULT_DROPS,
    cores_per_node: int = 1,
    *,
    text: str | None = None,
) -> Workload:
    """Read the jobs of ``sacct -P`` or ``sacct --json``, plain or compressed by gzip.

    Lines of steps are ignored. Sizes are in nodes (``NNodes``, ``AllocNodes`` or ``ReqNodes``) or, without
    these, in CPUs (``AllocCPUS``, ``NCPUS`` or ``ReqCPUS``), of which a node has `cores_per_node`. The run
    time is ``ElapsedRaw``, ``Elapsed``, or from ``Start`` to ``End``; jobs that have not ended are dropped.
    Times without an offset are UTC. Users and partitions are numbered in the order of their first jobs; the
    header names the partitions. `drop` is that of `read_swf`, `text` the content if it has been read.
    """
    path = Path(path)
    for name in drop:
        check_choice(name, DROPS, "jobs to drop")
    text = read_text(path) if text is None else text
    jobs = list(_from_json(path, text) if text.lstrip().startswith("{") else _from_table(path, text))
    if not jobs:
        raise ValueError(f"{path}: the file has no jobs")
    in_nodes = not jobs[0][1].keys().isdisjoint(_NODES)
    if in_nodes and cores_per_node != 1:
        raise ValueError(f"{path}: sizes are in nodes, and cores per node applies to sizes in CPUs")
    users, partitions = (
        _numbers(job.get(key) or job.get(other, "") for _, job in jobs)
        for key, other in (("user", "uid"), ("partition", "partition"))
    )
    values = np.array([_values(job, where, users, partitions) for where, job in jobs])
    columns = dict(zip(USED, values.T, strict=True))
    begin = np.nanmin(columns["submit time"], initial=np.inf, where=columns["submit time"] >= 0)
    if np.isfinite(begin):
        columns["submit time"] = np.where(columns["submit time"] < 0, -1, columns["submit time"] - begin)
    header = (
        f" UnixStartTime: {begin:.0f}",
        *(f" Queue: {number} {name}" for name, number in partitions.items()),
    )
    lines = [where.rpartition(" ")[2] for where, _ in jobs]
    table = LogTable(path, [int(line) if line.isdigit() else 0 for line in lines], columns)
    table.check()
    return workload_of(table, header, cores_per_node, drop, False)


def _from_table(path: Path, text: str) -> Iterator[tuple[str, Row]]:
    """Yield where each job stands and its columns, of what ``sacct -P`` wrote."""
    names: list[str] = []
    mark, begun = "|", ""
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        if not names:
            mark = (re.match(r"\s*\w+([^\w\s]+)", line) or ["", mark])[1]  # of sacct --delimiter
            names = [word.strip().lower() for word in line.split(mark)]
            if len(names) < 2:
                raise ValueError(
                    f"{where}: a Slurm table without separators, expected the output of {COMMAND}"
                )
            _check_columns(names, where)
            continue
        words = [word.strip() for word in (begun + line).split(mark)]
        if len(words) < len(names):  # a comment may hold the end of a line
            begun += line
            continue
        if len(words) > len(names):
            raise ValueError(f"{where}: {len(words)} columns, expected {len(names)}")
        begun = ""
        job = dict(zip(names, words, strict=True))
        if not re.search(r"[.]", job.get("jobid") or job.get("jobidraw", "")):
            yield where, job
    if begun:
        raise ValueError(f"{path}: the last job has {begun.count(mark) + 1} columns, expected {len(names)}")


def _check_columns(names: list[str], where: str) -> None:
    needed = {
        "Submit": {"submit"} & {*names},
        "State": {"state"} & {*names},
        "NNodes": {*_NODES, *_CPUS} & {*names},
        "ElapsedRaw": {"elapsedraw", "elapsed"} & {*names} or {"start", "end"} <= {*names},
    }
    for name, there in needed.items():
        if not there:
            raise ValueError(f"{where}: no column {name} of sacct, expected the output of {COMMAND}")


class _Limit(msgspec.Struct, frozen=True):
    """A number of Slurm's that may not be set, or be without end."""

    number: int = 0
    set: bool = False
    infinite: bool = False


class _Times(msgspec.Struct, frozen=True):
    """When a job was submitted and started, in seconds since 1970, and its length in seconds."""

    submission: int
    start: int
    elapsed: int
    limit: _Limit | int = _Limit()  # plain minutes up to Slurm 22.05


class _State(msgspec.Struct, frozen=True):
    """What became of a job; a list from Slurm 23.11 on."""

    current: str | tuple[str, ...]


class _Job(msgspec.Struct, frozen=True):
    job_id: int
    time: _Times
    state: _State
    allocation_nodes: int
    user: str | None = None
    partition: str | None = None


class _Jobs(msgspec.Struct, frozen=True):
    """What ``sacct --json`` writes, as far as it is read."""

    jobs: tuple[_Job, ...]


def _from_json(path: Path, text: str) -> Iterator[tuple[str, Row]]:
    """Yield where each job stands and its columns, of what ``sacct --json`` wrote."""
    try:
        jobs = msgspec.json.decode(text, type=_Jobs).jobs
    except (msgspec.DecodeError, RecursionError) as error:
        reason = "jobs of squeue --json have no run time" if '"job_state":' in text else error
        raise ValueError(
            f"{path}: is JSON, but neither output of sacct --json nor a workload of Batsim: {reason}"
        ) from None
    for place, job in enumerate(jobs, 1):
        time, limit, state = job.time, job.time.limit, job.state.current
        if isinstance(limit, int):
            limit = _Limit(limit, set=0 < limit < _NO_VAL)
        yield (
            f"{path}, job {place}",
            {
                "jobidraw": str(job.job_id),
                "submit": str(time.submission),
                "start": str(time.start),
                "elapsedraw": str(time.elapsed),
                "nnodes": str(job.allocation_nodes),
                "timelimitraw": str(limit.number) if limit.set and not limit.infinite else "",
                "state": state if isinstance(state, str) else (*state, "")[0],
                "user": job.user or "",
                "partition": job.partition or "",
            },
        )


def _values(job: Row, where: str, users: Mapping[str, int], partitions: Mapping[str, int]) -> list[float]:
    """Return the numbers of a job, in the order of `USED`; -1 for unknown values."""
    state = job["state"].split(" ")[0].rstrip("+").upper()
    if state not in _STATES and state not in _NOT_ENDED:
        raise ValueError(
            f"{where}: State {abbreviate(job['state'])}, expected one such as {', '.join(_STATES)}"
        )
    start = _time(job.get("start", ""), f"{where}, Start")
    run_time = -1.0
    if state in _STATES:
        run_time = _span(job.get("elapsedraw") or job.get("elapsed", ""), f"{where}, Elapsed", 1)
        if run_time < 0 and start >= 0:
            end = _time(job.get("end", ""), f"{where}, End")
            run_time = end - start if end >= start else -1.0
    limit = _span(job.get("timelimitraw", ""), f"{where}, TimelimitRaw", 60)
    if limit < 0:
        limit = _span(job.get("timelimit", ""), f"{where}, Timelimit", 60)
    number = re.match(r"\d+", job.get("jobidraw") or job.get("jobid", ""))
    if not number:
        raise ValueError(f"{where}: JobID {abbreviate(job.get('jobid', ''))}, expected a number")
    sizes = _CPUS if job.keys().isdisjoint(_NODES) else _NODES
    nodes = next((_count(job[name], f"{where}, {name}") for name in sizes if job.get(name)), -1.0)
    user = users.get(job.get("user") or job.get("uid", ""), -1)
    queue = partitions.get(job.get("partition", ""), -1)
    submit = _time(job["submit"], f"{where}, Submit")
    unstarted = state in _STATES and run_time <= 0 and "start" in job and start < 0
    allocated = -1.0 if unstarted else nodes
    status = _STATES.get(state, -1)
    return [float(number[0]), submit, run_time, allocated, nodes, limit, status, user, -1, queue, -1, -1]


def _time(word: str, label: str) -> float:
    if word.lower() in _UNKNOWN or word == "0":
        return -1.0
    if re.fullmatch(r"\d{1,15}", word):
        return float(word)
    try:
        time = datetime.fromisoformat(word)
    except ValueError:
        raise ValueError(
            f"{label}: {abbreviate(word)} is not a time, expected a form such as 2026-01-31T12:00:00"
        ) from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _span(word: str, label: str, unit: int) -> float:
    """Return seconds of ``[days-][hours:]minutes:seconds``, or of a number of units; -1 if unknown."""
    if word.lower() in _UNKNOWN:
        return -1.0
    if re.fullmatch(r"\d{1,15}", word):
        return float(word) * unit
    match = _SPAN.fullmatch(word)
    if not match:
        raise ValueError(f"{label}: {abbreviate(word)}, expected a form such as 1-02:00:00")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _count(word: str, label: str) -> float:
    if not re.fullmatch(r"\d{1,15}", word):
        raise ValueError(
            f"{label}: {abbreviate(word)} is not a whole number; sacct --noconvert writes whole numbers"
        )
    return float(word)


def _numbers(names: Any) -> dict[str, int]:
    """Return the number of each name, from 1, in the order of first appearance."""
    return {name: place for place, name in enumerate(dict.fromkeys(name for name in names if name), 1)}
