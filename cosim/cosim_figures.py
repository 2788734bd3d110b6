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
    """The cost of sharing the network for the jobs that ended well."""

    jobs: int  # number of jobs
    # Statistics of the live time divided by the time alone.
    mean_slowdown: float
    median_slowdown: float
    p95_slowdown: float
    most_slowdown: float
    slowed_by_1_percent: float  # share of the jobs slowed by more than 1 %
    within_chance: float  # share of the jobs whose slowdown differs from 1, but not significantly
    node_hours: float  # Node-hours lost by sharing
    share_of_node_hours: float  # the same, as a share of the node-hours of all jobs alone


@dataclass(frozen=True)
class TimeError:
    """The deviation of a table's times from live times."""

    jobs: int  # number of jobs
    # Absolute deviations, as shares of the live time.
    mean: float
    p95: float
    most: float


@dataclass(frozen=True)
class TableError:
    """The error of a table, over all jobs and by groups."""

    all: TimeError  # over all jobs
    # Errors by application, by number of nodes, and by whether the nodes were contiguous.
    application: dict[str, TimeError]
    size: dict[str, TimeError]
    contiguous: dict[str, TimeError]


@dataclass(frozen=True)
class HalfWidth:
    """Half-widths of the intervals of jobs' times at the level of 0.95, as shares of the times."""

    # Over the jobs.
    mean: float
    most: float


@dataclass(frozen=True)
class MixFigures:
    """How the rates of progress in mixes were measured."""

    simulated: int  # number of simulated mixes
    target_missed: int  # number of these that missed the precision
    target_half_width: float  # requested half-width, as a share


@dataclass(frozen=True)
class Costs:
    """The cost of partitions, mapping and sharing for the jobs of a log, in node-hours; see `costs.costs`."""

    jobs: int  # jobs with logged times that ended well
    # Node-hours in the log, alone on the assigned nodes, and live.
    logged: float
    alone: float
    live: float
    # Cost of the choice of nodes, of the order of tasks, and of the other jobs.
    partition: float
    mapping: float
    sharing: float


@dataclass(frozen=True, kw_only=True)
class CosimFigures:
    """The figures of all jobs of a co-simulation together."""

    schedule: Metrics  # figures of the schedule
    sharing: Sharing | None  # cost of sharing the network; None if no job ended well
    table_error: TableError | None  # error of a table of times alone; None if the times are a table's
    # With ``mixes``, the share of the time of all jobs by source, `netplace.cosim.SOURCES`.
    sources: dict[str, float] | None = None
    mixes: MixFigures | None = None  # with ``mixes``, how the mixes were measured
    simulated: float | None = None  # with ``sampled``, the share of the time that was simulated
    # With both, the number of jobs whose half-width exceeds `netplace.cosim.MARKED`.
    marked: int | None = None
    half_width: HalfWidth | None = None  # with both, the half-widths of the times
    costs: Costs | None = None  # cost of partitions, mapping and sharing for the jobs of a log

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a dict for JSON, without those that this co-simulation does not have."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimFigures:
        """Return the figures of a checked dict from a store or folder."""
        return from_plain(cls, plain)
