"""``netplace redirect``: sequential tasks, and the gain from redirecting the long ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import as_epilog
from netplace.cli.flags import COUNT, REAL, SEED, flag
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import number, print_json, print_tables, table

_PARAMETERS = ("dedicated", "threshold", "b", "c")

EXAMPLES = (
    "netplace redirect --workload lublin --machine 64 --policy SPT,SPT-RD --dedicated 2 --threshold 2",
    "netplace redirect --workload lublin --machine 64 --days 1 --instances 3 --processors 8 --json",
)


@click.command("redirect", cls=FilesCommand, epilog=as_epilog(*EXAMPLES))
@flag("--workload", "lublin, or a file: .swf or .csv.", required=True, metavar="NAME|FILE")
@flag("--machine", "Processors of the log's machine.", COUNT, required=True, metavar="N")
@flag("--jobs", "Jobs of lublin [default: 1000]; for a file, the first jobs.", COUNT, metavar="N")
@flag("--days", "Use windows of D days that start at random times.", REAL, metavar="D")
@flag("--instances", "Number of windows. [default: 1]", COUNT, metavar="N")
@flag("--processors", "Processors for the tasks. [default: from the log]", COUNT, metavar="M")
@flag(
    "--method",
    "Tasks of a job: one per processor (A), one with all work (B), or one with work / mean size (C).",
    default="C",
    metavar="A|B|C",
)
@flag("--policy policies", "Policies, or all.", default="SPT,SRPT", metavar="A,B,..")
@flag("--dedicated", "-RD, -RR: processors for redirected tasks.", COUNT, metavar="N")
@flag("--threshold", "-RD: delayed tasks that cause a redirection.", COUNT, metavar="N")
@flag("--b", "-RR: least length relative to the longest. [default: 0.02]", REAL)
@flag("--c", "-RR: probability. [default: 1]", REAL)
@flag("--seed", "Random seed.", SEED, 0)
@json_flag
def redirect_command(**given: Any) -> None:
    """Turn the jobs of a log into sequential tasks, and run them under policies with and without redirection.

    The methods are those of F. Mendonca's thesis (2017). Figures are sums, maxima and norms of flow and
    stretch, as means over the windows.
    """
    from dataclasses import asdict

    from netplace.experiments.redirection.simulator import (
        TASK_FIGURES,
        TASK_POLICIES,
        run_tasks,
        task_figures,
    )
    from netplace.inputs import check_choice
    from netplace.report.terminal.pulse import Lines

    asked = SimpleNamespace(**given)
    names = list(TASK_POLICIES) if asked.policies == "all" else asked.policies.split(",")
    policies = [check_choice(name.strip(), TASK_POLICIES, "--policy") for name in names]
    said = {name: getattr(asked, name) for name in _PARAMETERS}
    for name, value in said.items():
        if value is not None and not any(name in TASK_POLICIES[policy].parameters for policy in policies):
            raise ValueError(f"--{name}: {value:g} given, but none of {', '.join(policies)} takes it")
    said |= {"b": 0.02 if said["b"] is None else said["b"], "c": 1.0 if said["c"] is None else said["c"]}
    sets = _task_sets(asked)
    by_policy, lines = [], Lines("sets of tasks")
    for before, policy in enumerate(policies):
        taken = {name: said[name] for name in TASK_POLICIES[policy].parameters}
        made = []
        for task_set in sets:
            made.append(run_tasks(task_set.tasks, task_set.processors, policy, seed=asked.seed, **taken))
            lines.tell(before * len(sets) + len(made), len(policies) * len(sets), last=False)
        figures = [asdict(task_figures(ran)) for ran in made]
        means = {name: sum(row[name] for row in figures) / len(figures) for name in TASK_FIGURES}
        sent = sum(task.redirected for ran in made for task in ran) / len(made)
        by_policy.append({"policy": policy, "parameters": taken, "redirected": sent, **means})
    sizes = {
        "windows": len(sets),
        "tasks": sum(len(task_set.tasks) for task_set in sets) / len(sets),
        "processors": sum(task_set.processors for task_set in sets) / len(sets),
    }
    if asked.as_json:
        print_json({**sizes, "policies": by_policy})
        return
    title = f"{asked.workload}: {sizes['tasks']:,.0f} tasks on {sizes['processors']:g} processors"
    columns = ["redirected", *TASK_FIGURES]
    rows = [[row["policy"], *(number(row[name], 0) for name in columns)] for row in by_policy]
    print_tables(table(title, ["policy", *(name.replace("_", " ") for name in columns)], rows))


def _task_sets(asked: SimpleNamespace) -> list[Any]:
    from netplace.experiments.redirection.simulator import tasks_of, windows
    from netplace.experiments.shared.archive_logs import jobs_of
    from netplace.inputs import check_int

    machine, seed = check_int(asked.machine, "--machine"), check_int(asked.seed, "--seed", 0)
    if asked.processors is not None:
        check_int(asked.processors, "--processors")
    log = jobs_of(asked.workload, machine, asked.jobs, seed)
    if asked.days is not None:
        count = check_int(asked.instances or 1, "--instances")
        return windows(log, asked.days, count, machine, asked.processors, seed, asked.method)
    if asked.instances is not None:
        raise ValueError(f"--instances: {asked.instances} given, but no --days")
    return [tasks_of(log, machine, asked.processors, asked.method)]
