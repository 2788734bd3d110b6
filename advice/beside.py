"""The running jobs of a machine: a TOML file of applications and their nodes.

::

    [[job]]
    app = "all-to-all,packets=4"
    nodes = "n[0-15]"

    [[job]]
    trace = "lu.A.64.trace.gz"
    iterations = "1:3"
    nodes = "n[16-79]"
    mapping = "random"

A job without ``app`` and ``trace`` holds its nodes and sends nothing, because its application is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.advice.machine import nodes_from
from netplace.apps import Program
from netplace.checks import abbreviate
from netplace.netsim import Config
from netplace.placement import map_tasks
from netplace.runs import resolve
from netplace.runs.job_programs import programs_of
from netplace.runs.toml_lines import line_of, read_table_list
from netplace.topologies import Topology

__all__ = ["Neighbour", "read_beside"]


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A running job, which repeats forever.

    Attributes
    ----------
    name : str
        Name of the application; empty if unknown.
    held : ndarray of int64
        Its nodes.
    program : Program or None
        Program of its tasks; None if it is unknown or sends nothing.
    nodes : ndarray of int64, shape (tasks,)
        Node of each task.
    """

    name: str
    held: NDArray[np.int64]
    program: Program | None = None
    nodes: NDArray[np.int64] | None = None


def read_beside(path: Path, machine: Topology, hosts: Sequence[str], config: Config) -> list[Neighbour]:
    """Return the jobs that run on a machine according to a file.

    Raises
    ------
    ValueError
        If the file cannot be read, a key or value is not valid, a job has more tasks than nodes, or two jobs
        share a node; the message names file and line.
    """
    text, tables, _ = read_table_list(path, "job")
    neighbours: list[Neighbour] = []
    holder: dict[int, int] = {}
    for place, table in enumerate(tables):
        where = f"{path}:{line_of(text, f'job.{place}', '')}"
        try:
            job = _neighbour(table, machine, hosts, config)
        except (ValueError, OSError) as error:
            raise ValueError(f"{where}: {error}") from None
        for node in job.held.tolist():
            if node in holder:
                raise ValueError(f"{where}: node {hosts[node]} is that of job {holder[node] + 1} already")
            holder[node] = place
        neighbours.append(job)
    return neighbours


def _neighbour(
    table: Mapping[str, Any], machine: Topology, hosts: Sequence[str], config: Config
) -> Neighbour:
    given = dict(table)
    listed = given.pop("nodes", None)
    if isinstance(listed, list):
        listed = ",".join(map(str, listed))
    if not isinstance(listed, str):
        raise ValueError('nodes: not given, expected some such as nodes = "n[0-15]"')
    held = nodes_from(listed, machine, hosts, "nodes")
    mapping = given.pop("mapping", "consecutive")
    if not isinstance(mapping, str):
        raise ValueError(f"mapping: {abbreviate(mapping)} is no name of a mapping")
    if "app" not in given and "trace" not in given:
        if given:
            raise ValueError(f"{next(iter(given))}: given without app or trace")
        return Neighbour("", held)
    if "app" in given:
        given.setdefault("tasks", len(held))
    run = resolve(machine.text, given, config=config)
    [program] = programs_of(run)
    if program.tasks > len(held):
        raise ValueError(f"nodes: {len(held)} for {program.tasks} tasks, expected one a task")
    name = str(given.get("app", given.get("trace")))
    nodes = map_tasks(mapping, machine, program.tasks, nodes=held, program=program)
    [program] = programs_of(run, [nodes])
    if not program.traffic().W.sum():  # it computes, or is one task
        return Neighbour(name, held)
    return Neighbour(name, held, program, nodes)
