"""The same jobs for all plans of a comparison: a job that one of them cannot run is omitted for all.

Plans are contestants if they have the same jobs: one workload with one seed. A job that one of them would
refuse (no box has its size, or it is larger than the machine) is omitted for all. If boxes are compared with
other partitioners, a job whose size no box has gets the next size that has one, as on real machines; all
seeds then use the same rule, because a comparison takes them together. Jobs that one of them kills run for
all, and count for none in the figures of single jobs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from msgspec.structs import replace

from netplace.runs.networks import hosts_of
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import refused_jobs, workload_of

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
        nodes = None if plan.from_file else plan.installed or hosts_of(plan.machine).nodes
        key = plan.workload, plan.jobs, repr(plan.options), nodes, None if plan.from_file else plan.seed
        groups.setdefault(key, []).append(place)
    return list(groups.values())


def same_jobs(plans: Sequence[Plan]) -> SharedJobs:
    """Return the plans with the jobs that all contestants can run."""
    groups = [
        places for places in contestants(plans) if len({plans[place].seeded(0).key for place in places}) > 1
    ]
    made, notes = _rounded_up(plans, groups)
    for places in groups:
        jobs = workload_of(made[places[0]])
        refused = [refused_jobs(made[place], jobs) for place in places]
        without = {number: why for reasons in refused for number, why in reasons.items()}
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


def _rounded_up(plans: Sequence[Plan], groups: Sequence[Sequence[int]]) -> tuple[list[Plan], dict[str, None]]:
    """Return the plans with larger boxes, in all groups alike, where that helps in one; and notes."""
    helped: dict[tuple[str, str], set[int]] = defaultdict(set)  # sizes of jobs, by machine and partition
    for places in groups:
        if len({plans[place].partition for place in places}) < 2:
            continue
        jobs = workload_of(plans[places[0]])
        for plan in (plans[place] for place in places if plans[place].partition in _BOXES):
            if refused := refused_jobs(plan, jobs):
                with suppress(ValueError):  # on trees every size has a place
                    fitting = refused.keys() - refused_jobs(_larger(plan), jobs)
                    helped[plan.machine, plan.partition] |= {
                        job.nodes for job in jobs if job.number in fitting
                    }
    notes = {
        f"{partition} gives jobs of {_words(sorted(sizes))} nodes, as no box has, the next size that one has "
        f"({partition}{_ROUND_UP}); --unpaired leaves it as it is": None
        for (_, partition), sizes in helped.items()
        if sizes
    }
    return [_larger(plan) if helped.get((plan.machine, plan.partition)) else plan for plan in plans], notes


def _larger(plan: Plan) -> Plan:
    return replace(plan, partition=plan.partition + _ROUND_UP)


def _words(sizes: Sequence[int]) -> str:
    shown = [str(size) for size in sizes[:4]]
    return ", ".join(shown) + (" or more" if len(sizes) > 4 else "")
