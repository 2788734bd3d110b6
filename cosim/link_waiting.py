"""The links on which the jobs with the most waiting waited for others, from a repeated run for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from netplace.cosim.placed import Placing
from netplace.cosim.plan import CosimPlan
from netplace.cosim.replay import Started, replay, started_jobs
from netplace.cosim.waiting import Waiting, WatchedJob

_RUNS = 3  # as long as so many times the run may all that is made again take, in cycles
_JOBS = 20
_LINKS = 10  # of a job


def watched_jobs(
    plan: CosimPlan,
    placing: Placing,
    rows: Sequence[Mapping[str, Any]],
    waiting: Waiting,
    engine: str = "kernel",
) -> list[WatchedJob]:
    """Return the links on which jobs waited for others, in decreasing order of waiting.

    The network watches one job at a time, so the run is repeated for each, up to its end, for as many jobs as
    take at most three times the cycles of the run. The result is empty if jobs were killed.
    """
    for_others: Counter[int] = Counter()
    for job, charged, cycles in waiting.jobs:
        if job != charged:
            for_others[job] += cycles
    try:
        jobs = started_jobs(plan, rows)
    except ValueError:  # some were killed
        return []
    ends = {row["job"]: row["end_cycle"] for row in rows}
    left = _RUNS * max(ends.values())
    watched: list[WatchedJob] = []
    for job, cycles in for_others.most_common():
        if cycles and ends[job] <= left and len(watched) < _JOBS:
            left -= ends[job]
            watched.append(WatchedJob(job, _links(placing, jobs, job, engine)))
    return watched


def _links(
    placing: Placing, jobs: Sequence[Started], job: int, engine: str
) -> tuple[tuple[int, int, int, int], ...]:
    waited = replay(placing, jobs, until=job, engine=engine, watch=job).waited
    places: Counter[tuple[int, int]] = Counter()
    for charged, links in waited.items():
        if charged != job:
            for router, port in zip(*links.nonzero(), strict=True):
                places[int(router), int(port)] += int(links[router, port])
    most = sorted(places, key=lambda place: (-places[place], place))[:_LINKS]
    return tuple(
        (*place, charged, int(links[place]))
        for place in most
        for charged, links in sorted(waited.items())
        if charged != job and links[place]
    )
