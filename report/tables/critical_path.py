"""Critical paths of runs, by what they are spent on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netplace.netsim.critical_path import COMPONENTS, critical_path
from netplace.report.terminal.screen import number, table
from netplace.runs.execute import Executed
from netplace.runs.job_programs import programs_of
from netplace.runs.networks import network_of

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class PathRow:
    # Seed of the run, and place of the job in it.
    seed: int
    job: int
    cycles: int  # cycles of the path: those of the job
    # Cycles by what they are spent on, a key of `netplace.netsim.critical_path.COMPONENTS`.
    components: dict[str, int]
    # Messages and tasks that it goes through.
    messages: int
    tasks: int


def path_rows(executed: Sequence[Executed]) -> list[PathRow]:
    """Return the cycles of each component of the critical path of each run and job, and how it goes."""
    rows = []
    for execution in executed:
        result = execution.result
        topology = network_of(execution.run.network)
        for job, program in enumerate(programs_of(execution.run, execution.places)):
            path = critical_path(topology, result.config, program, result.jobs[job])
            rows.append(
                PathRow(
                    seed=result.seed,
                    job=job,
                    cycles=path.cycles,
                    components=path.by_component(),
                    messages=len({stretch.message for stretch in path.stretches if stretch.message >= 0}),
                    tasks=len({stretch.task for stretch in path.stretches}),
                )
            )
    return rows


def path_table(rows: Sequence[PathRow]) -> Table:
    """Return a table of critical paths: a line for each component, means over runs and jobs."""
    count = len(rows)
    cycles = sum(row.cycles for row in rows) / count
    lines = []
    for name, what in COMPONENTS.items():
        mean = sum(row.components[name] for row in rows) / count
        lines.append([f"{name}: {what}", _mean(mean), number(100 * mean / cycles if cycles else 0.0, 1)])
    lines.append(["sum: run time of the job", _mean(cycles), number(100)])
    messages = sum(row.messages for row in rows) / count
    tasks = sum(row.tasks for row in rows) / count
    title = f"critical path: {_mean(messages)} messages of {_mean(tasks)} tasks"
    return table(title, ["component", "cycles", "%"], lines)


def _mean(value: float) -> str:
    """Return a mean of counts; of one run it is a count."""
    return number(value, 0 if value == int(value) else 1)
