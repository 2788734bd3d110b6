"""``netplace explain`` and ``netplace whatif``: why a job was slow, and what else it could be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, WHOLE, flag
from netplace.cli.many import long_work
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag


@command("explain")
@click.argument("folder")
@flag("--job", "Number of the job.", WHOLE, required=True)
@flag("--suspects", "Number of other jobs to remove, one per run.", COUNT, 3)
@flag("--draws", "Number of runs with all jobs, and without each of these.", COUNT, 5)
@flag("--links", "Number of links to show.", COUNT, 5)
@page_flag
@json_flag
def explain_command(
    folder: str, job: int, suspects: int, draws: int, links: int, output: Path | None, as_json: bool
) -> None:
    """Show the jobs that slowed down a job of a live co-simulation, and the links on which it waited.

    FOLDER is the output folder of netplace cosim -o. Each cycle in which a packet of the job waited is
    charged to the job whose packet blocked it. The command then removes the jobs with the highest
    charges, one at a time, and simulates the run again in several draws. The result says which of them
    slows the job most, how much time the job saves without it, and how sure this is.
    """
    from netplace.cosim import reasons
    from netplace.cosim.serialization import read_cosimulation
    from netplace.report.pages.answers.explanation import explanation_page

    plan, outcome = read_cosimulation(Path(folder))
    runs = 1 + draws * (1 + suspects)
    with long_work(f"{runs} simulations up to the end of job {job}", runs * outcome["cpu_seconds"]):
        explanation = reasons(plan, outcome["jobs"], job, suspects, links, draws)
    show(CommandOutput(explanation.to_dict, lambda: explanation_page(explanation)), output, as_json)


@command("whatif")
@click.argument("folder")
@flag("--job", "Show this job first. [default: the jobs that change most]", WHOLE)
@flag("--without", "Remove a job; repeatable.", WHOLE, multiple=True, metavar="JOB")
@flag("--move", "Move a job to other nodes, such as 12=nodes:0-15.", multiple=True, metavar="JOB=PARTITION")
@flag("--mapping", "Change the mapping of a job, such as 17=random.", multiple=True, metavar="JOB=MAPPING")
@page_flag
@json_flag
def whatif_command(folder: str, job: int | None, output: Path | None, as_json: bool, **given: Any) -> None:
    """Repeat a live co-simulation without a job, with a job on other nodes, or with another mapping.

    FOLDER is the output folder of netplace cosim -o. All starts stay the same, so every change comes from
    the network.
    """
    from netplace.cosim import what_if
    from netplace.cosim.serialization import read_cosimulation
    from netplace.report.pages.answers.explanation import changes_page

    if not any(given[name] for name in ("without", "move", "mapping")):
        raise ValueError("whatif: nothing was changed, expected --without, --move or --mapping")
    plan, outcome = read_cosimulation(Path(folder))
    jobs = [row["job"] for row in outcome["jobs"]]
    if job in given["without"]:
        raise ValueError(f"--job: {job} is removed by --without {job}, expected another job")
    if job is not None and job not in jobs:
        raise ValueError(f"--job: the co-simulation has no job {job}, expected {min(jobs)} to {max(jobs)}")
    changes = {name: _pairs(given[name], f"--{name}") for name in ("move", "mapping")}
    with long_work("the co-simulation with the change", outcome["cpu_seconds"]):
        rows = what_if(plan, outcome["jobs"], without=given["without"], **changes)
    rows.sort(key=lambda row: (row.job != job, -abs((row.change or 1) - 1)))
    content = {"jobs": [row.to_dict() for row in rows]}
    show(CommandOutput(lambda: content, lambda: changes_page(rows)), output, as_json)


def _pairs(words: tuple[str, ...], flag: str) -> dict[int, str]:
    rules = {}
    for word in words:
        job, equals, rule = word.partition("=")
        if not (equals and rule and job.strip().isdigit()):
            raise ValueError(f"{flag}: {word!r} is not of the form JOB=RULE, such as 12=random")
        rules[int(job)] = rule
    return rules
