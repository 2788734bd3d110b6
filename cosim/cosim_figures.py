"""Figures of a co-simulation: the schedule, the cost of sharing, and the uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.checks.quantities import LESS, quantity
from netplace.scheduling.metrics import Metrics

_COUNT: dict[str, Any] = {"bounds": (0, math.inf)}


@dataclass(frozen=True)
class Sharing:
    """The cost of sharing for the jobs that ended well; a slowdown is live time over time alone."""

    jobs: int = quantity("Number of jobs.", **_COUNT, shown=False)
    mean_slowdown: float = quantity(
        "Mean slowdown of the jobs.", name="mean slowdown due to sharing", digits=4
    )
    median_slowdown: float = quantity("Median slowdown.", digits=4, shown=False)
    p95_slowdown: float = quantity("95th percentile of slowdowns.", digits=4, shown=False)
    most_slowdown: float = quantity("Largest slowdown.", digits=4, shown=False)
    slowed_by_1_percent: float = quantity(
        "Jobs slowed down by more than 1 %.", "share", name="jobs slowed down by more than 1 %", digits=1
    )
    within_chance: float | None = quantity(
        "Jobs whose slowdown differs from 1, but not significantly; none if the slowdowns have no intervals.",
        "share", name="~ slowdown other than 1, within chance", digits=1,
    )  # fmt: skip
    node_hours: float = quantity("Node-hours lost to sharing.", shown=False)
    share_of_node_hours: float = quantity(
        "Node-hours lost to sharing, as a share of those that all jobs need alone.",
        "share", name="node-hours lost to sharing", digits=2, better=LESS,
    )  # fmt: skip


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
    """Relative half-widths of the 95 % confidence intervals of jobs' times."""

    # Over the jobs.
    mean: float
    most: float


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
    schedule: Metrics  # figures of the schedule
    sharing: Sharing | None  # cost of sharing the network; None if no job ended well
    table_error: TableError | None  # error of a table of times alone; None if the times are a table's
    simulated: float | None = None  # with ``sampled``, the share of the time that was simulated
    # With ``sampled``, the number of jobs whose half-width exceeds `netplace.cosim.MARKED`.
    marked: int | None = None
    half_width: HalfWidth | None = None  # with ``sampled`` or several draws, the half-widths of the times
    costs: Costs | None = None  # cost of partitions, mapping and sharing for the jobs of a log

    def to_dict(self) -> dict[str, Any]:
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimFigures:
        return from_plain(cls, plain)
