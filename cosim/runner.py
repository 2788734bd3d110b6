"""The execution of co-simulation plans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from netplace.apps.program import Repeated
from netplace.cosim.cost import check_affordable, sampled_packets
from netplace.cosim.fidelities import RUNNERS
from netplace.cosim.figures import CosimFigures, costs, figures, times_unmapped
from netplace.cosim.job_row import JobRow, job_rows
from netplace.cosim.placed import JobPlacer
from netplace.cosim.placing import placing_and_times
from netplace.cosim.plan import CosimPlan
from netplace.cosim.stored_times import StoredTimes
from netplace.cosim.work import iteration_program
from netplace.netsim.effects import notes_on
from netplace.netsim.result import versions
from netplace.runs.job_list import is_job_list
from netplace.runs.job_programs import check_packets
from netplace.runs.meter import PacketMeter
from netplace.runs.mix import read_mix
from netplace.runs.schedules import workload_of
from netplace.runs.site_file import read_site
from netplace.scheduling import Job, Schedule, make_partitioner, schedule
from netplace.scheduling.policy import Policy
from netplace.scheduling.site_rules import SiteRun

Tell = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Cosimulated:
    """The results of a co-simulation.

    Attributes
    ----------
    schedule : Schedule
        The schedule of the jobs.
    outcome : dict
        The results as a JSON-compatible dict with the keys ``jobs``, ``figures``, ``notes``, ``rejected``,
        ``versions`` and others.
    """

    schedule: Schedule
    jobs: list[JobRow]
    figures: CosimFigures
    outcome: dict[str, Any]


def cosimulate(
    plan: CosimPlan,
    *,
    engine: str = "kernel",
    tell: Tell | None = None,
    stored_times: Path | None = None,
    threads: int | str = 1,
    policy: Policy | None = None,
    meter: PacketMeter | None = None,
) -> Cosimulated:
    """Run the jobs of a plan on the machine that they share.

    Parameters
    ----------
    tell : callable, optional
        Function that is called whenever a job ends, with the number of jobs that have ended.
    stored_times : Path, optional
        File in which each draw and each time of a job alone is stored when it ends. A co-simulation that was
        killed takes them from there when it starts again; at the end, the file is removed.
    threads : int or str
        Number of threads per network, as in `netplace.netsim.Network`; it does not change the results.
    policy : Policy, optional
        Rule that decides instead of the plan's policy.
    meter : PacketMeter, optional
        Watches the networks of the jobs together and alone.
    """
    stored = StoredTimes(stored_times, f"{plan.key} {engine}")
    sampled = plan.fidelity == "sampled"
    watch = (lambda _: None) if meter is None or sampled else meter.watch
    (placing, loops), jobs = placing_and_times(plan, stored, threads, watch), workload_of(plan.jobs)
    if is_job_list(plan.jobs.workload):
        _check_programs(placing, jobs)
    began = time.process_time()
    fitting = [job for job in jobs if job.nodes <= placing.hosts.nodes]
    if meter is not None and sampled:
        meter.expect(sampled_packets(placing, fitting), placing.machine.diameter)
    elif plan.fidelity == "live" or (plan.fidelity == "table" and not plan.applications):
        packets = check_affordable(placing, fitting, plan.fidelity, plan.max_packets)
        if meter is not None:
            draws = plan.draws if isinstance(plan.draws, int) and plan.draws > 1 else 1
            meter.expect(packets * draws, placing.machine.diameter)
    runner = RUNNERS[plan.fidelity](plan, placing, engine, tell or (lambda _: None), loops)
    site = None
    if plan.jobs.site:
        rules, own = read_site(plan.jobs.site), plan.jobs
        site = SiteRun(
            rules, placing.hosts, jobs, own.partition, runner.execution, own.estimates, own.overrun
        )
    made = schedule(
        placing.hosts,
        jobs if site is None else site.admitted,
        policy or (plan.jobs.policy if site is None else site.policy),
        make_partitioner(plan.jobs.partition, placing.hosts, plan.jobs.seed),
        runner.execution,
        estimates=plan.jobs.estimates,
        overrun=plan.jobs.overrun,
        installed=plan.jobs.installed,
        keep_nodes=True,
    )
    runner.finish()
    time_unmapped = times_unmapped(made, runner.measured, runner.alone) if plan.applications else None
    rows = job_rows(made, runner.measured, placing, time_unmapped)
    of_all = runner.with_own(figures(made, rows, plan.fidelity != "table"))
    if time_unmapped is not None:
        of_all = replace(of_all, costs=costs(rows))
    outcome = {
        "jobs": [row.to_dict() for row in rows],
        "figures": of_all.to_dict(),
        "notes": [*jobs.notes, *notes_on(placing.machine, plan.config), *_notes(plan)],
        "rejected": [{"job": number, "nodes": nodes, "why": why} for number, nodes, why in made.rejected],
        **runner.more(),
        **({} if site is None else {"site": site.counts()}),
        "cpu_seconds": time.process_time() - began,
        "versions": versions(),
    }
    stored.close()
    return Cosimulated(made, rows, of_all, outcome)


def _check_programs(placing: JobPlacer, jobs: Iterable[Job]) -> None:
    """Check before anything runs that every job has a program, of no more packets than can be simulated."""
    for work, number in {replace(placing.program_for(job), iterations=1): job.number for job in jobs}.items():
        try:
            check_packets(Repeated(iteration_program(work, placing.config)), placing.config)
        except ValueError as error:
            raise ValueError(f"job {number}: {error}") from None


def outcome_of(
    plan: CosimPlan,
    store: Path | None = None,
    tell: Tell | None = None,
    threads: int | str = 1,
    meter: PacketMeter | None = None,
) -> dict[str, Any]:
    stored = store and store.with_name(f"{store.name}.{plan.key[:12]}.unfinished")
    return cosimulate(plan, tell=tell, stored_times=stored, threads=threads, meter=meter).outcome


def _notes(plan: CosimPlan) -> list[str]:
    if plan.applications and not read_mix(plan.applications).upper_bound:
        return []
    if is_job_list(plan.jobs.workload):  # whose applications may compute
        return []
    return ["slowdowns are upper bounds: jobs only communicate because no share of communication is given"]
