"""Placements that are worth a simulation: choices of partitioners, each with several mappings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from netplace.advice.situation import Situation
from netplace.placement import map_tasks
from netplace.placement.rule import Nodes
from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.topologies import Grid, Topology

__all__ = ["FREE", "Candidate", "candidates", "chosen_nodes"]

FREE = "all free nodes"  # a mapping's search chooses among them

PARTITIONS = (
    "slurm",
    "gen-alg",
    "contiguous",
    "quasi-contiguous:20",
    "nearly-contiguous:20",
    "curve:hilbert,best-fit",
    "mc1x1",
    "mm",
    "mbs",
    "paging:1",
    "curve:hilbert,minimum-span",
    "non-contiguous",
    "random",
)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A placement.

    Attributes
    ----------
    partition, mapping : str
        Rules that produced it.
    nodes : ndarray of int64, shape (tasks,)
        Node of each task.
    """

    partition: str
    mapping: str
    nodes: Nodes

    def __str__(self) -> str:
        return f"{self.mapping} on {self.partition}"


def candidates(situation: Situation, free: Nodes, limit: str) -> Iterator[Candidate]:
    """Yield placements of a job on free nodes, the most promising first, without duplicates.

    Parameters
    ----------
    situation : Situation
        The job and its machine.
    free : ndarray of int64
        Free nodes.
    limit : str
        Limit of each search for a mapping, as in ``"seconds=1"``.
    """
    machine, tasks = situation.machine, situation.program.tasks
    searches = ["link-load", "classic", *(["td"] if isinstance(machine, Grid) else [])]
    parts: dict[bytes, tuple[str, Nodes]] = {}
    if tasks < len(free):
        parts[b""] = (FREE, np.sort(free))
    for rule in PARTITIONS:
        nodes = chosen_nodes(rule, machine, free, tasks, situation.seed)
        if nodes is not None:
            parts.setdefault(np.sort(nodes).tobytes(), (rule, nodes))
    seen: set[bytes] = set()
    for mapping in ("link-load", "consecutive", "classic", "link-load:max", "td", "random"):
        if mapping == "td" and "td" not in searches:
            continue
        searched = mapping.partition(":")[0] in searches
        for rule, nodes in parts.values():
            if rule == FREE and not searched:
                continue
            text = f"{mapping}{',' if ':' in mapping else ':'}{limit}" if searched else mapping
            try:
                where = map_tasks(
                    text, machine, tasks, nodes=nodes, program=situation.program, seed=situation.seed
                )
            except ValueError:  # a mapping that is not for such a machine, or too large a search
                continue
            if where.tobytes() not in seen:
                seen.add(where.tobytes())
                yield Candidate(rule, mapping, where)


def chosen_nodes(rule: str, machine: Topology, free: Nodes, size: int, seed: int = 0) -> Nodes | None:
    """Return the nodes that a partitioner chooses among the free ones; None if it finds none."""
    box = (1,) * machine.dims if isinstance(machine, Grid) else None
    try:
        partitioner = make_partitioner(rule, machine, seed)
        for node in np.setdiff1d(machine.computing, free):
            partitioner.take(Allocation(np.array([node]), box))
        allocation = partitioner.find(Job(0, 0.0, size, 1.0))
    except ValueError:  # a partitioner that is not for such a machine
        return None
    return None if allocation is None or len(allocation.nodes) < size else allocation.nodes[:size]
