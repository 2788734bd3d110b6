"""Why a job can never run on a machine, before anything runs there."""

from __future__ import annotations

from collections.abc import Iterable

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import Partitioner

__all__ = ["reason_against", "refusals"]


def reason_against(job: Job, empty: Partitioner) -> str:
    """Return why a job finds no place even on the empty machine; empty text if it does."""
    if job.nodes > empty.free:
        return f"it needs more than the {empty.free} nodes of the machine"
    if empty.by_count:
        return ""
    try:
        allocation = empty.find(job)
    except ValueError as error:
        return str(error)
    return "" if allocation is not None else "it finds no place on the empty machine"


def refusals(jobs: Iterable[Job], empty: Partitioner) -> dict[int, str]:
    """Return the numbers of the jobs that can never run, each with the reason.

    Parameters
    ----------
    jobs : iterable of Job
        The jobs.
    empty : Partitioner
        Of the empty machine; it is asked, and left as it is.
    """
    empty = empty.copy()
    known: dict[object, str] = {}
    reasons = {}
    for job in jobs:
        kind = job.nodes, job.application, job.intensity
        if kind not in known:
            known[kind] = reason_against(job, empty)
        if known[kind]:
            reasons[job.number] = known[kind]
    return reasons
