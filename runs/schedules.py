"""The execution of schedule plans."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netplace.netsim.effects import notes_on
from netplace.netsim.result import versions
from netplace.runs.file_times import FILE_TIMES
from netplace.runs.job_list import is_job_list, read_job_list
from netplace.runs.mix import read_mix, with_programs
from netplace.runs.networks import hosts_of, network_of
from netplace.runs.plan import Plan, check_unchanged, read_options
from netplace.runs.power_file import read_power
from netplace.runs.schedule_figures import Rejected, ScheduleFigures
from netplace.runs.site_file import read_site
from netplace.runs.tabled_jobs import check_complete, run_times_of
from netplace.scheduling import Partitioner, RunTimes, Schedule, State, make_partitioner, make_times, schedule
from netplace.scheduling.metrics import STEADY, SteadyMean, batch_means, measure, steady_mean
from netplace.scheduling.policy import Policy
from netplace.scheduling.power import power_figures
from netplace.scheduling.simulation import Tell, refusals
from netplace.scheduling.simulator import hold_back
from netplace.scheduling.site_rules import SiteRun
from netplace.scheduling.workload import Workload, make_workload, read, scale_to_load
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import slots_a_host

_BATCHES = 20


@dataclass(frozen=True)
class ScheduleRun:
    """An executed plan."""

    schedule: Schedule
    figures: ScheduleFigures

    @property
    def outcome(self) -> dict[str, Any]:
        """The figures as they are stored; see `ScheduleFigures.to_dict`."""
        return self.figures.to_dict()


def workload_of(plan: Plan) -> Workload:
    options = read_options(plan.options)
    slots = slots_a_host(network_of(plan.machine))
    nodes = plan.installed or hosts_of(plan.machine).nodes
    if plan.from_file:
        target = options.pop("load", None)
        if is_job_list(plan.workload):
            read_whole = read_job_list(plan.workload, slots)
        else:
            read_whole = read(plan.workload, **options)
        jobs = read_whole if plan.jobs is None else read_whole[: plan.jobs]
        jobs = jobs if target is None else scale_to_load(jobs, nodes, target)
        if plan.applications:
            jobs = with_programs(jobs, read_mix(plan.applications), plan.config, plan.seed, slots)
    else:
        jobs = make_workload(plan.workload, nodes, plan.jobs or 1, plan.seed, **options)
    return jobs.without(np.isin(jobs.number, plan.without), "not every compared plan can run them")


def refused_jobs(plan: Plan, jobs: Workload) -> dict[int, str]:
    """Return the jobs of a plan that can never run under it, with the reasons."""
    _, _, option = plan.partition.partition(":")
    if option.startswith("bps"):
        return {}
    machine = hosts_of(plan.machine)
    partitioner = make_partitioner(plan.partition, machine, plan.seed)
    if plan.installed is not None:
        hold_back(partitioner, plan.installed, machine)
    refused = refusals(jobs, partitioner)
    if plan.site and plan.times.partition(":")[0] not in FILE_TIMES:
        times = make_times(plan.times, machine)
        site = _site_of(plan, machine, jobs, times)
        assert site is not None
        refused |= dict.fromkeys(site.refused, "no queue of the site accepts it")
    return refused


def run_schedule(
    plan: Plan, *, keep_nodes: bool = False, tell: Tell | None = None, policy: Policy | None = None
) -> ScheduleRun:
    """Return the schedule of a plan and its figures.

    `tell` gets the number of ended jobs and the time; `policy` decides instead of the plan's.
    """
    check_unchanged(plan)
    machine, jobs = hosts_of(plan.machine), workload_of(plan)
    rules = read_power(plan.power, plan.switching) if plan.power else None
    began = time.process_time()
    with ExitStack() as stack:
        try:
            times, partitioner = _times_and_partitioner(plan, machine, jobs, stack)
            site = _site_of(plan, machine, jobs, times)
            made = schedule(
                machine,
                jobs if site is None else site.admitted,
                policy or (plan.policy if site is None else site.policy),
                partitioner,
                times,
                estimates=plan.estimates,
                overrun=plan.overrun,
                locality=plan.locality,
                keep_nodes=keep_nodes,
                installed=plan.installed,
                tell=tell,
                power=rules,
            )
        except LookupError as error:
            raise ValueError(str(error)) from None
    figures = replace(
        _figures(made, plan.uncounted),
        power=None if rules is None else power_figures(made, rules.model),
        site=None if site is None else site.counts(),
        notes=(
            *jobs.notes,
            *notes_on(network_of(plan.machine), plan.config),
            *(rules.model.warnings if rules else ()),
        ),
    )
    return ScheduleRun(made, replace(figures, cpu_seconds=time.process_time() - began))


def outcome_of(plan: Plan) -> dict[str, Any]:
    """Return the figures of the schedule of a plan; for workers."""
    return run_schedule(plan).outcome


def _times_and_partitioner(
    plan: Plan, machine: Topology, jobs: Workload, stack: ExitStack
) -> tuple[RunTimes, Partitioner]:
    if plan.times.partition(":")[0] not in FILE_TIMES:
        if any(program for program, _ in jobs.kinds) and not jobs.run_time.any():
            raise ValueError(f"times {plan.times!r}: jobs of {plan.workload} have none but those of a table")
        return make_times(plan.times, machine), make_partitioner(plan.partition, machine, plan.seed)
    times = run_times_of(plan, jobs, stack)
    partitioner = make_partitioner(plan.partition, machine, plan.seed, ranking=times.ranking)
    if not plan.simulate:
        check_complete(times, jobs, plan, machine)
    return times, partitioner


def _site_of(plan: Plan, machine: Topology, jobs: Workload, times: RunTimes) -> SiteRun | None:
    """Return the rules of the plan's site, ready for its jobs; None if it has none."""
    if not plan.site:
        return None
    return SiteRun(read_site(plan.site), machine, jobs, plan.partition, times, plan.estimates, plan.overrun)


def _figures(made: Schedule, uncounted: Sequence[int]) -> ScheduleFigures:
    """Return the figures of a schedule, without those of power, rules of a site and CPU time."""
    counted = ~np.isin(made.number, uncounted)
    steady: dict[str, SteadyMean] = {}
    batches: dict[str, tuple[float, ...]] = {}
    for name in STEADY:
        try:
            steady[name] = steady_mean(made, name, batches=_BATCHES, counted=counted)
            batches[name] = tuple(batch_means(made, name, batches=_BATCHES, counted=counted).tolist())
        except ValueError:  # too few jobs, or all at once
            continue
    return ScheduleFigures(
        metrics=measure(made, counted),
        steady=steady,
        batches=batches,
        rejected=Rejected(
            jobs=tuple(number for number, *_ in made.rejected),
            sizes=tuple(sorted({nodes for _, nodes, _ in made.rejected})),
            first=made.rejected[0][2] if made.rejected else None,
        ),
        failed=tuple(made.number[made.state == State.FAILED].tolist()),
        notes=(),
        cpu_seconds=0.0,
        versions=versions(),
    )
