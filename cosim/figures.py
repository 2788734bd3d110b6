"""Figures of a co-simulation: the schedule, the cost of sharing, and the uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from netplace.cosim.job_row import JobRow, Measured, Times, ended
from netplace.cosim.placed import PlacedJob
from netplace.plain_data import PlainData
from netplace.quantities import LESS, quantity
from netplace.scheduling import Schedule, State
from netplace.scheduling.metrics import Metrics, measure


@dataclass(frozen=True)
class Sharing:
    """The cost of sharing for the jobs that ended well; a slowdown is live time over time alone."""

    jobs: int = quantity("Number of jobs.", shown=False)
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
    """The cost of partitions, mapping and sharing for the jobs of a log, in node-hours; see `costs`."""

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
class CosimFigures(PlainData):
    schedule: Metrics  # figures of the schedule
    sharing: Sharing | None  # cost of sharing the network; None if no job ended well
    table_error: TableError | None  # error of a table of times alone; None if the times are a table's
    simulated: float | None = None  # with ``sampled``, the share of the time that was simulated
    # With ``sampled``, the number of jobs whose half-width exceeds `netplace.cosim.MARKED`.
    marked: int | None = None
    half_width: HalfWidth | None = None  # with ``sampled`` or several draws, the half-widths of the times
    costs: Costs | None = None  # cost of partitions, mapping and sharing for the jobs of a log


# Groups of jobs by which the error of a table is told.
GROUPS: dict[str, Callable[[JobRow], str]] = {
    "application": lambda row: str(row.application) or "computation alone",
    "size": lambda row: str(row.size),
    "contiguous": lambda row: "contiguous" if row.contiguous else "scattered",
}


def figures(schedule: Schedule, rows: Sequence[JobRow], live: bool) -> CosimFigures:
    """Return the figures that every co-simulation has; `live` says that its times are not a table's."""
    done = ended(rows)
    return CosimFigures(
        schedule=measure(schedule), sharing=_sharing(done), table_error=table_error(done) if live else None
    )


def half_widths(measured: Iterable[Measured]) -> HalfWidth | None:
    """Return the half-widths of the times; None if no job has one."""
    widths = [job.half_width for job in measured if job.half_width is not None]
    return HalfWidth(float(np.mean(widths)), float(np.max(widths))) if widths else None


def table_error(done: Sequence[tuple[JobRow, Times]]) -> TableError | None:
    """Return the error of a table over all jobs, and by the groups of `GROUPS`."""
    if not done:
        return None
    groups: dict[str, dict[str, TimeError]] = {}
    for name, group in GROUPS.items():
        members: dict[str, list[Times]] = {}
        for row, times in done:
            members.setdefault(group(row), []).append(times)
        groups[name] = {key: _error(members[key]) for key in sorted(members, key=_in_order)}
    return TableError(all=_error([times for _, times in done]), **groups)


def _in_order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


def _sharing(done: Sequence[tuple[JobRow, Times]]) -> Sharing | None:
    if not done:
        return None
    slowdown = np.array([times.slowdown for _, times in done])
    known = [pair for pair in done if pair[0].slowdown_half_width is not None]
    lost = np.array([(times.live - times.alone) * row.size for row, times in done])
    needed = sum(times.alone * row.size for row, times in done)
    p50, p95 = np.percentile(slowdown, (50, 95)).tolist()
    return Sharing(
        jobs=len(done),
        mean_slowdown=float(slowdown.mean()),
        median_slowdown=p50,
        p95_slowdown=p95,
        most_slowdown=float(slowdown.max()),
        slowed_by_1_percent=float((slowdown > 1.01).mean()),
        within_chance=float(np.mean([row.within_chance for row, _ in known])) if known else None,
        node_hours=float(lost.sum()) / 3600,
        share_of_node_hours=float(lost.sum() / needed) if needed else 0.0,
    )


def _error(jobs: Sequence[Times]) -> TimeError:
    # A job of no cycles has no error.
    error = np.abs([job.fresh / job.live - 1 if job.live else 0.0 for job in jobs])
    return TimeError(len(jobs), float(error.mean()), float(np.percentile(error, 95)), float(error.max()))


def times_unmapped(
    schedule: Schedule, measured: Mapping[int, Measured], alone: Callable[[PlacedJob], float]
) -> dict[int, float]:
    """Return the cycles of jobs alone on their nodes with tasks in the order of the nodes."""
    assert schedule.allocations is not None
    time_unmapped = {}
    for row, number in enumerate(schedule.number.tolist()):
        if schedule.state[row] == State.DONE and number in measured:
            done = measured[number]
            in_order = schedule.allocations[row][: done.placed.work.tasks]
            changed = not np.array_equal(in_order, done.placed.nodes)
            time_unmapped[number] = alone(replace(done.placed, nodes=in_order)) if changed else done.alone
    return time_unmapped


def costs(rows: Sequence[JobRow]) -> Costs | None:
    """Return the cost of partition, mapping and sharing in node-hours; None without logged times.

    The logged time is that of a job alone on a compact partition with tasks in order. The partition costs the
    additional time alone on the job's own nodes, the mapping the additional time there with the actual
    mapping, and sharing the additional live time. The three add up.
    """
    done = [row for row in rows if row.live is not None and row.logged]
    if not done:
        return None
    names = ("logged", "time_unmapped", "alone", "live")
    logged, time_unmapped, alone, live = (
        sum(getattr(row, name) * row.size for row in done) / 3600 for name in names
    )
    return Costs(
        jobs=len(done),
        logged=logged,
        alone=alone,
        live=live,
        partition=time_unmapped - logged,
        mapping=alone - time_unmapped,
        sharing=live - alone,
    )
