"""Figures of a co-simulation: of the schedule, of what sharing cost, and of how well that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.scheduling.metrics import Metrics

__all__ = ["CosimFigures", "Costs", "HalfWidth", "MixFigures", "Sharing", "TableError", "TimeError"]


@dataclass(frozen=True)
class Sharing:
    """What sharing the network cost the jobs that ended well.

    Attributes
    ----------
    jobs : int
        How many there are.
    mean_slowdown, median_slowdown, p95_slowdown, most_slowdown : float
        Of time live over time alone.
    slowed_by_1_percent : float
        Share of the jobs slowed by more than 1 %.
    within_chance : float
        Share of the jobs whose slowdown differs from 1, and by no more than chance makes it.
    node_hours : float
        Lost by sharing, in node-hours.
    share_of_node_hours : float
        The same, as a share of what all would have taken alone.
    """

    jobs: int
    mean_slowdown: float
    median_slowdown: float
    p95_slowdown: float
    most_slowdown: float
    slowed_by_1_percent: float
    within_chance: float
    node_hours: float
    share_of_node_hours: float


@dataclass(frozen=True)
class TimeError:
    """By how much a table's times are beside live ones.

    Attributes
    ----------
    jobs : int
        Of how many jobs.
    mean, p95, most : float
        As a share of the live time, without its sign.
    """

    jobs: int
    mean: float
    p95: float
    most: float


@dataclass(frozen=True)
class TableError:
    """The error of a table, over all jobs and by groups.

    Attributes
    ----------
    all : TimeError
        Over all jobs.
    application, size, contiguous : dict of str to TimeError
        By what they run, by the number of their nodes, and by whether these were one piece of the machine.
    """

    all: TimeError
    application: dict[str, TimeError]
    size: dict[str, TimeError]
    contiguous: dict[str, TimeError]


@dataclass(frozen=True)
class HalfWidth:
    """Half-widths of the intervals of jobs' times at the level of 0.95, as shares of the times.

    Attributes
    ----------
    mean, most : float
        Over the jobs.
    """

    mean: float
    most: float


@dataclass(frozen=True)
class MixFigures:
    """How rates of progress in mixes were measured.

    Attributes
    ----------
    simulated : int
        Mixes that were simulated.
    precision_missed : int
        Of how many of them the precision was not met.
    precision : float
        Half-width that was asked for, as a share.
    """

    simulated: int
    precision_missed: int
    precision: float


@dataclass(frozen=True)
class Costs:
    """What place and sharing cost the jobs of a log, in node-hours; see `netplace.cosim.costs.costs`.

    Attributes
    ----------
    jobs : int
        Jobs with logged times that ended well.
    logged, alone, live : float
        What they took in the log, would have taken alone on their nodes, and took.
    partition, mapping, sharing : float
        What of it the choice of nodes, the order of tasks and the other jobs cost.
    """

    jobs: int
    logged: float
    alone: float
    live: float
    partition: float
    mapping: float
    sharing: float


@dataclass(frozen=True, kw_only=True)
class CosimFigures:
    """What came of all jobs of a co-simulation together.

    Attributes
    ----------
    schedule : Metrics
        Figures of the schedule.
    sharing : Sharing or None
        What sharing the network cost; None where no job ended well.
    table_error : TableError or None
        Error of a table of times alone; None where times are a table's.
    sources : dict of str to float, or None
        Under ``mixes``: the share of all jobs' time by where it comes from, `netplace.cosim.SOURCES`.
    mixes : MixFigures or None
        Under ``mixes``: how they were measured.
    simulated : float or None
        Under ``sampled``: the share of the time that was simulated.
    marked : int or None
        Under both: jobs whose half-width is over `netplace.cosim.MARKED`.
    half_width : HalfWidth or None
        Under both: how well times are known.
    costs : Costs or None
        What place and sharing cost the jobs of a log.
    """

    schedule: Metrics
    sharing: Sharing | None
    table_error: TableError | None
    sources: dict[str, float] | None = None
    mixes: MixFigures | None = None
    simulated: float | None = None
    marked: int | None = None
    half_width: HalfWidth | None = None
    costs: Costs | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON can hold them; what this co-simulation does not have is left out."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimFigures:
        """Return the figures that `to_dict` described, of a store or folder, which have been checked."""
        return from_plain(cls, plain)
