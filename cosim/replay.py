"""Replay of a co-simulation with the same starts, to see the effect of one change on the network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.explanation import WhatIf
from netplace.cosim.placed import JobPlacer, PlacedJob, Started
from netplace.cosim.placing import placing_of
from netplace.cosim.plan import CosimPlan
from netplace.netsim import ArbiterState
from netplace.placement import map_tasks, partition
from netplace.runs.schedules import workload_of
from netplace.streams import stream


@dataclass(frozen=True)
class Replay:
    """The cycles of each job, by its number, and how late it started because its nodes were held.

    `since` holds the state of the network when each job started.
    `waited`, shape (routers, ports + 1), holds for a watched job the cycles that its packets waited for each
    link, by charged job; -2 stands for several jobs. The last place of a router is the consumption of its
    node.
    """

    cycles: Mapping[int, int]
    late: Mapping[int, int]
    since: Mapping[int, ArbiterState]
    waited: Mapping[int, NDArray[np.int64]]


def started_jobs(plan: CosimPlan, rows: Iterable[Mapping[str, Any]]) -> list[Started]:
    """Return the jobs of a co-simulation with their nodes and start cycles, in the order of their starts.

    Raises
    ------
    ValueError
        If the fidelity was not live, there was more than one draw, or a job was killed (it is then unknown
        how long its packets were present).
    """
    if plan.fidelity != "live":
        raise ValueError(
            f"fidelity: {plan.fidelity!r} was used, but jobs affect each other only with fidelity live"
        )
    if plan.draws != 1:
        raise ValueError(
            f"draws: the outcome is a mean over {plan.draws} draws, expected 1 draw, which can be repeated"
        )
    placing = placing_of(plan)
    jobs = {job.number: job for job in workload_of(plan.jobs)}
    runs = []
    for row in rows:
        if row["live"] is None or row["kills"]:
            raise ValueError(f"job {row['job']}: was stopped before its end, so the run cannot be repeated")
        job = jobs[row["job"]]
        placed = PlacedJob(job, placing.program_for(job), np.asarray(row["nodes"], np.int64))
        runs.append(Started(placed, row["start_cycle"]))
    return sorted(runs, key=lambda run: run.start)


_PHASES = 10  # of a job's time, in the least of which it is moved


def moved(jobs: Iterable[tuple[Started, int]], seed: int, draw: int) -> list[Started]:
    """Return jobs, given with their cycles, of a further draw: each starts later by part of an iteration.

    What takes few iterations is moved by less than a tenth of its time, so as to meet the same jobs.
    """
    rng = np.random.default_rng(stream(seed, "starts", draw))
    later = []
    for job, cycles in sorted(jobs, key=lambda pair: pair[0].start):
        maximum = cycles // max(_PHASES, job.placed.work.iterations)
        later.append(replace(job, start=job.start + int(rng.integers(0, max(1, maximum)))))
    return sorted(later, key=lambda job: job.start)


def replay(
    placing: JobPlacer,
    jobs: Iterable[Started],
    until: int | None = None,
    engine: str = "kernel",
    watch: int | None = None,
) -> Replay:
    """Run jobs again, each from its original start or, if its nodes are not free by then, once they are.

    Parameters
    ----------
    jobs : iterable of Started
        Jobs in the order of their starts.
    until : int, optional
        The run stops when this job ends; by default, it stops when all jobs have ended.
    watch : int, optional
        Job whose waiting cycles are reported by link and by the job that they are charged to.
    """
    network = placing.network(engine, explain=watch is not None)
    names: list[int] = []  # jobs by the network's number
    held = np.zeros(placing.machine.nodes, bool)
    running: dict[int, Started] = {}
    cycles: dict[int, int] = {}
    late: dict[int, int] = {}
    since: dict[int, ArbiterState] = {}

    def advance(limit: int | None) -> None:
        for number in network.advance(limit):
            ended, record = running.pop(number), network.job(number)
            held[ended.placed.nodes] = False
            cycles[ended.number] = int(record.end - record.start)

    for job in jobs:
        while network.now < job.start and until not in cycles:
            advance(job.start)
        while held[job.placed.nodes].any() and until not in cycles:
            advance(None)
        if until in cycles:
            break
        if network.now > job.start:
            late[job.number] = network.now - job.start
        since[job.number] = network.residue()
        number = placing.start(network, job.placed)
        running[number] = job
        names.append(job.number)
        if job.number == watch:
            network.watch(number)
        held[job.placed.nodes] = True
    while running and until not in cycles:
        advance(None)
    waited = {} if watch is None else network.watched()
    return Replay(cycles, late, since, {names[n] if n >= 0 else n: links for n, links in waited.items()})


def what_if(
    plan: CosimPlan,
    rows: Sequence[Mapping[str, Any]],
    *,
    without: Sequence[int] = (),
    move: Mapping[int, str] | None = None,
    mapping: Mapping[int, str] | None = None,
) -> list[WhatIf]:
    """Return the time that each remaining job took, and the time that it would have taken after a change.

    Starts stay the same, except for jobs whose nodes are not free by then; their delay is reported.

    Parameters
    ----------
    rows : sequence of mapping
        The result rows of the jobs of `plan`.
    without : sequence of int
        Jobs to omit.
    move : mapping of int to str
        Jobs to move to other nodes, each with a partition rule such as ``"nodes:0-15"``.
    mapping : mapping of int to str
        Jobs whose tasks to map differently, each with a mapping rule.

    Raises
    ------
    ValueError
        If a job does not exist, the run cannot be repeated, or a job is moved to nodes that another job
        holds.
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


def _moved(placing: JobPlacer, started: Started, rule: str) -> Started:
    tasks = len(started.placed.nodes)
    try:
        (nodes,) = partition(rule, placing.machine, [tasks], seed=placing.seed)
    except ValueError as error:  # a partition numbers its jobs from 0 on
        message = str(error).replace("job 0", f"job {started.number}")
        raise ValueError(f"move: {message}") from None
    return _mapped(placing, started.on(nodes), placing.mapping)


def _mapped(placing: JobPlacer, started: Started, rule: str) -> Started:
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
