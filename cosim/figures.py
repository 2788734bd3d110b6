"""The figures of all jobs of a co-simulation together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netplace.cosim.cosim_figures import CosimFigures, Costs, HalfWidth, Sharing, TableError, TimeError
from netplace.cosim.job_row import JobRow, Measured, Times, ended
from netplace.cosim.placed import Placed
from netplace.scheduling import Schedule, State
from netplace.scheduling.metrics import measure

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
        schedule=measure(schedule),
        sharing=_sharing(done),
        table_error=table_error(done) if live else None,
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
    schedule: Schedule, measured: Mapping[int, Measured], alone: Callable[[Placed], float]
) -> dict[int, float]:
    """Return the cycles of jobs alone on their nodes with tasks in the order of the nodes."""
    assert schedule.allocations is not None
    unmapped = {}
    for row, number in enumerate(schedule.number.tolist()):
        if schedule.state[row] == State.DONE and number in measured:
            done = measured[number]
            in_order = schedule.allocations[row][: done.placed.work.tasks]
            changed = not np.array_equal(in_order, done.placed.nodes)
            unmapped[number] = alone(replace(done.placed, nodes=in_order)) if changed else done.alone
    return unmapped


def costs(rows: Sequence[JobRow]) -> Costs | None:
    """Return the cost of partition, mapping and sharing in node-hours; None without logged times.

    The logged time is that of a job alone on a compact partition with tasks in order. The partition costs the
    additional time alone on the job's own nodes, the mapping the additional time there with the actual
    mapping, and sharing the additional live time. The three add up.
    """
    done = [row for row in rows if row.live is not None and row.logged]
    if not done:
        return None
    names = ("logged", "unmapped", "alone", "live")
    logged, unmapped, alone, live = (
        sum(getattr(row, name) * row.size for row in done) / 3600 for name in names
    )
    return Costs(
        jobs=len(done),
        logged=logged,
        alone=alone,
        live=live,
        partition=unmapped - logged,
        mapping=alone - unmapped,
        sharing=live - alone,
    )
