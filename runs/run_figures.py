"""The figures of a simulation, in the form in which they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netplace.netsim import Result
from netplace.netsim.faults import FaultReport
from netplace.netsim.result import Delay
from netplace.plain_data import PlainData
from netplace.quantities import quantity

__all__ = ["DelayFigures", "JobFigures", "RunFigures"]


@dataclass(frozen=True)
class DelayFigures:
    """Delays of packets or messages, as in `netplace.netsim.Delay`; None if there were none."""

    count: int = quantity("Number of packets or messages.")
    mean: float | None = quantity("Mean.", "cycles")
    p50: float | None = quantity("Median.", "cycles")
    p95: float | None = quantity("95th percentile.", "cycles")
    p99: float | None = quantity("99th percentile.", "cycles")
    most: float | None = quantity("Largest value.", "cycles")

    @classmethod
    def of(cls, delay: Delay) -> DelayFigures:
        """Return the figures of the given delays."""
        return cls(**delay.to_dict())


@dataclass(frozen=True)
class JobFigures:
    """The times of a job."""

    name: str = quantity("Name of its program.")
    start: int = quantity("First cycle.")
    end: int = quantity("Cycle in which the last task ended.")
    cycles: int = quantity("Number of cycles from the first to the last.", "cycles")
    tasks: int = quantity("Number of tasks of its program.")
    winner: str | None = quantity(
        "The mapping that the job was given, if it requested the best one.", default=None
    )


@dataclass(frozen=True)
class RunFigures(PlainData):
    """The results of a simulation, which are the same on every computer."""

    cycles: int = quantity("Cycles until every program has ended.", "cycles")
    drained_cycles: int = quantity("Cycles until every packet has been ejected as well.", "cycles")
    seconds: float = quantity("Duration of `cycles`.", "s")
    packets: int = quantity("Number of created packets.")
    phits: int = quantity("Number of their phits.")
    packet_hops: int = quantity("Number of links that packets crossed.")
    packet_delay: DelayFigures = quantity("Delays of packets.")
    message_delay: DelayFigures = quantity("Delays of messages.")
    injection_blocked: int = quantity("Cycles that tasks of all jobs lost to full injectors.", "cycles")
    most_link_load: float = quantity(
        "Share of `drained_cycles` in which the most loaded link carried a phit.", "share"
    )
    jobs: tuple[JobFigures, ...] = quantity("The jobs.")
    events: int = quantity("Number of state changes that the engine applied.")
    faults: tuple[FaultReport, ...] = quantity("Effects of each fault.")
    notes: tuple[str, ...] | None = quantity("Settings that the network ignores.", default=None)

    @classmethod
    def of(cls, result: Result) -> RunFigures:
        """Return the measurements, without the run's inputs and values that vary between executions."""
        # Raises LostJobError unless every job finished: only run times are stored.
        jobs = (JobFigures(job.name, job.start, job.end, job.cycles, len(job.nodes)) for job in result.jobs)
        return cls(
            **{name: getattr(result, name) for name in _AS_MEASURED},
            packet_delay=DelayFigures.of(result.packet_delay),
            message_delay=DelayFigures.of(result.message_delay),
            most_link_load=float(result.link_load.max(initial=0.0)),
            jobs=tuple(jobs),
            faults=tuple(result.faults),
        )

    def with_winners(self, winners: Sequence[str | None]) -> RunFigures:
        """Return the figures with the mapping that each job was given if it requested the best one."""
        jobs = (replace(job, winner=winner) for job, winner in zip(self.jobs, winners, strict=True))
        return replace(self, jobs=tuple(jobs))


_AS_MEASURED = (
    "cycles", "drained_cycles", "seconds", "packets", "phits", "packet_hops", "injection_blocked", "events",
)  # fmt: skip
