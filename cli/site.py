"""``netplace site``: a log under the rules of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, SEED, OutputFile, flag
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag
from netplace.cli.sweep_progress import job_progress
from netplace.report.terminal.screen import number, print_tables, table

if TYPE_CHECKING:
    from netplace.scheduling.metrics import Metrics
    from netplace.scheduling.site_rules import SiteResult


@command("site")
@click.argument("rules", metavar="[SITE.toml]", required=False)
@flag("--machine", "Network of the machine, such as torus:16x16.", required=True, metavar="NETWORK")
@flag(
    "--workload",
    "Workload: lublin, or a file (.swf or .csv, also with .gz).",
    required=True,
    metavar="NAME|FILE",
)
@flag(
    "--jobs",
    "Number of jobs of lublin [default: 1000]; for a file, the first jobs to use.",
    COUNT,
    metavar="N",
)
@flag("--drop", "Jobs of a log to omit, such as never-ran.", metavar="A,B,..")
@flag("--requested", "Use the processors that the jobs of a log requested.", bool)
@flag("--estimates", "Estimates of jobs without one.", default="run-time")
@flag("--overrun", "Action on jobs that exceed their estimate: keep or kill.", default="keep")
@flag("--seed", "Random seed of lublin.", SEED, 0)
@flag("--rows", "Write one row per job (.csv or .parquet).", OutputFile(".csv", ".parquet"), metavar="FILE")
@page_flag
@json_flag
def site_command(rules: str | None, **given: Any) -> None:
    """Schedule jobs under the rules of a site; without a file, under EASY.

    The file (TOML) can define queues with limits and priorities, an order (fair share, largest first),
    maintenance windows and reservations, node failures, dependencies, and predicted run times.
    """
    from netplace.report.tables.schedule import write_rows
    from netplace.runs.site_file import read_site
    from netplace.scheduling.metrics import measure
    from netplace.scheduling.site_rules import Site, run_site
    from netplace.topologies import parse

    site = read_site(rules) if rules else Site()
    machine = parse(given["machine"])
    jobs = _workload(given, machine.nodes)
    with job_progress(len(jobs)) as tell:
        made = run_site(
            machine, jobs, site, estimates=given["estimates"], overrun=given["overrun"], tell=tell
        )
    if given["rows"]:
        write_rows(given["rows"], made.schedule)
    metrics = measure(made.schedule)
    counts = {
        "refused": len(made.refused),
        "node_failures": made.failures,
        "before_unknown": made.unknown_before,
    }
    content = {"metrics": metrics.to_dict(), **counts, "notes": list(jobs.notes)}

    def terminal() -> None:
        title = f"{given['workload']} on {machine.text}"
        print_tables(table(title, ["", ""], [list(row) for row in _rows(metrics, made).items()]))
        for note in jobs.notes:
            click.echo(f"netplace: {note}", err=True)

    show(CommandOutput(lambda: content, terminal), given["output"], given["as_json"])


def _rows(metrics: Metrics, made: SiteResult) -> dict[str, str]:
    return {
        "jobs": number(metrics.jobs),
        "rejected, larger than the machine": number(metrics.rejected),
        "rejected by all queues": number(len(made.refused)),
        "mean wait (s)": number(metrics.per_job["wait"].mean),
        "mean bounded slowdown": number(metrics.per_job["bounded_slowdown"].mean, 2),
        "utilisation": number(metrics.utilisation, 3),
        "node failures": number(made.failures),
        "jobs that lost their nodes": number(metrics.kills),
        "share of node-seconds lost by these": number(metrics.lost, 4),
        "jobs that depend on a missing job": number(made.unknown_before),
    }


def _workload(given: dict[str, Any], nodes: int) -> Any:
    from netplace.scheduling.workload import make_workload, read

    path, jobs = given["workload"], given["jobs"]
    options: dict[str, Any] = {}
    if given["drop"] is not None:
        options["drop"] = [word.strip() for word in given["drop"].split(",") if word]
    if given["requested"]:
        options["requested"] = True
    if path == "lublin":
        if options:
            raise ValueError(f"--{next(iter(options))}: given, but lublin is a model")
        return make_workload(path, nodes, jobs or 1000, given["seed"])
    log = read(path, **options)
    return log if jobs is None else log[:jobs]
