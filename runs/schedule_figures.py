"""The figures of a schedule, in the form in which they are stored and written to folders."""

from __future__ import annotations

from dataclasses import dataclass, field

from netplace.plain_data import PlainData
from netplace.scheduling.metrics import Metrics, SteadyMean
from netplace.scheduling.power import PowerFigures

__all__ = ["Rejected", "ScheduleFigures"]


@dataclass(frozen=True)
class Rejected:
    """Jobs that can never run."""

    jobs: tuple[int, ...]  # their numbers in the workload
    sizes: tuple[int, ...]  # requested numbers of nodes, without duplicates
    first: str | None  # reason why the first of them cannot run


@dataclass(frozen=True, kw_only=True)
class ScheduleFigures(PlainData):
    """The results of a schedule."""

    metrics: Metrics  # figures of the whole schedule
    # Means over jobs in the steady state, if there are enough jobs, as times in seconds and as ratios.
    steady: dict[str, SteadyMean]
    batches: dict[str, tuple[float, ...]]  # means of the same measures over batches of successive jobs
    rejected: Rejected
    failed: tuple[int, ...] = ()  # numbers of the jobs that were ended at their estimates
    power: PowerFigures | None = None  # energy, if the plan has a power model
    site: dict[str, int] | None = None  # effects of the rules of a site, if the plan has any
    notes: tuple[str, ...]  # further information for users, one sentence each
    cpu_seconds: float  # of all that was done
    versions: dict[str, str] = field(default_factory=dict)  # of the software
