"""The records of a running simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.metrics.locality import Locality
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.policy.asked import Running
from netplace.scheduling.schedule import Cost, Kills, Rows, Schedule, State
from netplace.topologies import Graph, Grid, Hierarchy, Topology, hierarchy


class Contiguity:
    """Determines whether the nodes of a job are contiguous on a machine.

    A set of nodes is contiguous

    * on a mesh, torus, hypercube or twisted torus if it is a full *box*: all combinations of one interval per
      dimension, which can cross the end of a ring. On minimal routes, no message of the job then leaves its
      nodes. On a twisted torus, a box does not cross the ends of Y, Z, .., where X is shifted;
    * on a tree if it is in one subtree of the smallest possible size. Other jobs can use the rest of that
      subtree;
    * on any other network if its routers are connected to each other: the switches of the job's nodes, or
      the nodes themselves if they are routers.

    A single node is always contiguous. A ValueError is raised for networks to which none of this applies.
    """

    def __init__(self, machine: Topology) -> None:
        tree = hierarchy(machine)
        self._tell: Callable[..., bool]
        self._tables: tuple[Any, ...]
        if isinstance(machine, Grid):
            rings = [machine.wraps and not (machine.twist and axis > 0) for axis in range(machine.dims)]
            self._tell, self._tables = native.fill_box, (np.array(machine.sizes, np.int64), np.array(rings))
        elif tree is not None:
            self._tell, self._tables = native.fit_subtree, _subtrees(tree)
        elif isinstance(machine, Graph):
            first = machine.routers - machine.compute_nodes  # compute nodes of several tasks hang on switches
            wires = np.ascontiguousarray(machine.neighbor, np.int32)
            self._tell, self._tables = native.are_connected, (machine.home, wires, first)
        else:
            raise ValueError(f"contiguity: is defined on grids, trees and graphs, not on {machine}")

    def of(self, nodes: Nodes) -> bool:
        """Return whether these nodes, which must all be different, are contiguous."""
        return len(nodes) < 2 or self._tell(nodes, *self._tables)


def _subtrees(tree: Hierarchy) -> tuple[Any, Any]:
    """Return by level and node the node's subtree, and the nodes of the largest part of that."""
    subtree = np.empty((len(tree.starts), len(tree.order)), np.int64)
    part = np.zeros_like(subtree)
    largest = np.zeros(len(tree.order), np.int64)
    for level, starts in enumerate(tree.starts):
        sizes = np.diff(starts)
        if level:
            largest = np.maximum.reduceat(largest, starts[:-1])
            part[level, tree.order] = np.repeat(largest, sizes)
        subtree[level, tree.order] = np.repeat(np.arange(len(sizes)), sizes)
        largest = np.repeat(sizes, sizes)
    return subtree, part


class Record:
    def __init__(self, contiguity: Contiguity, locality: Locality | None, keep_nodes: bool) -> None:
        self._rows = Rows()
        self._contiguity = contiguity
        self._locality = locality
        self._nodes: list[Nodes] | None = [] if keep_nodes else None
        self._killed: list[tuple[int, float, float, int]] = []
        self._rejected: list[tuple[int, int, str]] = []
        self._without_estimate = 0
        self._held = self._unusable = 0  # nodes, from the last event on
        self._busy = self._blocked = 0.0  # node-seconds
        self._last = -math.inf

    def clock(self, now: float) -> None:
        """Account for the time up to `now`, in which nothing has changed."""
        if now > self._last:
            if self._held or self._unusable:
                self._busy += self._held * (now - self._last)
                self._blocked += self._unusable * (now - self._last)
            self._last = now

    def rejected(self, job: Job, reason: str) -> None:
        self._rejected.append((job.number, job.nodes, reason))

    def submitted(self, job: Job, estimate: float) -> int:
        rows, row = self._rows, self._rows.append()
        rows["number"][row], rows["submit"][row], rows["nodes"][row] = job.number, job.submit, job.nodes
        rows["nominal"][row], rows["estimate"][row] = job.run_time, estimate
        self._without_estimate += job.estimate is None
        if self._nodes is not None:
            self._nodes.append(np.empty(0, np.int64))
        return row

    def refused(self, row: int, now: float) -> None:
        """Write down that a job which waited finds no place any more: it has failed, without a start."""
        rows = self._rows
        rows["start"][row] = rows["end"][row] = now
        rows["state"][row], rows["held"][row] = State.FAILED, 0
        if math.isnan(rows["nominal"][row]):
            rows["nominal"][row] = 0.0

    def unusable(self, nodes: int) -> None:
        """Write down how many nodes are free, and enough for the head of the queue, from now on."""
        self._unusable = nodes

    def started(self, running: Running, seconds: float | None) -> None:
        rows, waiting, allocation = self._rows, running.waiting, running.allocation
        row, held = waiting.row, len(allocation.nodes)
        self._held += held
        rows["start"][row], rows["held"][row] = running.start, held
        if not math.isnan(waiting.head_since):
            rows["head_wait"][row] = running.start - waiting.head_since
        rows["promised"][row] = waiting.promised
        rows["contiguous"][row] = self._contiguity.of(allocation.nodes)
        rows["backfilled"][row] = running.backfilled
        if not waiting.job.run_time:
            rows["nominal"][row] = math.nan if seconds is None else seconds
        if self._locality is not None:
            rows["locality"][row] = self._locality.of(allocation.nodes)
        if self._nodes is not None:
            self._nodes[row] = allocation.nodes

    def ended(self, running: Running, now: float, state: State) -> None:
        rows, row = self._rows, running.waiting.row
        self._held -= len(running.allocation.nodes)
        rows["end"][row], rows["state"][row] = now, state
        if math.isnan(rows["nominal"][row]):
            begin = running.start if math.isnan(running.begin) else running.begin
            rows["nominal"][row] = now - begin

    def killed(self, running: Running, now: float) -> None:
        held, row = len(running.allocation.nodes), running.waiting.row
        self._held -= held
        self._killed.append((row, running.start, now, held))
        self._rows["kills"][row] += 1

    def schedule(
        self, machine: str, nodes: int, policy: str, estimates: str, overrun: str, cost: Cost
    ) -> Schedule:
        killed = np.array(self._killed, [("row", "i8"), ("start", "f8"), ("end", "f8"), ("held", "i8")])
        return Schedule(
            machine=machine,
            machine_nodes=nodes,
            policy=policy,
            estimates=estimates,
            overrun=overrun,
            **self._rows.columns(),
            killed=Kills(killed["row"], killed["start"], killed["end"], killed["held"]),
            rejected=tuple(self._rejected),
            without_estimate=self._without_estimate,
            busy=self._busy,
            blocked=self._blocked,
            allocations=None if self._nodes is None else tuple(self._nodes),
            cost=cost,
            power=None,
        )
