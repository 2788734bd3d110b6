"""The same jobs for all plans of a comparison: a job that one of them cannot run is omitted for all.

Plans are contestants if they have the same jobs: one workload with one seed. A job that one of them would
refuse (no box has its size, or it is larger than the machine) is omitted for all. If boxes are compared with
other partitioners, a job whose size no box has gets the next size that has one, as on real machines. Jobs
that one of them kills run for all, and count for none in the figures of single jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from netplace.runs.networks import network_of
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import refused_jobs, workload_of
from netplace.scheduling.workload import Workload

_BOXES = ("buddy", "contiguous", "frame-sliding")
_ROUND_UP = ":round-up"


@dataclass(frozen=True)
class SharedJobs:
    """Plans with the same jobs."""

    plans: list[Plan]
    notes: list[str]  # changes to the plans, one sentence each


def contestants(plans: Sequence[Plan]) -> list[list[int]]:
    """Return the indices of the plans with the same jobs."""
    groups: dict[object, list[int]] = {}
    for place, plan in enumerate(plans):
        nodes = None if plan.from_file else plan.installed or network_of(plan.machine).nodes
        key = plan.workload, plan.jobs, repr(plan.options), nodes, None if plan.from_file else plan.seed
        groups.setdefault(key, []).append(place)
    return list(groups.values())


def same_jobs(plans: Sequence[Plan]) -> SharedJobs:
    """Return the plans with the jobs that all contestants can run."""
    made, notes = list(plans), dict[str, None]()
    for places in contestants(plans):
        if len({made[place].seeded(0).key for place in places}) < 2:
            continue
        jobs = workload_of(made[places[0]])
        refused = {place: refused_jobs(made[place], jobs) for place in places}
        if len({made[place].partition for place in places}) > 1:
            for place in places:
                rounded = _rounded_up(made[place], jobs, refused[place])
                if rounded is not None:
                    made[place], more = rounded
                    helped = refused[place].keys() - more
                    sizes = sorted({job.nodes for job in jobs if job.number in helped})
                    notes[
                        f"{plans[place].partition} gives jobs of {_words(sizes)} nodes, as no box has, the "
                        f"next size that one has ({made[place].partition}); --unpaired leaves it as it is"
                    ] = None
                    refused[place] = more
        without = {number: why for reasons in refused.values() for number, why in reasons.items()}
        if not without:
            continue
        if len(without) == len(jobs):
            raise ValueError(
                f"jobs: none of {len(jobs)} can run under all of {len(places)} plans; --unpaired compares "
                "the plans anyway"
            )
        first = min(without)
        notes[
            f"{len(without):,} of {len(jobs):,} jobs are left out because not every plan can run them; the "
            f"first, job "
            f"{first}: {without[first]}; --unpaired keeps them"
        ] = None
        for place in places:
            made[place] = replace(made[place], without=tuple(sorted(without)))
    return SharedJobs(made, list(notes))


def after_runs(plans: Sequence[Plan], figures: Sequence[ScheduleFigures]) -> list[Plan]:
    """Return the plans to execute given the outcomes; jobs that one rejected or ended early do not count."""
    made = list(plans)
    for places in contestants(plans):
        if len(places) < 2:
            continue
        rejected = {number for place in places for number in figures[place].rejected.jobs}
        failed = {number for place in places for number in figures[place].failed}
        for place in places:
            plan = made[place]
            made[place] = replace(
                plan,
                without=tuple(sorted({*plan.without, *rejected})),
                uncounted=tuple(sorted({*plan.uncounted, *failed})),
            )
    return made


def _rounded_up(plan: Plan, jobs: Workload, refused: Mapping[int, str]) -> tuple[Plan, dict[int, str]] | None:
    """Return the plan with larger boxes, and what it refuses then; None where that is no help."""
    if not refused or plan.partition not in _BOXES:
        return None
    rounded = replace(plan, partition=plan.partition + _ROUND_UP)
    try:
        more = refused_jobs(rounded, jobs)
    except ValueError:  # on trees every size has a place
        return None
    return (rounded, more) if len(more) < len(refused) else None


def _words(sizes: Sequence[int]) -> str:
    shown = [str(size) for size in sizes[:4]]
    return ", ".join(shown) + (" or more" if len(sizes) > 4 else "")
