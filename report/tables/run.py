"""The tables of ``netplace run``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.netsim import Result
from netplace.netsim.critical_path import COMPONENTS, critical_path
from netplace.netsim.effects import routing_of
from netplace.report.tables.summary import Described, spread
from netplace.report.terminal.screen import number, printed_text, table
from netplace.runs.execute import Executed
from netplace.runs.job_programs import programs_of
from netplace.runs.networks import network_of
from netplace.runs.placing import simulates

if TYPE_CHECKING:
    from rich.table import Table


def title(executed: Executed) -> str:
    """Return what ran where, as in ``lu on torus:8x8, partition whole, mapping column, VC policy smart``."""
    run = executed.run
    names = jobs_named(job.name for job in executed.result.jobs)
    routing = routing_of(network_of(run.network), run.config)
    return f"{names} on {run.network}, partition {run.partition}, mapping {run.jobs[0].mapping}, {routing}"


def jobs_named(names: Iterable[str]) -> str:
    """Return the names of jobs, each once, with its number if there are several jobs."""
    every = list(names)
    return " + ".join(
        f"{every.count(name)}x {name}" if len(every) > 1 else name for name in dict.fromkeys(every)
    )


def write_run(
    executed: Sequence[Executed], messages: Path | None, timeline: Path | None, picture: Path | None
) -> None:
    """Write messages of all runs, and timeline and link loads of the first; None: not requested."""
    first = executed[0]
    if messages:
        from netplace.report.files.run_details import write_messages

        write_messages(
            messages, [execution.result for execution in executed], programs_of(first.run, first.places)
        )
    if timeline:
        from netplace.report.files.timeline import write_timeline

        write_timeline(timeline, first.result, programs_of(first.run, first.places), first.window)
    if picture:
        from netplace.report.plots import write_figure
        from netplace.report.plots.networks import network_figure

        jobs = [job.nodes for job in first.result.jobs]
        network = network_of(first.run.network)
        write_figure(picture, network_figure(network, first.result.link_load, jobs, title(first)))


def write_run_folder(folder: Path, executed: Sequence[Executed], description: Described) -> None:
    """Write runs that differ in their seeds into a folder: for people, for a page, for other tools."""
    from netplace.files import write_atomically
    from netplace.report.files.run_details import write_links

    folder.mkdir(exist_ok=True)
    write_atomically(folder / "run.json", printed_text(description, "run"))
    write_links(folder / "links.csv", network_of(executed[0].run.network), description["links"])
    write_run(executed, folder / "messages.csv", folder / "timeline.json", folder / "loads.png")


_COLUMNS: dict[str, Callable[[Result], tuple[float | None, int]]] = {
    "cycles": lambda run: (run.cycles if run.finished else None, 0),
    "ms": lambda run: (run.seconds * 1e3 if run.finished else None, 3),
    "packets": lambda run: (run.packets, 0),
    "packet-hops": lambda run: (run.packet_hops, 0),
    "mean packet delay": lambda run: (run.packet_delay.mean if run.packet_delay.count else None, 1),
    "largest link load": lambda run: (float(run.link_load.max(initial=0.0)), 3),
    "CPU s": lambda run: (run.cpu_seconds, 2),
    "M packet-hops/s": lambda run: (run.packet_hops / 1e6 / max(run.cpu_seconds, 1e-9), 2),
}


def run_tables(executed: Sequence[Executed]) -> list[Table]:
    """Return the table of runs that differ in their seeds and, for several jobs, that of the jobs."""
    runs = [execution.result for execution in executed]
    rows = [[str(run.seed), *(number(*value(run)) for value in _COLUMNS.values())] for run in runs]
    if len(runs) > 1:
        spreads = {name: (_spread(map(value, runs)), value(runs[0])[1]) for name, value in _COLUMNS.items()}
        rows.append([])
        rows += [
            [measure, *(number(figures[measure], digits) for figures, digits in spreads.values())]
            for measure in ("mean", "std", "min", "max")
        ]
    tables = [table(title(executed[0]), ["seed", *_COLUMNS], rows)]
    if runs[0].faults:
        tables.append(_faults_table(runs))
    if not all(run.finished for run in runs):
        tables.append(_lost_table(runs))
    if len(runs[0].jobs) > 1:
        names = ["job", "tasks", "mean", "std", "min", "max", "failed"]
        tables.append(table("cycles of each job", names, _job_rows(runs)))
    if simulates(executed[0].run.jobs[0].mapping):
        winners = [[str(execution.result.seed), *execution.methods] for execution in executed]
        names = [f"job {place}" for place in range(len(runs[0].jobs))]
        tables.append(table("fastest mapping of each job alone", ["seed", *names], winners))
    return tables


def _job_rows(runs: Sequence[Result]) -> list[list[str]]:
    rows = []
    for place, job in enumerate(runs[0].jobs):
        cycles = [run.jobs[place].cycles for run in runs if run.jobs[place].finished]
        failed = str(len(runs) - len(cycles))
        rows.append([f"{place} {job.name}", str(len(job.nodes)), *_spread_row(cycles), failed])
    slowest = [max(job.cycles for job in run.jobs) for run in runs if run.finished]
    return [*rows, [], ["slowest", "", *_spread_row(slowest), str(len(runs) - len(slowest))]]


def _spread_row(cycles: Sequence[float]) -> list[str]:
    figures = _spread((value, 0) for value in cycles)
    return [number(figures[measure]) for measure in ("mean", "std", "min", "max")]


def _spread(values: Iterable[tuple[float | None, int]]) -> dict[str, float | None]:
    """Return mean and spread of the values that there are."""
    known = [value for value, _ in values if value is not None]
    return dict(spread(known)) if known else dict.fromkeys(("mean", "std", "min", "max"))


def _lost_table(runs: Sequence[Result]) -> Table:
    rows = [
        [str(run.seed), f"{place} {job.name}", job.fate]
        for run in runs
        for place, job in enumerate(run.jobs)
        if not job.finished
    ]
    return table("jobs that did not finish", ["seed", "job", "outcome"], rows)


def _faults_table(runs: Sequence[Result]) -> Table:
    rows = [
        [
            str(run.seed),
            *map(number, (fault.at, fault.links, fault.routers, fault.slow)),
            *map(_listed, (fault.nodes, fault.jobs)),
            *map(number, (fault.lost, fault.again)),
            fault.routing,
        ]
        for run in runs
        for fault in run.faults
    ]
    return table("faults", _OF_FAULTS, rows)


_OF_FAULTS = (
    "seed", "cycle", "links down", "routers down", "links with another speed", "nodes cut off",
    "jobs stopped", "packets lost", "sent again", "routing after the fault",
)  # fmt: skip


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:8])) + (", .." if len(numbers) > 8 else "") if numbers else "-"


def path_rows(executed: Sequence[Executed]) -> list[dict[str, Any]]:
    """Return the critical path of each run and job: its cycles, by component too, its messages and tasks.

    Of a job that a fault stopped, it goes until then.
    """
    rows = []
    for execution in executed:
        result = execution.result
        topology = network_of(execution.run.network)
        for job, program in enumerate(programs_of(execution.run, execution.places)):
            path = critical_path(topology, result.config, program, result.jobs[job])
            rows.append(
                {
                    "seed": result.seed,
                    "job": job,
                    "cycles": path.cycles,
                    "components": path.by_component(),
                    "messages": len({stretch.message for stretch in path.stretches if stretch.message >= 0}),
                    "tasks": len({stretch.task for stretch in path.stretches}),
                }
            )
    return rows


def path_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return a table of critical paths: a line for each component, means over runs and jobs."""
    count = len(rows)
    cycles = sum(row["cycles"] for row in rows) / count
    lines = []
    for name, label in COMPONENTS.items():
        mean = sum(row["components"][name] for row in rows) / count
        lines.append([f"{name}: {label}", _mean(mean), number(100 * mean / cycles if cycles else 0.0, 1)])
    lines.append(["sum: cycles from the start to the end of the job", _mean(cycles), number(100)])
    messages = sum(row["messages"] for row in rows) / count
    tasks = sum(row["tasks"] for row in rows) / count
    title = f"critical path: {_mean(messages)} messages of {_mean(tasks)} tasks"
    return table(title, ["component", "cycles", "%"], lines)


def _mean(value: float) -> str:
    """Return a mean of counts; of one run it is a count."""
    return number(value, 0 if value == int(value) else 1)
