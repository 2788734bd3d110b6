"""The figures of a simulation, in the form in which they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from netplace.checks.plain import to_plain
from netplace.netsim import Result
from netplace.netsim.faults import FaultReport
from netplace.netsim.result import Delay

__all__ = ["DelayFigures", "JobFigures", "RunFigures"]


@dataclass(frozen=True)
class DelayFigures:
    """Delays of packets or messages in cycles; None if there were none.

    Attributes
    ----------
    count : int
        Number of packets or messages.
    mean, p50, p95, p99, most : float or None
        Mean, percentiles and largest value; see `netplace.netsim.Delay`.
    """

    count: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    most: float | None

    @classmethod
    def of(cls, delay: Delay) -> DelayFigures:
        """Return the figures of the given delays."""
        return cls(**delay.to_dict())


@dataclass(frozen=True)
class JobFigures:
    """The times of a job.

    Attributes
    ----------
    name : str
        Name of its program.
    start, end, cycles : int
        First cycle, cycle in which the last task ended, and number of cycles between them.
    tasks : int
        Number of tasks of its program.
    winner : str or None
        The mapping that the job was given, if it requested the best one.
    """

    name: str
    start: int
    end: int
    cycles: int
    tasks: int
    winner: str | None = None


@dataclass(frozen=True)
class RunFigures:
    """The results of a simulation, which are the same on every computer.

    Attributes
    ----------
    cycles, drained_cycles : int
        Cycles until every program has ended, and until every packet has been ejected as well.
    seconds : float
        Duration of `cycles` in seconds.
    packets, phits, packet_hops : int
        Numbers of created packets, of their phits, and of links that packets crossed.
    packet_delay, message_delay : DelayFigures
        Delays of packets and messages.
    injection_blocked : int
        Cycles that tasks of all jobs lost to full injectors.
    most_link_load : float
        Share of `drained_cycles` in which the most loaded link carried a phit.
    jobs : tuple of JobFigures
        The jobs.
    events : int
        Number of state changes that the engine applied.
    faults : tuple of FaultReport
        Effects of each fault.
    """

    cycles: int
    drained_cycles: int
    seconds: float
    packets: int
    phits: int
    packet_hops: int
    packet_delay: DelayFigures
    message_delay: DelayFigures
    injection_blocked: int
    most_link_load: float
    jobs: tuple[JobFigures, ...]
    events: int
    faults: tuple[FaultReport, ...]

    @classmethod
    def of(cls, result: Result) -> RunFigures:
        """Return the measurements, without the run's inputs and values that vary between executions."""
        return cls(
            cycles=result.cycles,
            drained_cycles=result.drained_cycles,
            seconds=result.seconds,
            packets=result.packets,
            phits=result.phits,
            packet_hops=result.packet_hops,
            packet_delay=DelayFigures.of(result.packet_delay),
            message_delay=DelayFigures.of(result.message_delay),
            injection_blocked=result.injection_blocked,
            most_link_load=float(result.link_load.max(initial=0.0)),
            jobs=tuple(
                JobFigures(job.name, job.start, job.end, job.cycles, len(job.nodes)) for job in result.jobs
            ),
            events=result.events,
            faults=tuple(result.faults),
        )

    def with_winners(self, winners: Sequence[str | None]) -> RunFigures:
        """Return the figures with the mapping that each job was given if it requested the best one."""
        jobs = (replace(job, winner=winner) for job, winner in zip(self.jobs, winners, strict=True))
        return replace(self, jobs=tuple(jobs))

    def to_dict(self) -> dict[str, Any]:
        """Return the stored values in JSON-compatible form."""
        return to_plain(self)
