"""The machine of an operator, and its nodes by name or number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from netplace.apps import Program
from netplace.files import text_of
from netplace.inputs import abbreviate, check_ranges
from netplace.netsim import Config
from netplace.placement import map_tasks
from netplace.placement.rule import Nodes
from netplace.runs import resolve
from netplace.runs.job_programs import programs_of
from netplace.runs.toml_lines import line_of, read_table_list
from netplace.topologies import Topology, parse
from netplace.topologies.compute_nodes import slots_a_host, slots_of
from netplace.topologies.host_lists import count_hosts, expand, host_list

_SLURM = (".conf", ".yaml", ".yml")
_NUMBERS = re.compile(r"\d+(-\d+)?")
_WORD = re.compile(r"[^\s,\[]+(?:\[[^\]]*\][^\s,\[]*)*")


def machine_text(text: str) -> str:
    """Return the text form of a machine; a mere file name gives that of a Slurm file."""
    path = Path(text.partition(",")[0])
    return f"slurm:{text}" if path.suffix.lower() in _SLURM and ":" not in path.parts[0] else text


def machine_of(text: str) -> Topology:
    """Return the machine that a text form or a Slurm file describes."""
    return parse(machine_text(text))


def nodes_from(text: str, machine: Topology, hosts: Sequence[str], where: str) -> Nodes:
    """Return the nodes in a list, or in a file with such a list, in the order of the list.

    Parameters
    ----------
    text : str
        Names of hosts in Slurm's format, as in ``n[0-3,7]``, or their numbers, as in ``0-3,7``; or the name
        of a file that contains such a list on any number of lines. Text after a ``#`` is ignored. A host
        stands for all its slots.
    hosts : sequence of str
        The name of the host of each node of the machine.
    where : str
        Name of the list in error messages.

    Raises
    ------
    ValueError
        If a file cannot be read, a name is unknown, a node does not compute, or a node is named twice.
    """
    names = hosts[:: slots_a_host(machine)]
    number = {name: host for host, name in enumerate(names)}
    chosen: dict[int, None] = {}
    for place, line in _lines(text, where):
        for word in _WORD.findall(line.partition("#")[0]):
            for host in _hosts_of(word, number, machine, place):
                if host in chosen:
                    raise ValueError(f"{place}: node {names[host]} appears twice")
                if np.isin(slots_of(machine, np.array([host])), machine.service).any():
                    raise ValueError(f"{place}: node {names[host]} of {machine} does not compute")
                chosen[host] = None
    if not chosen:
        raise ValueError(f"{where} {text}: has no nodes, expected a list such as {_example(names)}")
    return slots_of(machine, np.array([*chosen], np.int64))


def _lines(text: str, where: str) -> list[tuple[str, str]]:
    """Return lines, and what each is for people."""
    path = Path(text)
    try:
        is_file = path.is_file()
    except OSError:  # a list may be longer than names of files
        is_file = False
    if not is_file:
        if "/" in text or path.suffix in (".txt", ".list"):
            raise ValueError(f"{where}: the file {text} does not exist")
        return [(where, text)]
    lines = text_of(path).splitlines()
    return [(f"{where} {text}:{place}", line) for place, line in enumerate(lines, 1)]


def _hosts_of(word: str, number: dict[str, int], machine: Topology, where: str) -> list[int]:
    """Return the hosts that a word names, or numbers where no host is called so."""
    hosts = machine.nodes // slots_a_host(machine)
    if _NUMBERS.fullmatch(word) and word not in number:
        return list(*check_ranges(word, f"{where}: node", hosts - 1))
    if count_hosts(word, where) > hosts:
        raise ValueError(f"{where}: {abbreviate(word)} has more nodes than the {hosts} of {machine}")
    names = list(expand(word, where))
    for name in names:
        if name not in number:
            raise ValueError(
                f"{where}: {abbreviate(name)} is not a node of {machine}, expected nodes such as "
                f"{_example([*number])}"
            )
    return [number[name] for name in names]


def _example(hosts: Sequence[str]) -> str:
    """Return the names of a machine, shortened for people."""
    text = host_list(hosts)
    return text if len(text) <= 60 else f"{hosts[0]} .. {hosts[-1]}"


# The running jobs of a machine: a TOML file of applications and their nodes.
#
# ::
#
# [[job]]
# app = "all-to-all,packets=4"
# nodes = "n[0-15]"
#
# [[job]]
# trace = "lu.A.64.trace.gz"
# iterations = "1:3"
# nodes = "n[16-79]"
# mapping = "random"
#
# A job without ``app`` and ``trace`` holds its nodes and sends nothing, because its application is unknown.


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A running job, which repeats forever.

    Attributes
    ----------
    name : str
        Name of the application; empty if unknown.
    held : ndarray of int64
        Nodes that the job holds.
    program : Program or None
        Program of the job; None if it is unknown or sends nothing.
    nodes : ndarray of int64, shape (tasks,)
        Node of each task.
    """

    name: str
    held: Nodes
    program: Program | None = None
    nodes: Nodes | None = None


def read_running_jobs(path: Path, machine: Topology, hosts: Sequence[str], config: Config) -> list[Neighbour]:
    """Return the jobs that, according to a file, run on a machine.

    Raises
    ------
    ValueError
        If the file cannot be read, a key or value is not valid, a job has more tasks than nodes, or two jobs
        share a node; the message names the file and the line.
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
                raise ValueError(f"{where}: node {hosts[node]} already belongs to job {holder[node] + 1}")
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
        raise ValueError('nodes: not given, expected a list such as nodes = "n[0-15]"')
    held = nodes_from(listed, machine, hosts, "nodes")
    mapping = given.pop("mapping", "consecutive")
    if not isinstance(mapping, str):
        raise ValueError(f"mapping: {abbreviate(mapping)} is not a mapping")
    if "app" not in given and "trace" not in given:
        if given:
            raise ValueError(f"{next(iter(given))}: given without app or trace")
        return Neighbour("", held)
    if "app" in given:
        given.setdefault("tasks", len(held))
    run = resolve(machine.text, given, config=config)
    [program] = programs_of(run)
    if program.tasks > len(held):
        raise ValueError(f"nodes: {len(held)} for {program.tasks} tasks, expected one per task")
    name = str(given.get("app", given.get("trace")))
    nodes = map_tasks(mapping, machine, program.tasks, nodes=held, program=program)
    [program] = programs_of(run, [nodes])
    if not program.traffic().W.sum():  # it computes, or is one task
        return Neighbour(name, held)
    return Neighbour(name, held, program, nodes)
