"""Workloads of Batsim in JSON, whose jobs have profiles (batsim.readthedocs.io, "Workload")."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from netplace.inputs import abbreviate
from netplace.scheduling.job import Job
from netplace.scheduling.workload.workload import Workload


class _Job(msgspec.Struct, frozen=True):
    id: int | str
    subtime: float
    res: int
    profile: str
    walltime: float = -1.0


class _Workload(msgspec.Struct, frozen=True):
    nb_res: int
    jobs: tuple[_Job, ...]
    profiles: dict[str, dict[str, Any]]


def is_batsim(text: str) -> bool:
    """Return whether a JSON file has the keys of a workload of Batsim."""
    return text.lstrip().startswith("{") and all(f'"{key}"' in text for key in ("nb_res", "jobs", "profiles"))


def read_batsim(path: Path, text: str) -> Workload:
    """Return the jobs of a workload whose profiles are delays, which alone say how long a job runs."""
    try:
        given = msgspec.json.decode(text, type=_Workload)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"{path}: is not a workload of Batsim: {error}") from None
    jobs = []
    for number, job in enumerate(given.jobs, 1):
        profile = given.profiles.get(job.profile, {})
        delay = profile.get("delay")
        if profile.get("type") != "delay" or not isinstance(delay, int | float):
            raise ValueError(
                f"{path}: job {job.id} has profile {abbreviate(job.profile)} of type "
                f"{abbreviate(profile.get('type'))}, expected delay, which has a run time"
            )
        estimate = job.walltime if job.walltime >= 0 else None
        jobs.append(Job(number, job.subtime, job.res, delay, estimate))
    try:
        return Workload.of(jobs, machine_nodes=given.nb_res)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
