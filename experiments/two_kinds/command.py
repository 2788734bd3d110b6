"""``netplace two-kinds``: independent tasks on CPUs and GPUs, as short as possible."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import as_epilog
from netplace.cli.flags import COUNT, REAL, flag
from netplace.cli.settings import json_flag
from netplace.csv_files import write_rows
from netplace.report.terminal.screen import number, print_json, print_tables, table

EXAMPLES = ("netplace two-kinds --queries 40 --cpus 4 --gpus 4",)


@click.command("two-kinds", cls=FilesCommand, epilog=as_epilog(*EXAMPLES))
@flag("--tasks", "CSV with the columns task, cpu and gpu, in seconds.", metavar="FILE")
@flag("--queries", "N queries of SWDUAL, instead of --tasks.", COUNT, metavar="N")
@flag("--cpus", "Number of CPUs.", COUNT, required=True)
@flag("--gpus", "Number of GPUs.", COUNT, required=True)
@flag("--step", "Steps of the dual approximation.", default="greedy,knapsack", metavar="A,B")
@flag("--tolerance", "Relative tolerance.", REAL, 1e-6)
@flag("--optimum", "Also compute the optimum (for up to a few dozen tasks).", bool)
@flag("--rows", "Write the worker of each task (.csv); for one step.", metavar="FILE")
@json_flag
def two_kinds_command(**given: Any) -> None:
    """Assign tasks to CPUs and GPUs by dual approximation.

    The makespan is at most 2 (greedy) or 3/2 (knapsack) times the optimum.
    """
    from netplace.experiments.two_kinds.simulator import (
        STEPS,
        check_search,
        optimum,
        query_times,
        read_task_times,
        search,
    )
    from netplace.inputs import check_choice
    from netplace.report.files.outputs import check_output

    asked = SimpleNamespace(**given)
    steps = [check_choice(word.strip(), STEPS, "--step") for word in asked.step.split(",")]
    rows = check_output(Path(asked.rows), (".csv",)) if asked.rows else None
    if rows and len(steps) > 1:
        raise ValueError(f"--rows {rows}: holds one schedule, but --step names {len(steps)}")
    cpus, gpus = asked.cpus, asked.gpus
    if asked.queries is not None and asked.tasks is None:
        for step in steps:
            check_search(asked.queries, cpus, gpus, step)  # before so many are made
        tasks = query_times(asked.queries)
    elif asked.tasks is not None and asked.queries is None:
        tasks = read_task_times(asked.tasks)
    else:
        raise ValueError("--tasks or --queries: expected one of them")
    for step in steps:
        check_search(len(tasks), cpus, gpus, step)  # of all steps, before the first begins
    results = {step: search(tasks, cpus, gpus, step, asked.tolerance) for step in steps}
    best = optimum(tasks, cpus, gpus) if asked.optimum else None
    if rows:
        (made,) = results.values()
        write_rows(rows, ("task", "worker"), zip(tasks.names, made.assignment.workers, strict=True))
    shown: list[dict[str, Any]] = [
        {
            "step": step,
            "makespan": made.assignment.makespan,
            "lower_bound": made.lower_bound,
            "guarantee": STEPS[step][1],
            "steps": made.steps,
            "workers": dict(zip(tasks.names, made.assignment.workers, strict=True)),
        }
        for step, made in results.items()
    ]
    if asked.as_json:
        print_json({"tasks": len(tasks), "cpus": cpus, "gpus": gpus, "optimum": best, "steps": shown})
        return
    title = f"{len(tasks)} tasks on {cpus} CPUs and {gpus} GPUs"
    title += f"; optimum {number(best, 2)} s" if best is not None else ""
    columns = ("makespan", "lower_bound", "guarantee", "steps")
    digits = {"makespan": 2, "lower_bound": 2, "guarantee": 1}
    cells = [
        [str(row["step"]), *(number(row[name], digits.get(name, 0)) for name in columns)] for row in shown
    ]
    print_tables(table(title, ["step", *(name.replace("_", " ") for name in columns)], cells))
