"""Workloads as tables (CSV, TSV): one row per job, one column per attribute.

The first row that is no comment (``#``) names the columns ``number,submit,nodes,run_time,estimate,
program,tasks,repeats``; the last four can be missing or empty. A program that contains a comma is quoted, as
in ``"lu,class=W"``. Comments at the top are the header.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from netplace.inputs import check_choice, check_float, check_int
from netplace.scheduling.job import Job
from netplace.scheduling.workload.files import read_text, write_text
from netplace.scheduling.workload.swf import header_number, plain, without_size
from netplace.scheduling.workload.workload import Workload
from netplace.text_tables import rows_of

_NEEDED = ("number", "submit", "nodes", "run_time")
_LONGEST = 2.0**53  # seconds, up to which every whole one can be told from the next
_NAMES = (*_NEEDED, "estimate", "program", "tasks", "repeats")


def read_csv(path: str | Path) -> Workload:
    """Read a workload from CSV, plain or compressed by gzip."""
    path = Path(path)
    text = read_text(path)
    rows = rows_of(text, str(path))
    if not rows:
        raise ValueError(f"{path}: is empty, expected columns {', '.join(_NEEDED)}")
    header = tuple(line[1:] for line in takewhile(lambda line: line.startswith("#"), text.split("\n")))
    names = _names(rows[0][1], f"{path}, line {rows[0][0]}")
    jobs = [_job(names, row, f"{path}, line {line}") for line, row in rows[1:]]
    if not jobs:
        raise ValueError(f"{path}: the file has no jobs")
    try:
        return Workload.of(jobs, header=header, machine_nodes=header_number(header, "MaxNodes"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _names(row: list[str], where: str) -> list[str]:
    names = [check_choice(name.strip(), _NAMES, f"{where}, column") for name in row]
    if lacking := [name for name in _NEEDED if name not in names]:
        raise ValueError(f"{where}: lacks {', '.join(lacking)}, expected columns {', '.join(_NEEDED)}")
    if twice := [name for name in _NAMES if names.count(name) > 1]:
        raise ValueError(f"{where}: {names.count(twice[0])} columns {twice[0]}, expected one")
    return names


def _job(names: list[str], row: list[str], where: str) -> Job:
    if len(row) != len(names):
        raise ValueError(f"{where}: {len(row)} columns, expected {len(names)}")
    given = {name: word.strip() for name, word in zip(names, row, strict=True) if word.strip()}
    for name in _NEEDED:
        if name not in given:
            raise ValueError(f"{where}: {name} is empty")
    return Job(
        number=check_int(given["number"], f"{where}, number", 0),
        submit=_seconds(given["submit"], f"{where}, submit"),
        nodes=check_int(given["nodes"], f"{where}, nodes"),
        run_time=_seconds(given["run_time"], f"{where}, run_time"),
        estimate=_seconds(given["estimate"], f"{where}, estimate") if "estimate" in given else None,
        program=given.get("program", ""),
        tasks=check_int(given.get("tasks", 0), f"{where}, tasks", 0),
        repeats=check_int(given.get("repeats", 1), f"{where}, repeats"),
    )


def _seconds(word: str, label: str) -> float:
    return check_float(word, f"{label} in seconds", 0, _LONGEST)


def write_csv(workload: Workload, path: str | Path) -> None:
    """Write a workload with all attributes of its jobs, compressed if the name ends in ``.gz``."""
    write_text(Path(path), _text(workload))


def _text(workload: Workload) -> Iterator[str]:
    header, machine = workload.header, workload.machine_nodes
    if machine is not None and header_number(header, "MaxNodes") != machine:
        header = (*without_size(header), f" MaxNodes: {machine}")
    yield from (f"#{line}\n" for line in header)
    yield ",".join(_NAMES) + "\n"
    for job in workload:
        estimate = "" if job.estimate is None else plain(job.estimate)
        program = '"' + job.program.replace('"', '""') + '"' if "," in job.program else job.program
        yield (
            f"{job.number},{plain(job.submit)},{job.nodes},{plain(job.run_time)},{estimate},"
            f"{program},{job.tasks or ''},{job.repeats}\n"
        )
