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
    """Return the jobs of a workload whose profiles are delays or sequences of them, which say how long."""
    try:
        given = msgspec.json.decode(text, type=_Workload)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"{path}: is not a workload of Batsim: {error}") from None
    jobs = []
    for number, job in enumerate(given.jobs, 1):
        run_time = _seconds(job.profile, given.profiles, f"{path}: job {job.id}", ())
        estimate = job.walltime if job.walltime >= 0 else None
        jobs.append(Job(number, job.subtime, job.res, run_time, estimate))
    try:
        return Workload.of(jobs, machine_nodes=given.nb_res)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _seconds(name: str, profiles: dict[str, dict[str, Any]], where: str, above: tuple[str, ...]) -> float:
    """Return the run time of a profile; `above` are the sequences that it is a part of."""
    profile = profiles.get(name, {})
    kind, delay, parts = (profile.get(key) for key in ("type", "delay", "seq"))
    if kind in ("delay", "DelayProfile") and isinstance(delay, int | float):
        return delay
    repeat = profile.get("repeat", 1)
    if (
        kind in ("composed", "SequentialCompositionProfile")
        and isinstance(parts, list)
        and isinstance(repeat, int)
        and name not in above
    ):
        return repeat * sum(_seconds(str(part), profiles, where, (*above, name)) for part in parts)
    raise ValueError(
        f"{where} has profile {abbreviate(name)} of type {abbreviate(kind)}, expected delay or a sequence of "
        f"delays, which have a run time"
    )
