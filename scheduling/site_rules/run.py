"""Jobs on a machine under the rules of a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netplace.scheduling.estimates import estimate_rule
from netplace.scheduling.execution import Execution
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.policy import Policy
from netplace.scheduling.schedule import Schedule
from netplace.scheduling.simulator import schedule
from netplace.scheduling.site_rules.queue import SiteQueue
from netplace.scheduling.site_rules.settings import Site
from netplace.scheduling.times import LogTimes, RunTimes
from netplace.topologies import Topology


def check_dependencies(jobs: Sequence[Job]) -> int:
    """Return the number of jobs that depend on a missing job and therefore do not wait for any job."""
    after = {job.number: job.after for job in jobs}
    sound: set[int] = set()
    for first in after:
        path, number = list[int](), first
        while number in after and number not in sound:
            if number in path:
                circle = [*path[path.index(number) :], number]
                shown = " after ".join(map(str, circle[:8])) + (" .." if len(circle) > 8 else "")
                raise ValueError(f"jobs: depend on each other in a cycle, {shown}")
            path.append(number)
            number = after[number]
        sound.update(path)
    return sum(job.after >= 0 and job.after not in after for job in jobs)


@dataclass(frozen=True)
class SiteResult:
    """The results of scheduling jobs under the rules of a site.

    Attributes
    ----------
    schedule : Schedule
        The schedule of the jobs; its `kills` count restarts after node failures.
    refused : tuple of int
        Numbers of the jobs that no queue admits; these jobs are not in the schedule.
    failures : int
        Number of nodes that failed while jobs waited or ran, not counting service nodes.
    unknown_before : int
        Number of jobs that depend on a missing job and therefore do not wait for any job.
    """

    schedule: Schedule
    refused: tuple[int, ...]
    failures: int
    unknown_before: int


class SiteRun:
    """The rules of a site, prepared for scheduling given jobs: a policy, and the admitted jobs.

    `jobs` are in order of submission; `partitioner` is the text form of the partitioner, and `times` gives
    the longest run time of each job. `refused` and `unknown_before` are as in `SiteResult`.
    """

    def __init__(
        self,
        site: Site,
        machine: Topology,
        jobs: Sequence[Job],
        partitioner: str,
        times: RunTimes | Execution,
        estimates: str = "run-time",
        overrun: str = "keep",
    ) -> None:
        if not make_partitioner(partitioner, machine).by_count:
            raise ValueError(
                f"partition {partitioner}: chooses specific nodes, expected one that only counts nodes, "
                f"such as non-contiguous"
            )
        if overrun == "requeue":
            raise ValueError("overrun 'requeue': the rules of a site requeue only jobs whose nodes fail")
        present = len(machine.computing)
        for window in site.windows:
            if window.nodes is not None and window.nodes > present:
                raise ValueError(
                    f"window {window.name}: {window.nodes} nodes, but the machine has {present} for jobs"
                )
        estimate = estimate_rule(estimates, times)
        self.admitted = [job for job in jobs if site.queue_of(job, estimate(job)) is not None]
        within = {job.number for job in self.admitted}
        self.refused = tuple(job.number for job in jobs if job.number not in within)
        if not self.admitted:
            raise ValueError(f"jobs: no queue accepts any of {len(jobs)}")
        self.unknown_before = check_dependencies(self.admitted) if site.dependencies else 0
        self.policy = Policy("site", self._queue, "the rules of a site")
        self._site, self._machine = site, machine
        self._known = frozenset(job.number for job in self.admitted if job.nodes <= present)
        self._queues: list[SiteQueue] = []

    def _queue(self) -> SiteQueue:
        self._queues.append(SiteQueue(self._site, self._machine, self._known))
        return self._queues[-1]

    @property
    def failures(self) -> int:
        """Number of nodes that failed while jobs waited or ran, not counting service nodes."""
        return self._queues[-1].failures

    def counts(self) -> dict[str, int]:
        """Return the numbers of refused jobs, of failed nodes, and of jobs that depend on a missing job."""
        return {
            "refused": len(self.refused),
            "node_failures": self.failures,
            "before_unknown": self.unknown_before,
        }


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
    """Schedule jobs, given in order of submission, under the rules of a site.

    The partitioner must be one for which any free nodes suffice; `seed` is its seed. `times`, `estimates`,
    `overrun` and `tell` are those of `netplace.scheduling.schedule`.
    """
    times = LogTimes() if times is None else times
    run = SiteRun(site, machine, jobs, partitioner, times, estimates, overrun)
    chosen = make_partitioner(partitioner, machine, seed)
    planned = schedule(
        machine, run.admitted, run.policy, chosen, times, estimates=estimates, overrun=overrun, tell=tell
    )
    return SiteResult(planned, run.refused, run.failures, run.unknown_before)
