"""What-if runs: the same run without a job, with a job on other nodes, or with another mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netplace.checks.calls import checked
from netplace.cosim.explanation import WhatIf
from netplace.cosim.placed import Placing
from netplace.cosim.placing import placing_of
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import Started, replay, started_jobs
from netplace.placement import map_tasks, partition


@checked
def what_if(
    plan: CosimPlan,
    rows: Sequence[Mapping[str, Any]],
    *,
    without: Sequence[int] = (),
    move: Mapping[int, str] | None = None,
    mapping: Mapping[int, str] | None = None,
) -> list[WhatIf]:
    """Return the time of each job, and the time that it would have taken after a change.

    Starts stay the same, unless the nodes of a job are not free by then, which is reported.

    Parameters
    ----------
    plan : CosimPlan
        The executed plan.
    rows : sequence of mapping
        The result rows of its jobs.
    without : sequence of int
        Jobs to omit.
    move : mapping of int to str
        Jobs on other nodes, as a partition rule such as ``"nodes:0-15"``.
    mapping : mapping of int to str
        Jobs with another mapping rule.

    Returns
    -------
    list of WhatIf
        One for each job that is not omitted.

    Raises
    ------
    ValueError
        If there is no such job, the run cannot be repeated, or a job is moved to nodes of another.
    """
    move, mapping = dict(move or {}), dict(mapping or {})
    placing = placing_of(plan)
    jobs = {started.number: started for started in started_jobs(plan, rows)}
    for number in (*without, *move, *mapping):
        if number not in jobs:
            raise ValueError(f"job {number}: no job has this number, expected {min(jobs)} to {max(jobs)}")
    for number, rule in move.items():
        jobs[number] = _moved(placing, jobs[number], rule)
    for number, rule in mapping.items():
        jobs[number] = _mapped(placing, jobs[number], rule)
    ends = {row["job"]: row["end_cycle"] for row in rows}
    for number in move:
        _check_free(jobs[number], [job for job in jobs.values() if job.number not in without], ends)
    second = plan.config.cycle_ns * 1e-9
    left = [job for job in jobs.values() if job.number not in without]
    replayed = replay(placing, left)
    return [
        WhatIf(
            **{name: row[name] for name in ("job", "application", "size", "alone", "live")},
            what_if=replayed.cycles[row["job"]] * second,
            change=replayed.cycles[row["job"]] * second / row["live"] if row["live"] else None,
            late=replayed.late.get(row["job"], 0) * second,
        )
        for row in rows
        if row["job"] in replayed.cycles
    ]


def _moved(placing: Placing, started: Started, rule: str) -> Started:
    tasks = len(started.placed.nodes)
    try:
        (nodes,) = partition(rule, placing.machine, [tasks], seed=placing.seed)
    except ValueError as error:  # a partition numbers its jobs from 0 on
        said = str(error).replace("job 0", f"job {started.number}")
        raise ValueError(f"move: {said}") from None
    return _mapped(placing, started.on(nodes), placing.mapping)


def _mapped(placing: Placing, started: Started, rule: str) -> Started:
    tasks = started.placed.work.tasks
    nodes = np.sort(started.placed.nodes)
    program = placing.body(started.placed)
    seed, job = placing.seed, started.number
    return started.on(
        map_tasks(rule, placing.machine, tasks, nodes=nodes, program=program, seed=seed, job=job)
    )


def _check_free(moved: Started, others: Sequence[Started], ends: Mapping[int, int]) -> None:
    for other in others:
        if other.number == moved.number:
            continue
        meets = other.start < ends[moved.number] and moved.start < ends[other.number]
        taken = np.intersect1d(moved.placed.nodes, other.placed.nodes)
        if meets and len(taken):
            raise ValueError(
                f"move: node {taken[0]} belongs to job {other.number} while job {moved.number} runs, "
                "expected free nodes"
            )
