"""The results of jobs: one row per job, in columns."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.notebook import html_table
from netplace.records import freeze_arrays
from netplace.scheduling.energy import Energy
from netplace.scheduling.partitioner.allocation import Nodes

# name: (type, value of a job that has not started)
COLUMNS: dict[str, tuple[str, Any]] = {
    "number": ("int64", 0),
    "submit": ("float64", np.nan),
    "start": ("float64", np.nan),
    "end": ("float64", np.nan),
    "nodes": ("int64", 0),
    "held": ("int64", 0),
    "nominal": ("float64", np.nan),
    "estimate": ("float64", np.nan),
    "head_wait": ("float64", 0.0),
    "promised": ("float64", np.nan),
    "locality": ("float64", np.nan),
    "state": ("int8", 0),
    "kills": ("int32", 0),
    "contiguous": ("bool", False),
    "backfilled": ("bool", False),
}
_BLOCK = 4096


class State(IntEnum):
    """The state of a job: waiting, running, ended, or killed at its estimate."""

    OPEN = 0
    DONE = 1
    FAILED = 2


class Rows:
    """Columns that grow by blocks; attributes by the names of `COLUMNS`."""

    def __init__(self) -> None:
        self.count = 0
        self._columns = {name: self._block(name, _BLOCK) for name in COLUMNS}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def append(self) -> int:
        if self.count == len(self._columns["number"]):
            # By a quarter: copying stays cheap, and little lies idle.
            more = max(_BLOCK, self.count // 4)
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate([column, self._block(name, more)])
        self.count += 1
        return self.count - 1

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns, cut to the rows there are, not to be written."""
        cut = {name: column[: self.count].copy() for name, column in self._columns.items()}
        for column in cut.values():
            column.flags.writeable = False
        return cut

    @staticmethod
    def _block(name: str, rows: int) -> NDArray[Any]:
        kind, value = COLUMNS[name]
        return np.full(rows, value, kind)


@dataclass(frozen=True, eq=False)
class Kills:
    """Attempts that were killed and put back, one row each: job, begin and kill in seconds, held nodes."""

    row: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    held: NDArray[np.int64]

    def __post_init__(self) -> None:
        freeze_arrays(self)


@dataclass(frozen=True)
class Cost:
    """Passes of the policy, searches and nodes visited by the partitioner, and CPU time (not repeatable)."""

    passes: int
    searches: int
    visited: int
    cpu_seconds: float = field(compare=False)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Jobs on a machine, in order of submission, as scheduled by `netplace.scheduling.schedule`.

    Attributes
    ----------
    machine : str
        Text form of the machine's network. All times are in seconds.
    policy, estimates, overrun : str
        Names of the rules; see `POLICIES`, `ESTIMATES` and `OVERRUNS`.
    number, submit, start, end : ndarray, shape (jobs,)
        Numbers of the jobs, and their times of submission, (last) start and end.
    nodes, held : ndarray of int64
        Numbers of requested and of held nodes.
    nominal : ndarray of float64
        Run time in the workload, or in this schedule if the workload has none.
    estimate : ndarray of float64
        Estimate that the policy used; nan if the policy does not use estimates and the job has none.
    head_wait : ndarray of float64
        Time that the job spent at the head of the queue.
    promised : ndarray of float64
        First start time that the policy promised, or nan.
    locality : ndarray of float64
        Mean distance between the job's nodes, divided by that of a compact set of the same size; nan if not
        measured.
    state : ndarray of int8
        Values of `State`.
    kills : ndarray of int32
        Number of times that the job was killed and requeued.
    contiguous, backfilled : ndarray of bool
        Whether the job's nodes were contiguous, and whether it overtook the head of the queue.
    killed : Kills
        The attempts that were killed.
    rejected : tuple of (int, int, str)
        Number, nodes and reason of each job that could never run.
    without_estimate : int
        Number of jobs whose estimates came from the rule `estimates`.
    busy : float
        Total number of held node-seconds.
    blocked : float
        Number of free node-seconds while the head of the queue needed no more nodes than were free.
    allocations : tuple of ndarray, or None
        Nodes of each job, if they were kept.
    power : Energy or None
        States of the nodes, if nodes were switched on and off.
    cost : Cost
        Cost of the simulation.
    """

    machine: str
    machine_nodes: int
    policy: str
    estimates: str
    overrun: str
    number: NDArray[np.int64]
    submit: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    nodes: NDArray[np.int64]
    held: NDArray[np.int64]
    nominal: NDArray[np.float64]
    estimate: NDArray[np.float64]
    head_wait: NDArray[np.float64]
    promised: NDArray[np.float64]
    locality: NDArray[np.float64]
    state: NDArray[np.int8]
    kills: NDArray[np.int32]
    contiguous: NDArray[np.bool_]
    backfilled: NDArray[np.bool_]
    killed: Kills
    rejected: tuple[tuple[int, int, str], ...]
    without_estimate: int
    busy: float
    blocked: float
    cost: Cost
    allocations: tuple[Nodes, ...] | None = None
    power: Energy | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.number)

    @property
    def makespan(self) -> float:
        """Seconds from the first submission to the last end; 0 without jobs."""
        return float(self.end.max() - self.submit.min()) if len(self) else 0.0

    def _repr_html_(self) -> str:
        wait = (self.start - self.submit)[self.start >= self.submit]
        span = self.makespan
        return html_table(
            f"{len(self):,} jobs on {self.machine}, {self.policy}",
            [
                ("makespan (h)", span / 3600),
                ("held (%)", 100 * self.busy / (span * self.machine_nodes) if span else float("nan")),
                ("mean wait (s)", float(wait.mean()) if len(wait) else float("nan")),
                ("rejected", len(self.rejected)),
                ("kills", int(self.kills.sum())),
            ],
        )

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name in COLUMNS}
