"""Mappings from files that list host names (as in an allocation) or nodes."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from netplace.inputs import abbreviate, check_choice, check_int
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes, read_lines
from netplace.topologies import Graph, Grid, Topology, Tree
from netplace.topologies.host_lists import count_hosts, expand

_NAMES = ("host", "hostname", "node", "name", "xname")
_COLUMNS = {
    "cell": "group", "island": "group", "cabinet": "group", "rack": "switch", "mpi_rank": "rank",
    "task": "rank",
}  # fmt: skip
_NUMBER = re.compile(r"n?(\d{1,9})", re.ASCII)
_XNAME = re.compile(r"x(\d+)c(\d+)s(\d+)b(\d+)n(\d+)", re.ASCII)  # cabinet, chassis, slot, board, node
_BLADE = re.compile(r"(as\d+)(r\d+)b\d+", re.ASCII)  # island, rack and blade of MareNostrum 5
_CABINET = {"chassis": 8, "slot": 8, "board": 2, "node": 2}  # how many there are, of HPE Cray EX
_MOST = 1 << 24


@dataclass(frozen=True)
class Host:
    """The host of a rank: its place in the file, its names, and its location according to the columns."""

    where: str
    names: tuple[str, ...]
    at: tuple[int, ...] = ()
    within: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.names[0] if self.names else ",".join(map(str, self.at))


def by_hosts(problem: MappingProblem) -> Nodes:
    """Return the node of each rank; the file named in the option lists the hosts in the order of ranks.

    If the file of the network contains names, hosts are found by name. Otherwise, a host is given by a
    number, or by ``n`` and a number; by coordinates on meshes and tori; or, on networks of groups and
    switches, by a name or columns that determine its group and switch. Several ranks on a host take its
    places in turn.
    """
    if not problem.option:
        raise ValueError("mapping hosts: no path given, expected a form such as hosts:alloc.csv")
    listed = read_hosts(Path(problem.option))
    if len(listed) != problem.tasks:
        raise ValueError(
            f"{problem.option}: lists the hosts of {len(listed)} ranks, expected {problem.tasks}, the number "
            "of tasks"
        )
    nodes, usable = nodes_of(problem.topology, listed), set(problem.nodes.tolist())
    for host, node in zip(listed, nodes.tolist(), strict=True):
        if node not in usable:
            raise ValueError(
                f"{host.where}: host {abbreviate(str(host))} is node {node}, which is not among the "
                f"{len(usable)} nodes that the tasks may use"
            )
    return nodes


def nodes_of(topology: Topology, listed: Sequence[Host]) -> Nodes:
    """Return the nodes of hosts; several ranks on a host take its places in turn."""
    taken: dict[str, list[int]] = {}
    nodes = []
    for rank, (host, places) in enumerate(zip(listed, _places(topology, listed), strict=True)):
        ranks = taken.setdefault(str(places), [])
        if len(ranks) == len(places):
            others = f"rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks)} ranks"
            raise ValueError(
                f"{host.where}: host {abbreviate(str(host))} is assigned to rank {rank} and to {others}, but "
                f"{topology} has {len(places)} place{'s'[: len(places) > 1]} there"
            )
        nodes.append(places[len(ranks)])
        ranks.append(rank)
    return np.array(nodes, np.int64)


def read_hosts(path: Path) -> list[Host]:
    """Return the hosts in a file, in the order of ranks.

    A line contains a name, a list such as ``n[0-3]``, or coordinates such as ``(0,1,2)``. If the first line
    names columns (``host`` or ``xname``, or ``x,y,z``; also ``rank``, ``group``, ``switch``), the file is
    CSV. Blank lines and text after a ``#`` are ignored.
    """
    rows = read_lines(path)
    if not rows:
        raise ValueError(f"{path}: is empty, expected the host of each rank")
    columns = [_COLUMNS.get(name, name) for name in map(str.strip, rows[0][1].lower().split(","))]
    if {*_NAMES, "rank"}.intersection(columns) or columns[:2] == ["x", "y"]:
        return _of_table(path, columns, rows[1:])
    listed: list[Host] = []
    for where, line in rows:
        if at := _coordinates(line):
            listed.append(Host(where, (), at))
        elif count_hosts(line, where) + len(listed) > _MOST:
            raise ValueError(f"{where}: lists more than {_MOST} hosts")
        else:
            listed.extend(Host(where, (name.strip(),)) for name in expand(line, where))
    return listed


def _coordinates(line: str) -> tuple[int, ...]:
    """Return the numbers of a line such as ``(0,1,2)``, ``0 1 2`` or ``0-1-2``; none of another line."""
    words = re.split(r"[\s,;-]+", line.strip("()[]<> "))
    numbers = all(word.isascii() and word.isdigit() and len(word) < 10 for word in words)
    return tuple(map(int, words)) if numbers and len(words) > 1 else ()


def _of_table(path: Path, columns: list[str], rows: list[tuple[str, str]]) -> list[Host]:
    named = [place for place, name in enumerate(columns) if name in _NAMES]
    axes = [place for place, name in enumerate(columns) if len(name) == 1 and name in "xyzabcdef"]
    if not named and not axes:
        raise ValueError(f"{path}:1: no column of hosts, expected one of {', '.join(_NAMES)}, or x,y,z")
    hosts: dict[int, Host] = {}
    for where, line in rows:
        words = [word.strip() for word in next(csv.reader([line]))]
        if len(words) != len(columns):
            raise ValueError(f"{where}: {len(words)} columns, expected {len(columns)}: {','.join(columns)}")
        given = dict(zip(columns, words, strict=True))
        rank = check_int(given["rank"], f"{where}: rank", 0) if "rank" in given else len(hosts)
        if rank in hosts:
            before = hosts[rank].where.rpartition(":")[2]
            raise ValueError(f"{where}: rank {rank} has two hosts, the first in line {before}")
        names = tuple(words[place] for place in named if words[place])
        at = tuple(check_int(words[place], f"{where}: {columns[place]}", 0) for place in axes)
        if not names and not at:
            raise ValueError(f"{where}: rank {rank} has no host")
        hosts[rank] = Host(where, names, at, {name: word for name, word in given.items() if word})
    missing = next((rank for rank in range(len(hosts)) if rank not in hosts), None)
    if missing is not None or not hosts:
        raise ValueError(f"{path}: rank {missing or 0} has no host")
    return [hosts[rank] for rank in range(len(hosts))]


def _places(topology: Topology, listed: Sequence[Host]) -> list[list[int]]:
    each = topology.tasks if isinstance(topology, Graph) else 1
    if topology.hosts:
        at: dict[str, list[int]] = {}
        for node, name in enumerate(topology.hosts):
            at.setdefault(name, []).append(node)
        return [at[_known(host, at)] for host in listed]
    if isinstance(topology, Grid) and (all(host.at for host in listed) or not all(map(_is_number, listed))):
        return [[_at(topology, host)] for host in listed]
    if all(map(_is_number, listed)):
        numbers = [
            check_int(number[1], f"{host.where}: host", 0, topology.nodes // each - 1)
            for host in listed
            if (number := _NUMBER.fullmatch(host.names[0]))
        ]
    else:
        numbers = _by_switches(topology, each, listed)
    return [list(range(number * each, (number + 1) * each)) for number in numbers]


def _is_number(host: Host) -> bool:
    return bool(host.names and _NUMBER.fullmatch(host.names[0]))


def _known(host: Host, names: dict[str, list[int]]) -> str:
    known = next((name for name in host.names if name in names), None)
    return known or check_choice(str(host), names, f"{host.where}: host")


def _at(grid: Grid, host: Host) -> int:
    """Return the node at the coordinates of a host, which may be the numbers in its name."""
    at = host.at or tuple(int(number) for number in re.findall(r"[0-9]{1,9}", host.names[0]))
    if len(at) != grid.dims:
        raise ValueError(
            f"{host.where}: host {abbreviate(str(host))} has {len(at)} coordinates, expected {grid.dims} on "
            f"{grid}, or the number of a node"
        )
    for place, (value, side) in enumerate(zip(at, grid.sizes, strict=True), 1):
        if value >= side:
            raise ValueError(
                f"{host.where}: host {abbreviate(str(host))}: coordinate {place} is {value}, expected 0 to "
                f"{side - 1} on {grid}"
            )
    return int(grid.node(at))


def _by_switches(topology: Topology, each: int, listed: Sequence[Host]) -> list[int]:
    """Return the compute node of each host, on a network of switches and perhaps groups.

    Groups, switches and nodes are given out in the order of their numbers, to names in their order. Boards
    and chassis of a cabinet of HPE Cray EX are at the switches at which they are in a full one. Hosts of
    which nothing says the switch fill those of their group.
    """
    group_of, switch_of = _groups(topology, each)
    labels = [_labels(host) for host in listed]
    if not group_of.any() and len({label[0] for label in labels}) > 1:
        group_of = _subtrees(topology, switch_of)
    groups = _numbered(topology, "groups", np.unique(group_of), [label[0] for label in labels], listed)
    hosts = [0] * len(listed)
    for group in set(groups):
        own = [rank for rank in range(len(listed)) if groups[rank] == group]
        there, of = np.unique(switch_of[group_of == group]), [labels[rank][1] for rank in own]
        if len(there) == 1 or not any(of):
            switches = [-1] * len(own)
        elif all(isinstance(share, float) for share in of) and len(there) >= _CABINET["chassis"]:
            switches = [int(there[_in_cabinet(float(share), len(there))]) for share in of]
        else:
            switches = _numbered(topology, "switches of a group", there, of, [listed[rank] for rank in own])
        for switch in set(switches):
            ranks = [rank for rank, its in zip(own, switches, strict=True) if its == switch]
            room = np.flatnonzero(group_of == group if switch < 0 else switch_of == switch)
            here = [listed[rank] for rank in ranks]
            placed = _numbered(topology, "nodes at a switch", room, [str(host) for host in here], here)
            for rank, host in zip(ranks, placed, strict=True):
                hosts[rank] = host
    return hosts


def _in_cabinet(share: float, switches: int) -> int:
    """Return the switch of a board: its own, or that of the first of several endpoints of each node."""
    chassis = _CABINET["chassis"]
    own = switches // chassis
    return int(share * switches) if own <= _CABINET["board"] else int(share * chassis) * own


def _groups(topology: Topology, each: int) -> tuple[Nodes, Nodes]:
    if isinstance(topology, Tree):
        node = np.arange(topology.nodes)
        return node // topology.down ** max(1, topology.stages - 1), node // topology.down
    if not isinstance(topology, Graph) or not topology.first_switch:
        raise ValueError(
            f"mapping hosts: the nodes of {topology} have no names, expected their numbers in the file"
        )
    switch = topology.home[::each] - topology.first_switch
    if each > 1:  # the compute node itself; its switch is beyond it
        beyond = topology.neighbor[topology.home[::each]]
        switch = np.where(beyond >= topology.first_switch, beyond, topology.routers).min(axis=1)
        switch -= topology.first_switch
    group = np.zeros(len(switch), np.int64) if topology.group is None else topology.group[switch]
    return group, switch


def _subtrees(topology: Topology, switch_of: Nodes) -> Nodes:
    """Return the part of the network that each node is in without the switches farthest from nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    assert isinstance(topology, Graph)
    neighbor = topology.neighbor[topology.first_switch :] - topology.first_switch
    count = len(neighbor)
    level = np.full(count, count)
    frontier, distance = np.unique(switch_of), 0
    while len(frontier):
        level[frontier] = distance
        frontier = np.unique(neighbor[frontier])
        frontier = frontier[(frontier >= 0) & (frontier < count)]
        frontier, distance = frontier[level[frontier] == count], distance + 1
    port = np.repeat(np.arange(count), neighbor.shape[1])
    other = neighbor.ravel()
    inner = (other >= 0) & (other < count) & (level[port] < level.max())
    inner[inner] = level[other[inner]] < level.max()
    edges = coo_array((np.ones(inner.sum()), (port[inner], other[inner])), (count, count))
    part: Nodes = connected_components(edges, directed=False)[1].astype(np.int64)
    return part[switch_of] if level.max() else np.zeros(len(switch_of), np.int64)


def _labels(host: Host) -> tuple[str, str | float]:
    """Return group and switch of a host; the switch of an xname is its place in the cabinet, from 0 to 1."""
    for name in host.names:
        if xname := _XNAME.fullmatch(name):
            cabinet, *places = xname.groups()
            for (label, maximum), place in zip(_CABINET.items(), places, strict=True):
                check_int(place, f"{host.where}: host {name}: {label}", 0, maximum - 1)
            return cabinet, (int(places[0]) * 2 + int(places[2])) / (_CABINET["chassis"] * _CABINET["board"])
        if blade := _BLADE.fullmatch(name):
            return blade[1], blade[2]
    if "group" in host.within or "switch" in host.within:
        return host.within.get("group", ""), host.within.get("switch", "")
    raise ValueError(
        f"{host.where}: host {abbreviate(str(host))} cannot be located, expected the number of a "
        "node, a name such as x1302c0s3b0n0 or as01r2b10, or columns group and switch"
    )


def _natural(text: str) -> tuple[int | str, ...]:
    """Return a key that sorts numbers in names by value: ``r2`` before ``r10``."""
    return tuple(int(word) if word.isdigit() else word for word in re.split(r"([0-9]+)", text) if word)


def _numbered(
    topology: Topology,
    label: str,
    there: Sequence[int] | Nodes,
    labels: Sequence[object],
    listed: Sequence[Host],
) -> list[int]:
    """Return for each label one of those that are `there`, in the order of the labels."""
    different = sorted(set(labels), key=lambda label: _natural(str(label)))
    if len(different) > len(there):
        host = listed[labels.index(different[len(there)])]
        raise ValueError(
            f"{host.where}: host {abbreviate(str(host))}: the hosts name {len(different)} {label}, but "
            f"{topology} has {len(there)}"
        )
    number = dict(zip(different, there, strict=False))
    return [int(number[label]) for label in labels]


def from_file(problem: MappingProblem) -> Nodes:
    """Return the nodes of the file named in the option.

    Lines are ``task,node`` in any order, or the nodes of task 0, 1, and so on, one per line. A first line of
    ``task,node`` or ``node``, blank lines, and text after a ``#`` are ignored.
    """
    if not problem.option:
        raise ValueError("mapping file: no path given, expected a form such as file:nodes.csv")
    path = Path(problem.option)
    usable = set(problem.nodes.tolist())
    node_of: dict[int, int] = {}
    task_on: dict[int, int] = {}
    for where, words in _rows(path):
        task = check_int(words[0], f"{where}: task", 0) if len(words) == 2 else len(node_of)
        node = check_int(words[-1], f"{where}: node", 0)
        if task >= problem.tasks:
            raise ValueError(f"{where}: task {task} is not in 0..{problem.tasks - 1}")
        if task in node_of:
            raise ValueError(f"{where}: task {task} appears twice")
        if node not in usable:
            raise ValueError(f"{where}: node {node} is not one of the {len(usable)} available nodes")
        if node in task_on:
            raise ValueError(f"{where}: node {node} is assigned to both task {task_on[node]} and task {task}")
        node_of[task], task_on[node] = node, task
    missing = [task for task in range(problem.tasks) if task not in node_of]
    if missing:
        raise ValueError(f"{path}: task {missing[0]} has no node ({len(missing)} of {problem.tasks} missing)")
    return np.array([node_of[task] for task in range(problem.tasks)], np.int64)


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    """Return where each row of the file stands, and its one or two words; all rows have as many."""
    rows = [(where, [word.strip() for word in line.split(",")]) for where, line in read_lines(path)]
    if rows and rows[0][1] in (["task", "node"], ["node"]):
        del rows[0]
    for where, words in rows:
        if len(words) > 2 or len(words) != len(rows[0][1]):
            raise ValueError(
                f"{where}: {len(words)} columns, expected {min(2, len(rows[0][1]))}: task,node or node"
            )
    return rows
