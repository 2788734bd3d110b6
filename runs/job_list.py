"""Workloads as TOML lists of jobs with their programs.

::

    [[job]]
    program = "training:model=toy,tp=2,pp=2"
    tasks = 16
    repeats = 2
    collectives = "nccl"

    [[job]]
    program = "CG.W.16"
    count = 3
    submit = 1e-5
    interval = 2e-5
    repeats = 100

A job runs its program `repeats` times, with `tasks` tasks on `nodes` nodes, from `submit` seconds on; there
are `count` such jobs, each submitted `interval` seconds after the one before. A trace has the tasks that it
has, and may lie beside the file; by default there is one task on each node. `collectives` says how the
collectives of an application are executed, as ``--collectives`` does for all. Other tables of the file are of
no concern here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.apps.collectives import selection
from netplace.inputs import FaultsError, abbreviate, check_choice, check_float, check_int
from netplace.netsim import Config
from netplace.plugins import file_digest
from netplace.runs.job_programs import program_once
from netplace.runs.programs import request_of, trace_digest, trace_path
from netplace.runs.toml_lines import line_of, read_toml
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload, read_csv
from netplace.scheduling.workload.workload import MOST_NODES

_KEYS = ("program", "tasks", "nodes", "count", "submit", "interval", "repeats", "collectives")
_MOST = 1_000_000  # jobs of one entry


def is_job_list(workload: str) -> bool:
    """Return whether the name of a workload is that of a list of jobs."""
    return Path(workload).suffix == ".toml"


def read_job_list(path: str | Path, slots: int = 1, hosts: int = MOST_NODES) -> Workload:
    """Return the jobs of the tables ``[[job]]`` of a file, for a machine of hosts with so many slots each.

    Raises
    ------
    ValueError
        If the file has no such table, or some of them are not valid; the error has a line for each.
    """
    path = Path(path)
    text, data = read_toml(path)
    tables = data.get("job", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables) or not tables:
        raise FaultsError([f"{path}: has no [[job]], expected at least one"])
    jobs: list[Job] = []
    faults = []
    for place, table in enumerate(tables):
        try:
            jobs += _jobs(_beside(path, table), len(jobs) + 1, slots)
            if (nodes := jobs[-1].nodes) > hosts:
                raise ValueError(
                    f"program: {table['program']} takes {nodes} hosts, but the machine has {hosts}"
                )
        except ValueError as error:
            key = str(error).partition(":")[0].partition(" ")[0]
            where = line_of(text, f"job.{place}", key if key in table else "")
            faults.append(f"{path}:{where}: {error}")
    if faults:
        raise FaultsError(faults)
    return Workload.of(jobs)


def _beside(path: Path, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a job, whose trace may lie beside the file of the jobs."""
    name, comma, options = str(table.get("program", "")).partition(",")
    trace = path.parent / name
    return dict(table, program=f"{trace}{comma}{options}") if name and trace.is_file() else table


def digests_of_programs(workload: str, slots: int = 1) -> list[tuple[str, str]]:
    """Return the traces that the jobs of a file run, each with its SHA-256."""
    if not is_job_list(workload) and ".csv" not in Path(workload).name.lower():
        return []
    requests = [request_of(program) for program in _programs(workload, file_digest(Path(workload)), slots)]
    traces = {str(trace_path(request["trace"])) for request in requests if "trace" in request}
    return [(trace, trace_digest(Path(trace))) for trace in sorted(traces)]


@lru_cache(maxsize=16)
def _programs(workload: str, digest: str, slots: int) -> list[str]:
    """Return the programs of a file whose content has the digest: all plans of a study ask for them."""
    kinds = (read_job_list(workload, slots) if is_job_list(workload) else read_csv(workload)).kinds
    return sorted({program for program, _ in kinds if program})


def _jobs(table: Mapping[str, Any], number: int, slots: int) -> list[Job]:
    """Return the jobs of an entry, the first one with a number."""
    for key in table:
        check_choice(key, _KEYS, "key of a job")
    program = _program(table)
    tasks = _tasks(program, table, slots)
    fewest = -(-tasks // slots)
    nodes = check_int(table.get("nodes", fewest), "nodes", fewest)
    submit = check_float(table.get("submit", 0.0), "submit", 0.0, 2.0**53)
    interval = check_float(table.get("interval", 0.0), "interval", 0.0, 2.0**53)
    repeats = check_int(table.get("repeats", 1), "repeats", 1, (1 << 31) - 1)
    count = check_int(table.get("count", 1), "count", 1, _MOST)
    own = 0 if tasks == nodes * slots else tasks
    return [
        Job(number + k, submit + k * interval, nodes, 0.0, program=program, tasks=own, repeats=repeats)
        for k in range(count)
    ]


def _program(table: Mapping[str, Any]) -> str:
    """Return the text of a program with what chooses its collectives."""
    text = table.get("program")
    if not isinstance(text, str) or not text:
        raise ValueError(f'program: is {abbreviate(text)}, expected one such as "lu,class=W" or "CG.A.64"')
    request = request_of(text)
    for key in ("tasks", "repeats", "mapping", "start"):
        if key in request:
            raise ValueError(f"program: {text!r} sets {key}, expected it as a key of the job")
    if "collectives" not in table:
        return text
    if "collectives" in request:
        raise ValueError(f"collectives: {table['collectives']!r} given, but {text!r} sets them already")
    selection(str(table["collectives"]), "collectives")
    return f"{text},collectives={table['collectives']}"


@lru_cache(maxsize=256)
def _ranks(trace: Path, digest: str) -> int:
    """Return the number of ranks of a trace, whose content has the digest."""
    from netplace.apps.formats import read

    return read(trace).tasks


def _tasks(program: str, table: Mapping[str, Any], slots: int) -> int:
    """Return the number of tasks of a program, which must exist."""
    request = request_of(program)
    name = "tasks" if "tasks" in table else "nodes"
    given = table.get(name)
    if "trace" in request:
        path = trace_path(request["trace"])
        ranks = _ranks(path, trace_digest(path))
        if given is not None and check_int(table.get("tasks", ranks), "tasks") != ranks:
            raise ValueError(f"tasks: {given} given, but {request['trace']} is a trace of {ranks} ranks")
        return ranks
    if given is None:
        raise ValueError("tasks: not given, expected the number of tasks of the program")
    tasks = check_int(given, name) * (slots if name == "nodes" else 1)
    try:
        program_once(program, tasks, Config())
    except ValueError as error:
        raise ValueError(f"{name}: {tasks} given for {program}: {error}") from None
    return tasks
