"""Figures of a co-simulation: the schedule, the cost of sharing, and the uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.scheduling.metrics import Metrics

__all__ = ["CosimFigures", "Costs", "HalfWidth", "MixFigures", "Sharing", "TableError", "TimeError"]


@dataclass(frozen=True)
class Sharing:
    """The cost of sharing the network for the jobs that ended well.

    Attributes
    ----------
    jobs : int
        Number of jobs.
    mean_slowdown, median_slowdown, p95_slowdown, most_slowdown : float
        Statistics of the live time divided by the time alone.
    slowed_by_1_percent : float
        Share of the jobs slowed by more than 1 %.
    within_chance : float
        Share of the jobs whose slowdown differs from 1, but not significantly.
    node_hours : float
        Node-hours lost by sharing.
    share_of_node_hours : float
        The same, as a share of the node-hours of all jobs alone.
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
    """The deviation of a table's times from live times.

    Attributes
    ----------
    jobs : int
        Number of jobs.
    mean, p95, most : float
        Absolute deviations, as shares of the live time.
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
        Errors by application, by number of nodes, and by whether the nodes were contiguous.
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
    """How the rates of progress in mixes were measured.

    Attributes
    ----------
    simulated : int
        Number of simulated mixes.
    target_missed : int
        Number of these that missed the precision.
    target_half_width : float
        Requested half-width, as a share.
    """

    simulated: int
    target_missed: int
    target_half_width: float


@dataclass(frozen=True)
class Costs:
    """The cost of partitions, mapping and sharing for the jobs of a log, in node-hours; see `costs.costs`.

    Attributes
    ----------
    jobs : int
        Jobs with logged times that ended well.
    logged, alone, live : float
        Node-hours in the log, alone on the assigned nodes, and live.
    partition, mapping, sharing : float
        Cost of the choice of nodes, of the order of tasks, and of the other jobs.
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
    """The figures of all jobs of a co-simulation together.

    Attributes
    ----------
    schedule : Metrics
        Figures of the schedule.
    sharing : Sharing or None
        Cost of sharing the network; None if no job ended well.
    table_error : TableError or None
        Error of a table of times alone; None if the times are a table's.
    sources : dict of str to float, or None
        With ``mixes``, the share of the time of all jobs by source, `netplace.cosim.SOURCES`.
    mixes : MixFigures or None
        With ``mixes``, how the mixes were measured.
    simulated : float or None
        With ``sampled``, the share of the time that was simulated.
    marked : int or None
        With both, the number of jobs whose half-width exceeds `netplace.cosim.MARKED`.
    half_width : HalfWidth or None
        With both, the half-widths of the times.
    costs : Costs or None
        Cost of partitions, mapping and sharing for the jobs of a log.
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
        """Return the figures as a dict for JSON, without those that this co-simulation does not have."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimFigures:
        """Return the figures of a checked dict from a store or folder."""
        return from_plain(cls, plain)
