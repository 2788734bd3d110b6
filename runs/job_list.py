"""Workloads as TOML lists of jobs with their applications.

::

    [[job]]
    application = "training:model=toy,tp=2,pp=2"
    nodes = 16
    repeats = 2
    collectives = "nccl"

    [[job]]
    application = "3d-torus,bytes=4096"
    nodes = 8
    count = 3
    submit = 1e-5
    repeats = 100

A job runs its application `repeats` times, on `nodes` nodes, from `submit` seconds on; there are `count` such
jobs. `collectives` says how its collectives are executed, as ``--collectives`` does for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netplace.apps import APPLICATIONS
from netplace.apps.collectives import selection
from netplace.checks import abbreviate, check_choice, check_float, check_int
from netplace.runs.programs import Reading, application_options
from netplace.runs.toml_lines import line_of, read_table_list
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload

_KEYS = ("application", "nodes", "count", "submit", "repeats", "collectives")
_MOST = 1_000_000  # jobs of one entry


def is_job_list(workload: str) -> bool:
    """Return whether the name of a workload is that of a list of jobs."""
    return Path(workload).suffix == ".toml"


def read_job_list(path: str | Path) -> Workload:
    path = Path(path)
    text, tables, _ = read_table_list(path, "job")
    jobs: list[Job] = []
    for place, table in enumerate(tables):
        try:
            jobs += _jobs(table, len(jobs) + 1)
        except ValueError as error:
            key = str(error).partition(":")[0].partition(" ")[0]
            where = line_of(text, f"job.{place}", key if key in table else "")
            raise ValueError(f"{path}:{where}: {error}") from None
    return Workload.of(jobs)


def _jobs(table: Mapping[str, Any], number: int) -> list[Job]:
    """Return the jobs of an entry, the first one with a number."""
    for key in table:
        check_choice(key, _KEYS, "key of a job")
    for key in ("application", "nodes"):
        if key not in table:
            raise ValueError(f"{key}: missing, expected a value for each job")
    application = _application(table)
    nodes = check_int(table["nodes"], "nodes")
    submit = check_float(table.get("submit", 0.0), "submit", 0.0, 2.0**53)
    repeats = check_int(table.get("repeats", 1), "repeats", 1, (1 << 31) - 1)
    count = check_int(table.get("count", 1), "count", 1, _MOST)
    return [
        Job(number + place, submit, nodes, 0.0, application=application, repeats=repeats)
        for place in range(count)
    ]


def _application(table: Mapping[str, Any]) -> str:
    """Return the text of an application with what chooses its collectives."""
    text = table["application"]
    if not isinstance(text, str) or not text:
        raise ValueError(f'application: is {abbreviate(text)}, expected one such as "2d-torus,bytes=4096"')
    name, options = application_options(text, Reading())
    check_choice(name, APPLICATIONS.names(), "application")
    if "tasks" in options:
        raise ValueError(f"application: {text!r} sets tasks, but a job has one task on each of its nodes")
    if "collectives" not in table:
        return text
    if "collectives" in options:
        raise ValueError(f"collectives: {table['collectives']!r} given, but {text!r} sets them already")
    selection(str(table["collectives"]), "collectives")
    return f"{text},collectives={table['collectives']}"
