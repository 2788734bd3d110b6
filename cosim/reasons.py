"""The reasons why a job was slow: the jobs for which it waited, the links, and its time without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.explanation import Explanation, Neighbour, WaitedLink
from netplace.cosim.job_row import job_row
from netplace.cosim.placed import Started
from netplace.cosim.placing import placing_of
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import moved, replay, started_jobs
from netplace.scheduling.metrics.interval import pooled
from netplace.topologies import Topology


def reasons(
    plan: CosimPlan,
    rows: Sequence[Mapping[str, Any]],
    job: int,
    suspects: int = 3,
    links: int = 5,
    draws: int = 5,
) -> Explanation:
    """Return the jobs and links that slowed a job, and its time alone and without each of these jobs.

    The run is repeated with the same starts up to the end of the job. Every cycle in which one of the job's
    packets waits is charged to the job whose packet holds the resource (docs/background/model.md, "Waiting").
    Draws of the run, with other random numbers and later starts, are then simulated with all jobs and without
    each of the `suspects` jobs with the highest charges. These jobs come first, in decreasing order of the
    time that the job saves without them. The others follow, in decreasing order of their charges. `rows` are
    the result rows of the plan. `links` is the number of links to report: those on which the job waited most
    for others.

    Raises
    ------
    ValueError
        If there is no such job, or the run cannot be repeated.
    """
    row = _row(rows, job)
    everybody = started_jobs(plan, rows)
    placing = placing_of(plan)
    ends = {row["job"]: row["end_cycle"] for row in rows}
    ours = next(started for started in everybody if started.number == job)
    waited = replay(placing, everybody, until=job, watch=job).waited
    routers, ports = placing.machine.neighbor.shape
    nothing = np.zeros((routers, ports + 1), np.int64)
    own = int(waited.get(job, nothing).sum())
    beside = [other for other in everybody if other.number != job and _overlap(ours, other, ends) > 0]
    met = {other.number: waited.get(other.number, nothing) for other in beside}
    total = own + sum(int(links.sum()) for links in met.values())
    neighbours = [
        _neighbour(other, _overlap(ours, other, ends), met[other.number], total) for other in beside
    ]
    neighbours.sort(key=lambda neighbour: -neighbour.amount)
    tested = [neighbour for neighbour in neighbours[:suspects] if neighbour.amount]
    started = [(one, ends[one.number] - one.start) for one in everybody]
    drawn = [(placing.drawn(draw), moved(started, plan.jobs.seed, draw)) for draw in range(1, draws + 1)]

    def cycles(left_out: int) -> list[float]:
        others = [(own, [one for one in jobs if one.number != left_out]) for own, jobs in drawn]
        return [float(replay(own, left, until=job).cycles[job]) for own, left in others]

    together = cycles(-1) if tested else []
    without = {suspect.job: cycles(suspect.job) for suspect in tested}
    tested.sort(key=lambda suspect: sum(without[suspect.job]))
    for place, suspect in enumerate(tested):
        times = without[suspect.job]
        saved, half = _saved(times, together)
        mean = sum(times) / draws * plan.config.cycle_ns * 1e-9
        tested[place] = replace(suspect, without=mean, saved=saved, half_width=half)
    verdict = _verdict([together, *(without[suspect.job] for suspect in tested)])
    described = (*tested, *neighbours[len(tested) :])
    return Explanation(job_row(row), own, described, _most(placing.machine, met, links), verdict, draws)


def _saved(times: list[float], of: list[float]) -> tuple[float, float]:
    """Return the share of mean times in the same draws that other times save, and its half-width."""
    [ratio] = pooled(np.array([times]), np.array([of]))
    return 1 - ratio.mean, ratio.half_width


def _verdict(times: list[list[float]]) -> str:
    """Return what times in draws tell: with all jobs, and without each, the least first."""
    if len(times) == 1:
        return "not known"
    saves, *leads = [mean > half for mean, half in (_saved(times[1], of) for of in (times[0], *times[2:3]))]
    return ("first" if all(leads) else "among the first three") if saves else "not known"


def _row(rows: Sequence[Mapping[str, Any]], job: int) -> Mapping[str, Any]:
    for row in rows:
        if row["job"] == job:
            if row["live"] is None:
                raise ValueError(f"job {job}: did not finish, so it has no run time to explain")
            return row
    numbers = sorted(row["job"] for row in rows)
    if not numbers:
        raise ValueError(f"job {job}: the run has no jobs")
    raise ValueError(f"job {job}: no job has this number, expected {numbers[0]} to {numbers[-1]}")


def _overlap(ours: Started, other: Started, ends: Mapping[int, int]) -> float:
    """Return the share of our time in which another job also ran."""
    start, end = max(ours.start, other.start), min(ends[ours.number], ends[other.number])
    return max(0, end - start) / max(1, ends[ours.number] - ours.start)


def _neighbour(job: Started, overlap: float, links: NDArray[np.int64], total: int) -> Neighbour:
    """Return another job; `links`: what we met of it on each link, see `reasons`."""
    amount = int(links.sum())
    return Neighbour(
        job=job.number,
        application=job.placed.work.application,
        size=len(job.placed.nodes),
        overlap=overlap,
        links=int(np.count_nonzero(links)),
        amount=amount,
        share=amount / total if total else 0.0,
        without=None,
        saved=None,
        half_width=None,
    )


def _most(machine: Topology, met: Mapping[int, NDArray[np.int64]], count: int) -> tuple[WaitedLink, ...]:
    """Return the links with the most waiting for others, and the charged jobs."""
    if not met:
        return ()
    total = np.sum([*met.values()], axis=0)
    rows = []
    for place in np.argsort(-total, axis=None, kind="stable")[:count].tolist():
        router, port = divmod(place, total.shape[1])
        if total[router, port] <= 0:
            break
        others = [(int(links[router, port]), number) for number, links in met.items()]
        waited = {number: much for much, number in sorted(others, reverse=True) if much > 0}
        name, amount = machine.link_name(router, port), int(total[router, port])
        rows.append(WaitedLink(name, router, port, amount, waited))
    return tuple(rows)
