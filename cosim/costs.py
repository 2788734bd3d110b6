"""What place and sharing cost the jobs of a log, apart from each other, in node-hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netplace.cosim.cosim_figures import Costs
from netplace.cosim.job_row import JobRow, LoggedJobRow
from netplace.cosim.measured import Measured
from netplace.cosim.placed import Placed
from netplace.scheduling import Schedule, State

__all__ = ["costs", "times_unmapped"]


def times_unmapped(
    schedule: Schedule, measured: Mapping[int, Measured], alone: Callable[[Placed], float]
) -> dict[int, float]:
    """Return the cycles that jobs would take alone on their nodes with tasks in the order of the nodes.

    Parameters
    ----------
    schedule : Schedule
        The rows, with their nodes.
    measured : mapping
        What is known of each job, by its number.
    alone : callable
        Returns the cycles of a job alone; asked only where a mapping has changed the order.
    """
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
    """Return what the partition, the mapping and sharing cost the jobs of a log, in node-hours.

    A logged time is what a job takes alone on a compact partition, its tasks in order; the partition costs
    what it takes longer alone on its own nodes, the mapping what it takes longer there with its tasks as they
    were mapped, and sharing what it takes longer live. The three add up. None if jobs have no logged times.
    """
    done = [row for row in rows if isinstance(row, LoggedJobRow) and row.live is not None and row.logged]
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
