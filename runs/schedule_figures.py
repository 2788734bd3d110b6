"""The figures of a schedule, in the form in which they are stored and written to folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from netplace.plain_data import from_builtins, to_builtins
from netplace.scheduling.metrics import Metrics, SteadyMean
from netplace.scheduling.power import PowerFigures

__all__ = ["Rejected", "ScheduleFigures"]


@dataclass(frozen=True)
class Rejected:
    """Jobs that can never run.

    Attributes
    ----------
    jobs : tuple of int
        Numbers of the jobs in the workload.
    sizes : tuple of int
        Requested numbers of nodes, without duplicates.
    first : str or None
        Reason why the first of them cannot run.
    """

    jobs: tuple[int, ...]
    sizes: tuple[int, ...]
    first: str | None


@dataclass(frozen=True, kw_only=True)
class ScheduleFigures:
    """The results of a schedule.

    Attributes
    ----------
    metrics : Metrics
        Figures of the whole schedule.
    steady : dict of str to SteadyMean
        Means over jobs in the steady state, if there are enough jobs, as times in seconds and as ratios.
    batches : dict of str to tuple of float
        Means of the same measures over batches of successive jobs.
    rejected : Rejected
        Jobs that can never run.
    failed : tuple of int
        Numbers of the jobs that were ended at their estimates.
    power : PowerFigures or None
        Energy figures, if the plan has a power model.
    site : dict of str to int, or None
        Effects of the rules of a site, if the plan has any.
    notes : tuple of str
        Further information for users, one sentence each.
    cpu_seconds : float
        Total CPU time in seconds.
    versions : dict of str to str
        Versions of the software.
    """

    metrics: Metrics
    steady: dict[str, SteadyMean]
    batches: dict[str, tuple[float, ...]]
    rejected: Rejected
    failed: tuple[int, ...] = ()
    power: PowerFigures | None = None
    site: dict[str, int] | None = None
    notes: tuple[str, ...]
    cpu_seconds: float
    versions: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the stored values in JSON-compatible form, without `power` or `site` if there is none."""
        return to_builtins(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ScheduleFigures:
        """Return the figures in a dict from a store or folder, which must have been checked."""
        return from_builtins(cls, plain)
