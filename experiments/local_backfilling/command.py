"""``netplace backfill``: conservative backfilling that reserves named processors, under rules of place."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import as_epilog
from netplace.cli.flags import COUNT, SEED, flag
from netplace.cli.settings import json_flag

if TYPE_CHECKING:
    from netplace.scheduling import Job
    from netplace.scheduling.workload import Workload

EXAMPLES = (
    "netplace backfill --platform 1-2-8-256 --workload lublin --rule basic,plat --penalty geometric:2",
    "netplace backfill --platform 1-2-8-64 --workload lublin --draw 100 --instances 5 --rule all --json",
)
_BYTES_PER_JOB = 300  # drawn, and then scheduled


@click.command("backfill", cls=FilesCommand, epilog=as_epilog(*EXAMPLES))
@flag("--platform", "Elements per level, from the root: 1-2-10-240.", required=True, metavar="LEVELS")
@flag("--workload", "lublin, or a file: .swf or .csv, also with .gz.", required=True, metavar="NAME|FILE")
@flag("--rule rules", "Rules, or all.", default="basic,plat", metavar="A,B,..")
@flag("--penalty", "Penalty: none, linear:F or geometric:F.", default="none")
@flag("--jobs", "Jobs of lublin [default: 1000]; for a file, the first jobs.", COUNT, metavar="N")
@flag("--weeks", "Make workloads of N successive weeks that start at random times.", COUNT, metavar="N")
@flag("--draw", "Make workloads of N randomly chosen jobs, all submitted at 0.", COUNT, metavar="N")
@flag("--instances", "Number of workloads. [default: 1]", COUNT, metavar="N")
@flag("--seed", "Random seed.", SEED, 0)
@flag("--drop", "Jobs of a log to omit. [default: not-completed,never-ran]", metavar="A,B,..")
@flag("--allocated", "Use the allocated processors of the jobs in a log, not the requested ones.", bool)
@flag("--estimates", "Estimates of jobs without one.", default="run-time", metavar="RULE")
@flag("--no-reassign", "Do not start jobs early when others end.", bool)
@flag("--rows", "Write one row per job (.csv or .parquet); for one rule and workload.", metavar="FILE")
@json_flag
def backfill_command(**given: Any) -> None:
    """Schedule jobs by conservative backfilling that reserves processors under placement rules.

    The rules are those of F. Mendonca's thesis (2017): basic, becont and cont (contiguous), beloc and loc
    (few clusters), beplat and plat (low level). If a rule cannot be satisfied, jobs under be- rules use
    other processors, and jobs under other rules wait. With several workloads, the figures are means.
    """
    from netplace.experiments.local_backfilling.simulator import RULES, Platform, read_penalty
    from netplace.inputs import check_choice
    from netplace.report.files.outputs import check_output
    from netplace.report.tables.schedule import write_rows

    asked = SimpleNamespace(**given)
    platform, penalty = Platform.read(asked.platform), read_penalty(asked.penalty)
    words = list(RULES) if asked.rules == "all" else [word.strip() for word in asked.rules.split(",")]
    rules = [check_choice(word, RULES, "--rule") for word in words]
    rows = check_output(Path(asked.rows), (".csv", ".parquet")) if asked.rows else None
    log, workloads = _workloads(asked, platform.processors)
    if rows and (len(workloads) > 1 or len(rules) > 1):
        raise ValueError(
            f"--rows {rows}: holds one schedule, but {len(workloads) * len(rules)} were requested"
        )
    by_rule = []
    for rule in rules:
        by_rule.append(_figures(platform, workloads, rule, penalty, asked, rows, write_rows))
    _show(asked, platform.text, by_rule, list(log.notes))


def _workloads(asked: SimpleNamespace, processors: int) -> tuple[Workload, list[list[Job]]]:
    from netplace.experiments.local_backfilling.simulator import draw_jobs, draw_weeks
    from netplace.experiments.shared.archive_logs import jobs_of
    from netplace.inputs import check_int, check_size
    from netplace.streams import stream

    if asked.weeks is not None and asked.draw is not None:
        raise ValueError("--draw: given with --weeks, expected one of them")
    if asked.instances is not None and asked.weeks is None and asked.draw is None:
        raise ValueError(f"--instances: {asked.instances} given, but neither --weeks nor --draw")
    seed = check_int(asked.seed, "--seed", 0)
    log = jobs_of(asked.workload, processors, asked.jobs, seed, asked.drop, asked.allocated)
    instances = check_int(asked.instances or 1, "--instances")
    if asked.weeks is not None:
        return log, draw_weeks(log, check_int(asked.weeks, "--weeks"), instances, seed)
    if asked.draw is not None:
        jobs = check_int(asked.draw, "--draw")
        check_size(jobs * instances, _BYTES_PER_JOB, "jobs", "--draw and --instances")
        return log, [draw_jobs(log, jobs, processors, stream(seed, "workload", i)) for i in range(instances)]
    return log, [list(log)]


def _figures(
    platform: Any,
    workloads: list[Any],
    rule: str,
    penalty: Any,
    asked: SimpleNamespace,
    rows: Any,
    write: Any,
) -> dict[str, Any]:
    from dataclasses import asdict

    from netplace.cli.sweep_progress import job_progress
    from netplace.experiments.local_backfilling.simulator import FIGURES, backfill, place_figures

    figures, rejected, without = [], 0, 0
    for jobs in workloads:
        with job_progress(len(jobs)) as tell:
            made = backfill(
                platform,
                jobs,
                rule,
                penalty,
                reassign=not asked.no_reassign,
                estimates=asked.estimates,
                tell=tell,
            )
        figures.append(asdict(place_figures(made, platform)))
        rejected, without = rejected + len(made.rejected), without + made.without_estimate
        if rows:
            write(rows, made)
    means = {name: sum(row[name] for row in figures) / len(figures) for name in FIGURES}
    ran = sum(len(jobs) for jobs in workloads) - rejected
    return {"rule": rule, "jobs": ran, "rejected": rejected, "without_wall_time": without, **means}


def _show(asked: SimpleNamespace, platform: str, by_rule: list[dict[str, Any]], notes: list[str]) -> None:
    from netplace.cli.many import say
    from netplace.report.terminal.screen import number, print_json, print_tables, table

    if asked.as_json:
        names = ("workload", "penalty", "estimates", "weeks", "draw", "seed")
        print_json(
            {
                "platform": platform,
                **{name: getattr(asked, name) for name in names},
                "reassign": not asked.no_reassign,
                "rules": by_rule,
                "notes": notes,
            }
        )
    else:
        columns = [name for name in by_rule[0] if name not in ("rule", "rejected", "without_wall_time")]
        digits = {"contiguity": 3, "locality": 3, "level": 3, "locality_ratio": 3}
        cells = [
            [row["rule"], *(number(row[name], digits.get(name, 0)) for name in columns)] for row in by_rule
        ]
        shown = [name.replace("_", " ") for name in columns]
        print_tables(
            table(f"{asked.workload} on {platform}, penalty {asked.penalty}", ["rule", *shown], cells)
        )
    if by_rule[0]["rejected"]:
        notes.append(f"jobs larger than the platform, left out: {by_rule[0]['rejected']:,}")
    if by_rule[0]["without_wall_time"]:
        filled = f"{by_rule[0]['without_wall_time']:,} by the rule {asked.estimates}"
        notes.append(f"jobs without a wall time, filled in: {filled}")
    for note in notes:
        say(note)
