"""Plans of co-simulations carried out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from netplace.cosim.alone import FreshTimes, cycles_alone
from netplace.cosim.figures import figures, job_rows
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.measured import Measured
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.plan import CosimPlan
from netplace.cosim.table import TableExecution
from netplace.cosim.work import application_work
from netplace.netsim.result import versions
from netplace.runs.schedules import workload_of
from netplace.scheduling import Execution, Schedule, make_partitioner, schedule
from netplace.topologies import parse

__all__ = ["Cosimulated", "cosimulate", "placing_of"]

Tell = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Cosimulated:
    """A plan that was carried out.

    Attributes
    ----------
    schedule : Schedule
        The rows of the job level.
    outcome : dict
        ``jobs`` and ``figures``, as JSON can hold them, and what they came from.
    """

    schedule: Schedule
    outcome: dict[str, Any]


def placing_of(plan: CosimPlan) -> Placing:
    """Return how jobs of a plan are put on their nodes."""
    machine = parse(plan.jobs.machine)
    work = application_work(plan.config)
    return Placing(machine, plan.config, work, plan.jobs.mapping, plan.jobs.seed)


def cosimulate(plan: CosimPlan, *, engine: str = "kernel", tell: Tell | None = None) -> Cosimulated:
    """Let the jobs of a plan run on the machine that they share.

    Parameters
    ----------
    plan : CosimPlan
        What to do.
    engine : str
        The network's engine.
    tell : callable, optional
        Called with the number of jobs that have ended so far, after each.

    Raises
    ------
    ValueError
        If jobs, machine and rules do not go together, or a job cannot run.
    """
    placing, jobs = placing_of(plan), workload_of(plan.jobs)
    began = time.process_time()
    fresh = FreshTimes(placing, plan.margin, engine)
    measured: dict[int, Measured] = {}

    def keep(placed: Placed, start: int, live: int, alone: int, cycles: int) -> None:
        what = placed.work.application, placed.nodes
        measured[placed.job.number] = Measured(*what, start, live, alone, cycles)
        if tell is not None:
            tell(len(measured))

    def ended(attempt: Attempt) -> None:
        placed = attempt.placed
        alone = cycles_alone(placing, placed, engine, attempt.since)
        keep(placed, attempt.start, attempt.cycles, alone, fresh.cycles(placed))

    def begun(placed: Placed, start: int) -> None:
        cycles = fresh.cycles(placed)
        keep(placed, start, cycles, cycles, cycles)

    live = plan.network_time == "live"
    execution: Execution
    if live:
        execution = LiveExecution(placing, fresh.longest, engine, ended)
    else:
        execution = TableExecution(placing, fresh, begun)
    made = schedule(
        placing.machine,
        jobs,
        plan.jobs.policy,
        make_partitioner(plan.jobs.partition, placing.machine, plan.jobs.seed),
        execution,
        estimates=plan.jobs.estimates,
        overrun=plan.jobs.overrun,
        keep_nodes=True,
    )
    rows = job_rows(made, measured, plan.config)
    outcome = {
        "jobs": rows,
        "figures": figures(made, rows, live),
        "notes": list(jobs.notes),
        "rejected": [{"job": number, "nodes": nodes, "why": why} for number, nodes, why in made.rejected],
        "cpu_seconds": time.process_time() - began,
        "versions": versions(),
    }
    return Cosimulated(made, outcome)
