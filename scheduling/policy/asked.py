"""The interface of policies, and their possible actions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Partitioner


@dataclass(slots=True, eq=False)
class Waiting:
    """A job in a queue."""

    job: Job
    row: int  # its place in the order of submission, and its row in the schedule
    estimate: float  # run time that the policy assumes, in seconds
    head_since: float = math.nan  # when it became the first of the queue; nan: not yet
    promised: float = math.nan  # first start that the policy promised it; nan: none


@dataclass(slots=True, eq=False)
class Running:
    """A job on the machine."""

    waiting: Waiting
    allocation: Allocation
    start: float
    order: int  # number of jobs that started before it, which breaks ties
    expected_end: float  # end that the policy expects
    backfilled: bool  # whether it overtook the head of the queue
    over: bool = False  # whether it has ended or was killed
    begin: float = math.nan  # when all its nodes are on; nan: at its start
    failed: bool = False  # whether it has ended without result


class Machine(Protocol):
    """The machine as a policy sees it."""

    now: float
    partitioner: Partitioner  # says where a job would fit; only `start` and `kill` may change it
    releases: int  # how often nodes were released: until it changes, a job that did not fit does not fit

    def start(self, waiting: Waiting, allocation: Allocation, backfilled: bool = False) -> Running:
        """Start a job now; the policy takes it out of its queue."""

    def kill(self, running: Running) -> None:
        """End a job without result and put it back in the queue, which is notified of both."""

    def wake(self, time: float) -> None:
        """Call `Queue.advance` at `time`, even if nothing happens; replaces what was asked before."""

    def trial(self) -> Partitioner:
        """Return a copy of the partitioner, to try what would happen; to be handed to `spent` in the end."""

    def spent(self, partitioner: Partitioner) -> None:
        """Count the searches of a trial that is no longer needed."""


class Queue(Protocol):
    """A policy at work: waiting jobs, and the rule by which they start."""

    def __len__(self) -> int:
        """Return how many jobs wait."""

    def add(self, waiting: Waiting) -> None:
        """Take in a job that was submitted, or put back."""

    def ended(self, running: Running) -> None:
        """Record that a job's nodes are free again."""

    def late(self, running: Running, expected_end: float) -> None:
        """Record that a job has run past its expected end; set the new one."""

    def head(self) -> Waiting | None:
        """Return the first of the queue."""

    def advance(self, machine: Machine) -> None:
        """Start every job that may start now; called after all events of one instant."""


@dataclass(frozen=True)
class Policy:
    """A rule that determines when waiting jobs start.

    Attributes
    ----------
    queue : callable
        Function that returns an empty queue that follows this rule.
    description : str
        One-line description.
    estimated : bool
        Whether the policy uses estimates.
    requeues : bool
        Whether the policy can requeue backfilled jobs that exceed their estimates.
    """

    name: str
    queue: Callable[[], Queue]
    description: str
    estimated: bool = True
    requeues: bool = False
