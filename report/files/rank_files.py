"""Mappings in the forms by which MPI programs are started: which rank runs on which host."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.files import text_of
from netplace.inputs import abbreviate, check_choice
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import slots_a_host


@dataclass(frozen=True)
class Launcher:
    """What starts an MPI program, and takes a file of ranks."""

    # Takes the hosts of the job in the order of their nodes and, by rank, the place of each rank's host among
    # them; returns the text of the file.
    text: Callable[[Sequence[str], Sequence[int]], str]
    # How a program is started, with ``{file}`` and ``{ranks}`` for the file and the number of ranks.
    command: str
    description: str  # what the file is, with its source


def _open_mpi(hosts: Sequence[str], places: Sequence[int]) -> str:
    used = [0] * len(hosts)
    lines = []
    for rank, place in enumerate(places):
        lines.append(f"rank {rank}={hosts[place]} slot={used[place]}\n")
        used[place] += 1
    return "".join(lines)


def _in_rank_order(hosts: Sequence[str], places: Sequence[int]) -> str:
    return "".join(f"{hosts[place]}\n" for place in places)


def _taskmap(hosts: Sequence[str], places: Sequence[int]) -> str:
    blocks: list[list[int]] = []
    for place in places:
        if blocks and place == blocks[-1][0] + blocks[-1][1]:
            blocks[-1][1] += 1
        else:
            blocks.append([place, 1, 1, 1])
    return json.dumps(blocks, separators=(",", ":")) + "\n"


def mapping_csv(nodes: Sequence[int]) -> str:
    """Return the node of each task as ``--mapping file:FILE`` reads it."""
    return "\n".join(["task,node", *(f"{task},{node}" for task, node in enumerate(nodes)), ""])


LAUNCHERS: dict[str, Launcher] = {
    "openmpi": Launcher(
        _open_mpi,
        "mpirun -n {ranks} --rankfile {file} PROGRAM (Open MPI 5: --map-by rankfile:file={file})",
        "Open MPI's rankfile: mpirun(1), section Rankfiles",
    ),
    "mpich": Launcher(
        _in_rank_order,
        "mpiexec -n {ranks} -f {file} PROGRAM",
        "MPICH's hosts in the order of ranks: mpiexec(1) of Hydra",
    ),
    "mpich-rankmap": Launcher(
        lambda _, places: f"(vector,{','.join(map(str, places))})\n",
        'mpiexec -n {ranks} -f HOSTS -rankmap "$(cat {file})" PROGRAM (MPICH 5.1; HOSTS in order of nodes)',
        "MPICH's -rankmap: the place of each rank's host in the list of hosts",
    ),
    "slurm": Launcher(
        _in_rank_order,
        "SLURM_HOSTFILE={file} srun -n {ranks} --distribution=arbitrary PROGRAM",
        "Slurm's SLURM_HOSTFILE for arbitrary distribution: srun(1)",
    ),
    "flux": Launcher(
        _taskmap,
        'flux run -n {ranks} --taskmap="manual:$(cat {file})" PROGRAM',
        "Flux's task map: Flux RFC 34; nodes are those of the allocation in order",
    ),
}


def host_names(path: Path | None, machine: Topology) -> list[str]:
    """Return the host of every node: from a file, from the machine, or n0, n1, .."""
    if path is None and machine.hosts:
        return list(machine.hosts)
    tasks = slots_a_host(machine)
    hosts = machine.nodes // tasks
    names = [f"n{host}" for host in range(hosts)] if path is None else _names_in(path, hosts)
    return [name for name in names for _ in range(tasks)]


def _names_in(path: Path, hosts: int) -> list[str]:
    names: dict[str, int] = {}
    lines = text_of(path).splitlines()
    for number, line in enumerate(lines, 1):
        name = line.partition("#")[0].strip()
        if not name:
            continue
        if name.split() != [name]:
            raise ValueError(
                f"--hosts {path}, line {number}: {abbreviate(name)}, expected the name of one host"
            )
        if name in names:
            raise ValueError(
                f"--hosts {path}, line {number}: {abbreviate(name)} is already in line {names[name]}"
            )
        names[name] = number
    if len(names) != hosts:
        raise ValueError(f"--hosts {path}: {len(names)} names, expected {hosts}, one for each node")
    return list(names)


def rank_file(launcher: str, names: Sequence[str], nodes: Sequence[int]) -> str:
    r"""Return the text by which a launcher puts each rank on its node.

    `names`: the host of every node of the machine; `nodes`: the node of each rank.

    Examples
    --------
    >>> rank_file("slurm", ["a", "b", "c"], [2, 0])
    'c\na\n'
    >>> rank_file("flux", ["a", "b", "c"], [2, 0])
    '[[1,1,1,1],[0,1,1,1]]\n'
    """
    hosts = list(dict.fromkeys(names[node] for node in sorted(set(nodes))))
    place = {name: index for index, name in enumerate(hosts)}
    return LAUNCHERS[check_choice(launcher, LAUNCHERS, "--export")].text(
        hosts, [place[names[node]] for node in nodes]
    )
