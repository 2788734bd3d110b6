"""The result of a run: cycles, counts, delays and loads, and the exact inputs."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.delays import percentile
from netplace.netsim.engine import JobRecord
from netplace.netsim.errors import LostJobError
from netplace.netsim.faults import FaultReport
from netplace.netsim.outcome import Deadlocked, Finished, JobOutcome
from netplace.notebook import html_table
from netplace.records import freeze_arrays

if TYPE_CHECKING:
    from netplace.apps import Program


@dataclass(frozen=True)
class Delay:
    """Delays in cycles, from creation to the ejection of the tail.

    Attributes
    ----------
    count : int
        Number of packets or messages.
    mean : float
        Exact mean; nan if there are no delays.
    p50, p95, p99, most : float
        Percentiles and maximum, as precise as the bins of the histogram (exact below 256 cycles, otherwise
        within 0.8 %).
    histogram : ndarray of int64
        Counts in the bins of `netplace.netsim.delays`.
    """

    count: int
    mean: float
    p50: float
    p95: float
    p99: float
    most: float
    histogram: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @staticmethod
    def of(histogram: NDArray[np.int64], total: int) -> Delay:
        """Return the delays, given their histogram and their sum."""
        count = int(histogram.sum())
        mean = total / count if count else float("nan")
        p50, p95, p99, maximum = (percentile(histogram, share) for share in (0.5, 0.95, 0.99, 1.0))
        return Delay(count, mean, p50, p95, p99, maximum, histogram)

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form."""
        names = ("count", "mean", "p50", "p95", "p99", "most")
        return {n: None if (v := getattr(self, n)) != v else v for n in names}


@dataclass(frozen=True)
class JobResult:
    """The times and messages of a job.

    Attributes
    ----------
    nodes : ndarray of int64
        Node of each task.
    start, end : int
        First cycle, and cycle in which its last task ended; of a job that did not finish, the cycle from
        which on none of its tasks did anything.
    task_cycles : ndarray of int64
        Cycles from the start to the end of each task, or of the job if the task did not end.
    injection_blocked : ndarray of int64
        Cycles in which each task had a packet to create and no room for it.
    message_start, message_end : ndarray of int64 or None
        Cycles in which the first packet of each message was created and the tail of its last packet was
        ejected, if recorded; -1 if that did not happen.
    outcome : Finished, Stopped, Deadlocked or None
        How the job ended (`netplace.netsim.outcome`); None while it runs.
    """

    name: str
    nodes: NDArray[np.int64]
    start: int
    end: int
    task_cycles: NDArray[np.int64]
    injection_blocked: NDArray[np.int64]
    message_start: NDArray[np.int64] | None = None
    message_end: NDArray[np.int64] | None = None
    outcome: JobOutcome | None = None

    @staticmethod
    def of(
        program: Program, nodes: NDArray[np.int64], record: JobRecord, outcome: JobOutcome | None, now: int
    ) -> JobResult:
        """Return the result of a job by cycle `now`, given its record."""
        end = record.end
        if end < 0:  # the cycle from which on no task does anything, as far as that is known
            end = outcome.at if isinstance(outcome, Deadlocked) else now
        return JobResult(
            name=program.name,
            nodes=nodes,
            start=record.start,
            end=end,
            task_cycles=np.where(record.task_end < 0, end, record.task_end) - record.start,
            injection_blocked=record.injection_blocked,
            message_start=record.message_start,
            message_end=record.message_end,
            outcome=outcome,
        )

    @property
    def finished(self) -> bool:
        """Whether all its tasks came to their ends."""
        return isinstance(self.outcome, Finished)

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def cycles(self) -> int:
        """Cycles from the start of the job to its end; raises `LostJobError` if it did not finish."""
        if not isinstance(self.outcome, Finished):
            raise LostJobError(f"{self.name or 'job'}: has no run time: {self.fate}")
        return self.outcome.cycles

    @property
    def fate(self) -> str:
        """How the job ended, in words."""
        if self.outcome is None:
            return "still runs"
        return self.outcome.reason or "finished"


@dataclass
class Result:
    """The measurements of a run, and its inputs.

    Attributes
    ----------
    ended, drained_cycles : int
        Cycles until no program ran any more, and until every packet has been ejected as well.
    packets, phits, packet_hops : int
        Numbers of created packets, of their phits, and of links that packets crossed.
    link_packets, link_cycles : ndarray of int64, shape (routers, ports)
        Number of packets that crossed each directed link, and of cycles in which the link carried a phit.
    events : int
        Number of state changes that the engine applied.
    cpu_seconds : float
        CPU time of the engine.
    window_loads : list of ndarray
        The value of `link_cycles` at the end of each window, if windows were requested.
    window : int
        Length of a window in cycles, after any merging of windows; 0 if none were requested.
    """

    ended: int
    drained_cycles: int
    packets: int
    phits: int
    packet_hops: int
    jobs: list[JobResult]
    packet_delay: Delay
    message_delay: Delay
    link_packets: NDArray[np.int64]
    link_cycles: NDArray[np.int64]
    events: int
    cpu_seconds: float
    network: str
    engine: str
    seed: int
    config: Config
    window_loads: list[NDArray[np.int64]] = field(default_factory=list)
    faults: list[FaultReport] = field(default_factory=list)
    window: int = 0

    @property
    def finished(self) -> bool:
        """Whether every job finished, so that the run has a run time."""
        return all(job.finished for job in self.jobs)

    @property
    def cycles(self) -> int:
        """Cycles until every program has finished; raises `LostJobError` if one did not."""
        if not self.finished:
            raise LostJobError(f"the run has no run time: {self.lost}")
        return self.ended

    @property
    def lost(self) -> str:
        """Which jobs did not finish, and why; empty if all finished."""
        return "; ".join(
            f"job {place} {job.name}".rstrip() + f": {job.fate}"
            for place, job in enumerate(self.jobs)
            if not job.finished
        )

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the installed software on which the results depend."""
        return versions()

    @property
    def seconds(self) -> float:
        """`cycles` in seconds."""
        return self.cycles * self.config.cycle_ns * 1e-9

    @property
    def link_load(self) -> NDArray[np.float64]:
        """Share of the run in which each link carried a phit, shape (routers, ports)."""
        return np.asarray(self.link_cycles / max(1, self.drained_cycles), np.float64)

    def window_load(self) -> NDArray[np.float64]:
        """Return the share of each window in which links carried a phit, shape (windows, routers, ports)."""
        ends = np.stack([np.zeros_like(self.link_cycles), *self.window_loads])
        return np.asarray(np.diff(ends, axis=0) / max(1, self.window), np.float64)

    @property
    def injection_blocked(self) -> int:
        """Cycles that tasks of all jobs lost to full injectors."""
        return sum(int(job.injection_blocked.sum()) for job in self.jobs)

    def _repr_html_(self) -> str:
        jobs = f"{len(self.jobs)} jobs" if len(self.jobs) != 1 else self.jobs[0].name
        return html_table(
            f"{jobs} on {self.network}",
            [
                ("cycles", self.cycles if self.finished else float("nan")),
                ("drained cycles", self.drained_cycles),
                ("packets", self.packets),
                ("hops a packet", self.packet_hops / self.packets if self.packets else float("nan")),
                ("mean packet delay (cycles)", self.packet_delay.mean),
                ("95th percentile", self.packet_delay.p95),
                ("CPU seconds", self.cpu_seconds),
                ("seed", self.seed),
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the values as one JSON object."""
        return self.figures() | {"versions": self.versions}

    def figures(self) -> dict[str, Any]:
        """Return the same as `to_dict` but without versions, whose lookup takes longer than a small run."""
        return {
            "cycles": self.cycles if self.finished else None,
            "drained_cycles": self.drained_cycles,
            "seconds": self.seconds if self.finished else None,
            "packets": self.packets,
            "phits": self.phits,
            "packet_hops": self.packet_hops,
            "packet_delay": self.packet_delay.to_dict(),
            "message_delay": self.message_delay.to_dict(),
            "injection_blocked": self.injection_blocked,
            "most_link_load": float(self.link_load.max(initial=0.0)),
            "jobs": [job_figures(job) for job in self.jobs],
            "events": self.events,
            "cpu_seconds": self.cpu_seconds,
            "network": self.network,
            "engine": self.engine,
            "seed": self.seed,
            "faults": [asdict(report) for report in self.faults],
            "config": asdict(self.config),
        }


def job_figures(job: JobResult) -> dict[str, Any]:
    """Return the times of a job and how it ended; a job that did not finish has no cycles."""
    return {
        "name": job.name,
        "start": job.start,
        "end": job.end,
        "cycles": job.cycles if job.finished else None,
        "outcome": "running" if job.outcome is None else job.outcome.name,
        "reason": None if job.outcome is None else job.outcome.reason,
    }


@cache
def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"python": platform.python_version()} | {n: version(n) for n in ("netplace", "numpy", "simpy")}


def versions() -> dict[str, str]:
    return dict(_versions())
