"""The separate costs of partition, mapping and sharing for the jobs of a log, in node-hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netplace.cosim.cosim_figures import Costs
from netplace.cosim.job_row import JobRow, Measured
from netplace.cosim.placed import Placed
from netplace.scheduling import Schedule, State


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
