"""The placement of the jobs of a plan on their nodes, and their times alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from netplace.cosim.alone import compact
from netplace.cosim.cost import check_block
from netplace.cosim.loop_times import TIMED, LoopTimes
from netplace.cosim.placed import JobPlacer, without_faults
from netplace.cosim.plan import CosimPlan
from netplace.cosim.stored_times import StoredTimes
from netplace.cosim.work import JobProgram, application_work, mixed_work
from netplace.netsim import Network
from netplace.runs.mix import read_mix
from netplace.runs.networks import network_of
from netplace.scheduling import Job
from netplace.topologies.compute_nodes import slots_a_host


def placing_of(plan: CosimPlan, threads: int | str = 1) -> JobPlacer:
    """Return the `JobPlacer` for the jobs of a plan; its networks are simulated by `threads` threads each."""
    return placing_and_times(plan, StoredTimes(), threads)[0]


def placing_and_times(
    plan: CosimPlan,
    stored: StoredTimes,
    threads: int | str = 1,
    watch: Callable[[Network], None] = lambda _: None,
) -> tuple[JobPlacer, LoopTimes]:
    """Return the placement of the jobs of a plan, and times alone, some of which may be stored."""
    machine = network_of(plan.jobs.machine)
    slots = slots_a_host(machine)
    program_for = application_work(plan.config, plan.collectives, slots)
    given = JobPlacer(machine, plan.config, program_for, plan.jobs.mapping, plan.jobs.seed, threads, watch)
    loops = LoopTimes(without_faults(given), plan.target_half_width, stored)
    if not plan.applications:
        return given, loops
    # Decides how much is computed, no time.
    rough = LoopTimes(loops.placing, plan.target_half_width, stored, draws=1)
    periods: dict[tuple[JobProgram, int], float] = {}

    def period(job: Job, work: JobProgram) -> float:
        if (work, job.nodes) not in periods:
            # What the log's time is of; another mapping then costs or saves, like another partition.
            check_block(work, TIMED, plan.config, plan.max_packets)
            plain = replace(given, program_for=lambda _: work, mapping="consecutive")
            times = loops if work.compute else rough
            periods[work, job.nodes] = times.iteration(plain.put(job, compact(given.hosts, job)))
        return periods[work, job.nodes]

    mix = read_mix(plan.applications).choosing(plan.collectives)
    return replace(given, program_for=mixed_work(mix, plan.config, period, plan.jobs.seed, slots)), loops
