"""The Standard Workload Format (SWF), version 2, of the Parallel Workloads Archive.

One line per job, 18 numbers per line, -1 for unknown values, and comments after a semicolon or ``#``; commas
between numbers, and more columns, are accepted
(<https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>). The reader uses the job's number (column 1),
submit time (2), run time (4), allocated processors (5) or, if unknown, requested ones (8) (or vice versa, if
requested), requested time (9), status (11), user (12), executable (14), queue (15), preceding job (17) and
think time (18).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.scheduling.workload.files import read_text, write_text
from netplace.scheduling.workload.workload import COMPLETED, Workload


def header_number(header: Sequence[str], name: str) -> int | None:
    matches = (re.match(rf"\s*{name}:\s*(\d{{1,3}}(?:,\d{{3}})+|\d+)", line) for line in header)
    numbers = (int(match[1].replace(",", "")) for match in matches if match)
    return next((number for number in numbers if number > 0), None)


def _machine_of(header: Sequence[str], cores: int) -> int | None:
    """Return the nodes of the machine; where processors stand for nodes, its processors."""
    processors, nodes = header_number(header, "MaxProcs"), header_number(header, "MaxNodes")
    return -(-processors // cores) if processors else nodes


def _header_per_node(header: tuple[str, ...], cores: int) -> tuple[str, ...]:
    """Return the header of a workload whose sizes are in nodes."""
    machine = _machine_of(header, cores)
    if cores == 1 or machine is None:
        return header
    return _header_of_size(header, machine, f" Note: sizes were divided by {cores} processors per node")


def _header_of_size(header: Sequence[str], machine: int, *more: str) -> tuple[str, ...]:
    """Return a header that says the given number of nodes, with `more` lines at its end."""
    return (*without_size(header), f" MaxNodes: {machine}", f" MaxProcs: {machine}", *more)


def without_size(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in header if not re.match(r"\s*Max(Nodes|Procs):", line))


_AT_ONCE = 4096


def write_swf(workload: Workload, path: str | Path) -> None:
    """Write a workload in SWF, compressed if the name ends in ``.gz``.

    The header is kept, and says the size of the machine. Jobs must not have programs: the format has no place
    for those.
    """
    if any(program for program, _ in workload.kinds):
        raise ValueError(
            f"{path}: SWF has no column for the program of a job, expected a name that ends in .csv"
        )
    write_text(Path(path), _text(workload))


def _text(workload: Workload) -> Iterator[str]:
    header, machine = workload.header, workload.machine_nodes
    if machine is not None and _machine_of(header, 1) != machine:
        header = _header_of_size(header, machine)
    for line in header:
        yield f";{line}\n"
    for start in range(0, len(workload), _AT_ONCE):
        part = workload[start : start + _AT_ONCE]
        estimates = np.where(np.isnan(part.estimate), -1, part.estimate)
        think_times = np.where(part.after > 0, part.think, -1)
        columns = (
            *(part.number, part.submit, part.run_time, part.nodes, estimates, part.status),
            *(part.user, part.executable, part.queue, part.after, think_times),
        )
        for number, submit, run_time, nodes, estimate, status, user, executable, queue, after, think in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            yield (
                f"{number} {plain(submit)} -1 {plain(run_time)} {nodes} -1 -1 {nodes} {plain(estimate)} -1 "
                f"{status} {user} -1 {executable} {queue} -1 {after} {plain(think)}\n"
            )


def plain(seconds: float) -> str:
    """Return a time as short as it can be read back."""
    return str(int(seconds)) if seconds == int(seconds) else repr(seconds)


DROPS = {
    "failed": "jobs of status 0",
    "cancelled": "jobs of status 5",
    "never-ran": "jobs without a run time, or of run time 0",
    "not-completed": "jobs of any status but 1",
}
DEFAULT_DROPS = ("never-ran",)  # as pyss and the figures of the literature have it
_COLUMNS = 18
_COMMENT = (";", "#")
USED = {  # of the columns of a log, and where they stand in SWF
    "job number": 0,
    "submit time": 1,
    "run time": 3,
    "allocated processors": 4,
    "requested processors": 7,
    "requested time": 8,
    "status": 10,
    "user": 11,
    "executable": 13,
    "queue": 14,
    "preceding job": 16,
    "think time": 17,
}
# What makes no sense in these is not known.
_LABELS = ("user", "executable", "queue", "preceding job", "think time")
LOGS = "SWF, the output of sacct -P or --json, a workload of Batsim, or CSV in a file named .csv"
_WHOLE = ("job number", "allocated processors", "requested processors", "status")
_FAILED, _PARTS, _CANCELLED = 0, (2, 3, 4), 5
_MOST = 2.0**53  # the largest number up to which every whole one can be told from the next
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def read_swf(
    path: str | Path, cores_per_node: int = 1, drop: Collection[str] = DEFAULT_DROPS, requested: bool = False
) -> Workload:
    """Read a log or a workload in SWF, plain or compressed by gzip.

    Jobs that never ran are dropped, as is usual in the literature: kept with run time 0 they would wait with
    the whole of their estimates. A job *never ran* if its run time is 0, or if it has none and was canceled
    or got no processors. Jobs that failed or were canceled as they ran are kept. Dropped, and counted by
    reason, are also jobs whose submit time, size or run time is unknown otherwise, and lines for parts of a
    job that was checkpointed (status 2 to 4), since another line sums them up. A requested time of 0 or -1 is
    no estimate. Jobs are sorted by submission; those submitted at once stay in the order of the file. If job
    numbers are not unique, all jobs are numbered again.

    Parameters
    ----------
    cores_per_node : int
        Processors of a node; sizes are divided by it and rounded up.
    drop : collection of str
        Keys of `DROPS`: jobs to leave out; ``()``: none. A job that never ran and is kept has run time 0.
    requested : bool
        Whether the size of a job is its request rather than its allocation, if both are known.
    """
    path = Path(path)
    check_int(cores_per_node, "cores per node")
    for name in drop:
        check_choice(name, DROPS, "jobs to drop")
    lines = read_text(path).split("\n")
    table = _table(path, lines)
    header = tuple(line.lstrip()[1:] for line in lines if line.lstrip().startswith(_COMMENT))
    return workload_of(table, header, cores_per_node, drop, requested)


@dataclass(frozen=True)
class LogTable:
    """The columns that are used of a log of jobs, by the names of `USED`, and where they stand."""

    path: Path  # the file
    line: Sequence[int]  # line of each job
    columns: dict[str, Floats]  # shape (jobs,): numbers, as the Standard Workload Format has them
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        for name, column in self.columns.items():
            if name in _LABELS:
                continue
            self._refuse(~(np.abs(column) < _MOST), name, "a number of less than 2^53")
            if name in _WHOLE:
                self._refuse(column != np.rint(column), name, "a whole number")
            if name not in ("job number", "status"):
                self._refuse((column < 0) & (column != -1), name, "at least 0, or -1 for unknown")

    def _refuse(self, wrong: Flags, name: str, expected: str) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            value = self.columns[name][row]
            raise ValueError(f"{self.path}, line {self.line[row]}: {name} {value:g}, expected {expected}")


def _is_data(line: str) -> bool:
    text = line.lstrip()
    return bool(text) and not text.startswith(_COMMENT)


def _table(path: Path, lines: Sequence[str]) -> LogTable:
    lines = [line if line.lstrip().startswith(_COMMENT) else line.replace(",", " ") for line in lines]
    data = [line for line in lines if _is_data(line)]
    if not data:
        raise ValueError(f"{path}: the file has no jobs")
    try:
        values = np.loadtxt(data, comments=None, ndmin=2)
    except ValueError as error:
        _explain(path, lines, str(error))
    if (more := values.shape[1] - _COLUMNS) < 0:
        _explain(path, lines, f"{values.shape[1]} columns")
    numbers = [number for number, line in enumerate(lines, 1) if _is_data(line)]
    notes = (f"columns after the {_COLUMNS} of SWF are ignored: {more}",) if more else ()
    table = LogTable(path, numbers, {name: values[:, place] for name, place in USED.items()}, notes)
    table.check()
    return table


def _explain(path: Path, lines: Sequence[str], otherwise: str) -> NoReturn:
    """Say which line is at fault, after the whole could not be read."""
    for number, line in enumerate(lines, 1):
        if not _is_data(line):
            continue
        words = line.split()
        if not _is_number(words[0]) and path.suffix.lower() != ".swf":
            raise ValueError(f"{path}: is no log of jobs that netplace reads, expected {LOGS}")
        if len(words) < _COLUMNS:
            raise ValueError(f"{path}, line {number}: {len(words)} columns, expected {_COLUMNS}")
        for place, word in enumerate(words, 1):
            if not _is_number(word):
                shown = repr(word[:40])
                raise ValueError(f"{path}, line {number}: column {place} is {shown}, expected a number")
    raise ValueError(f"{path}: {otherwise}")


def _is_number(word: str) -> bool:
    """Return whether `word` is a number to NumPy, which knows neither 1_000 nor digits of other scripts."""
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word


def workload_of(
    table: LogTable, header: tuple[str, ...], cores: int, drop: Collection[str], requested_first: bool
) -> Workload:
    submit, run_time = table.columns["submit time"], table.columns["run time"]
    allocated, status = table.columns["allocated processors"], table.columns["status"].astype(np.int64)
    sizes = [allocated, table.columns["requested processors"]][:: -1 if requested_first else 1]
    size = np.where(sizes[0] > 0, sizes[0], sizes[1])
    unstarted = (run_time < 0) & ((status == _CANCELLED) | (allocated <= 0))
    reasons = {
        "part of a job that another line contains as a whole": np.isin(status, _PARTS),
        "unknown submission time": submit < 0,
        "unknown size": size <= 0,
        "unknown run time": (run_time < 0) & ~unstarted,
    }
    wishes = {
        "failed": status == _FAILED,
        "cancelled": status == _CANCELLED,
        "never-ran": (run_time == 0) | unstarted,
        "not-completed": status != COMPLETED,
    }
    reasons |= {name.replace("-", " "): wishes[name] for name in DROPS if name in drop}
    keep, dropped, notes = _kept(table, reasons)
    notes += _zero_note(unstarted[keep])
    order, more = _order(submit[keep])
    rows = np.flatnonzero(keep)[order]
    number, renumbered = _numbers(table.columns["job number"][rows])
    requested = table.columns["requested time"][rows]
    user, executable, queue, after, think = (_label(table.columns[name][rows]) for name in _LABELS)
    if renumbered:
        after[:] = -1
    return Workload(
        number=number,
        submit=submit[rows],
        nodes=np.ceil(size[rows] / cores).astype(np.int64),
        run_time=np.maximum(run_time[rows], 0),
        estimate=np.where(requested > 0, requested, np.nan),
        status=status[rows],
        user=user,
        executable=executable,
        queue=queue,
        after=np.where(after > 0, after, -1),
        think=np.where((after > 0) & (think > 0), think, 0),
        machine_nodes=_machine_of(header, cores),
        header=_header_per_node(header, cores),
        notes=(*table.notes, *notes, *more, *renumbered),
        dropped=dropped,
    )


def _label(column: Floats) -> NDArray[np.int64]:
    """Return whole numbers of at least 0, and -1 for all others."""
    known = (column >= 0) & (column < _MOST) & (column == np.rint(column))
    return np.where(known, column, -1).astype(np.int64)


def _kept(table: LogTable, reasons: dict[str, Flags]) -> tuple[Flags, dict[str, int], tuple[str, ...]]:
    """Return which lines are kept, and how many are not for which reason; the first one counts."""
    keep = np.ones(len(table.columns["status"]), bool)
    dropped: dict[str, int] = {}
    for reason, which in reasons.items():
        if count := int(np.count_nonzero(which & keep)):
            dropped[reason] = count
        keep &= ~which
    if not keep.any():
        raise ValueError(f"{table.path}: all jobs in the file are dropped: {'; '.join(dropped)}")
    notes = tuple(f"jobs dropped: {count:,} of {len(keep):,}, {why}" for why, count in dropped.items())
    return keep, dropped, notes


def _zero_note(unstarted: Flags) -> tuple[str, ...]:
    count = int(np.count_nonzero(unstarted))
    return (f"jobs that never ran, kept with run time 0: {count:,}",) if count else ()


def _order(submit: Floats) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    gaps = np.diff(submit)
    early = int(np.count_nonzero(gaps < 0))
    order = np.argsort(submit, kind="stable")
    same = int(np.count_nonzero(np.diff(submit[order]) == 0))
    if not early and not same:
        return order, ()
    return order, (
        f"jobs sorted by submit time: {early:,} followed a later one, {same:,} share their time with another",
    )


def _numbers(number: Floats) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    numbers = number.astype(np.int64)
    again = len(numbers) - len(np.unique(numbers))
    if not again:
        return numbers, ()
    return np.arange(1, len(numbers) + 1), (
        f"job numbers are not unique ({again:,} appear again): jobs are renumbered",
    )
