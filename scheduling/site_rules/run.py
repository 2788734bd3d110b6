"""Jobs on a machine under the rules of a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netplace.scheduling.estimates import estimate_rule
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.policy import Policy
from netplace.scheduling.schedule import Schedule
from netplace.scheduling.simulator import schedule
from netplace.scheduling.site_rules.dependencies import check_dependencies
from netplace.scheduling.site_rules.queue import SiteQueue
from netplace.scheduling.site_rules.settings import Site
from netplace.scheduling.times import LogTimes, RunTimes
from netplace.topologies import Topology

__all__ = ["SiteResult", "run_site"]


@dataclass(frozen=True)
class SiteResult:
    """What came of jobs at a site.

    Attributes
    ----------
    schedule : Schedule
        The rows; `kills` counts what node failures cost, each job then started anew.
    refused : tuple of int
        Numbers of the jobs that no queue admits; they are not in the schedule.
    failures : int
        Nodes that failed while jobs waited or ran; service nodes are not counted.
    unknown_before : int
        Jobs that come after one that is not in the workload, and so wait for nobody.
    """

    schedule: Schedule
    refused: tuple[int, ...]
    failures: int
    unknown_before: int


def run_site(
    machine: Topology,
    jobs: Sequence[Job],
    site: Site,
    partitioner: str = "non-contiguous",
    times: RunTimes | None = None,
    *,
    estimates: str = "run-time",
    overrun: str = "keep",
    seed: int = 0,
    tell: Callable[[int, float], None] | None = None,
) -> SiteResult:
    """Return what comes of jobs under the rules of a site.

    Parameters
    ----------
    machine : Topology
        The machine.
    jobs : sequence of Job
        In order of submission.
    site : Site
        The rules.
    partitioner : str
        Text form of a partitioner that goes by count: any free nodes do.
    times, estimates, overrun, tell
        As in `netplace.scheduling.schedule`.
    seed : int
        Seed of the partitioner.

    Raises
    ------
    ValueError
        If jobs wait for each other in a circle, a window needs more nodes than there are, no job is
        admitted, or as in `netplace.scheduling.schedule`.
    """
    chosen = make_partitioner(partitioner, machine, seed)
    if not chosen.by_count:
        raise ValueError(
            f"partition {partitioner}: needs places, expected one by count, such as non-contiguous"
        )
    if overrun == "requeue":
        raise ValueError("overrun 'requeue': the rules of a site put back only jobs whose nodes fail")
    for window in site.windows:
        if window.nodes is not None and window.nodes > len(machine.computing):
            raise ValueError(
                f"window {window.name}: {window.nodes} nodes, "
                f"the machine has {len(machine.computing)} for jobs"
            )
    estimate = estimate_rule(estimates, LogTimes() if times is None else times)
    admitted = [job for job in jobs if site.queue_of(job, estimate(job)) is not None]
    kept = {job.number for job in admitted if job.nodes <= len(machine.computing)}
    within = {job.number for job in admitted}
    refused = tuple(job.number for job in jobs if job.number not in within)
    if not admitted:
        raise ValueError(f"jobs: no queue admits one of {len(jobs)}")
    unknown = check_dependencies(admitted) if site.dependencies else 0
    made: list[SiteQueue] = []

    def queue() -> SiteQueue:
        made.append(SiteQueue(site, machine, frozenset(kept)))
        return made[-1]

    policy = Policy("site", queue, "the rules of a site")
    found = schedule(
        machine, admitted, policy, chosen, times, estimates=estimates, overrun=overrun, tell=tell
    )
    return SiteResult(found, refused, made[-1].failures, unknown)
