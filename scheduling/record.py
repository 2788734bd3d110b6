"""What is written down as a simulation goes on."""

from __future__ import annotations

import math

import numpy as np

from netplace.scheduling.contiguity import Contiguity
from netplace.scheduling.job import Job
from netplace.scheduling.metrics.locality import Locality
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.policy.asked import Running
from netplace.scheduling.schedule import Cost, Kills, Rows, Schedule, State

__all__ = ["Record"]


class Record:
    """Rows and sums of one simulation.

    Parameters
    ----------
    contiguity : Contiguity
        Tells whether a job's nodes lie side by side.
    locality : Locality, optional
        Measures the distances between the nodes of each job.
    keep_nodes : bool
        Whether the nodes of each job are kept.
    """

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
        """Write down a job that can never run."""
        self._rejected.append((job.number, job.nodes, reason))

    def submitted(self, job: Job, estimate: float) -> int:
        """Write down a job that enters the queue, and return its row."""
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
        """Write down a start, and the run time there if it is known."""
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
        """Write down an end, and what became of the job."""
        rows, row = self._rows, running.waiting.row
        self._held -= len(running.allocation.nodes)
        rows["end"][row], rows["state"][row] = now, state
        if math.isnan(rows["nominal"][row]):
            begin = running.start if math.isnan(running.begin) else running.begin
            rows["nominal"][row] = now - begin

    def killed(self, running: Running, now: float) -> None:
        """Write down that an attempt was killed."""
        held, row = len(running.allocation.nodes), running.waiting.row
        self._held -= held
        self._killed.append((row, running.start, now, held))
        self._rows["kills"][row] += 1

    def schedule(
        self, machine: str, nodes: int, policy: str, estimates: str, overrun: str, cost: Cost
    ) -> Schedule:
        """Return the schedule once all jobs have ended."""
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
