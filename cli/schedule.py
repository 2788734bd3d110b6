"""``netplace schedule``: jobs on a machine that they share."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import COUNT, REAL, SEED
from netplace.cli.examples import examples_of
from netplace.cli.job_progress import job_progress
from netplace.cli.many import (
    complete_outcomes,
    jobs_apart_flag,
    named_flags,
    refuse_beside_study,
    resource_flags,
    resources_from,
    say,
    store_flag,
)
from netplace.cli.settings import json_flag
from netplace.cli.verdict import AnnouncingCommand
from netplace.report.terminal.screen import print_json, print_tables

if TYPE_CHECKING:
    from netplace.runs.plan import Plan
    from netplace.runs.schedules import Carried

__all__ = ["FLAGS", "schedule_command"]

_JOBS, _RULES, _RESULT = "Jobs", "Rules", "Results"
# name: (type, metavar, panel, help); None: a switch
FLAGS: dict[str, tuple[Any, str | None, str, str]] = {
    "machine": (str, "NETWORK", _JOBS, "The machine, such as torus:32x32x32; see netplace list networks."),
    "workload": (str, "NAME|FILE", _JOBS, "lublin, applications, or a file: .swf or .csv, also with .gz."),
    "jobs": (COUNT, None, _JOBS, "Jobs of a model [default: 10000]; of a file, only the first so many."),
    "load": (REAL, None, _JOBS, "Load that lublin is to reach."),
    "kind": (str, None, _JOBS, "Kind of jobs of lublin: batch, interactive, both, whole."),
    "classes": (str, "A,B,..", _JOBS, "Applications: collectives, 2d, 3d, miscellaneous or mixed."),
    "sizes": (str, None, _JOBS, "Sizes of applications: small, medium or large."),
    "intensity": (str, None, _JOBS, "Messages of applications: low, medium, high or any."),
    "mean_gap": (REAL, "SECONDS", _JOBS, "Mean time between applications. [default: all at once]"),
    "repeats": (str, "LEAST:MOST", _JOBS, "How often applications repeat what the table holds."),
    "cores_per_node": (COUNT, None, _JOBS, "Processors of a node, by which sizes in a log are divided."),
    "drop": (str, "A,B,..", _JOBS, "Jobs of a log to leave out, or none. [default: never-ran]"),
    "policy": (str, None, _RULES, "One of netplace list scheduling, as all rules. [default: fcfs]"),
    "site": (str, "FILE", _RULES, "Instead of a policy: rules of a site in TOML, see netplace site."),
    "partition": (str, None, _RULES, "Which nodes a job gets, such as contiguous. [default: non-contiguous]"),
    "installed": (COUNT, None, _RULES, "Nodes of the machine that there are, the first ones. [default: all]"),
    "qct": (REAL, "PERCENT", _RULES, "Threshold of quasi-contiguous and nearly-contiguous."),
    "times": (
        str, None, _RULES,
        "log, scaled:0.8, slowed:1.3, penalty:linear,0.1, table:FILE or simulated:FILE. [default: log]",
    ),
    "mapping": (str, None, _RULES, "Mapping of tasks in a table; best-known for the fastest there."),
    "estimates": (
        str, "RULE", _RULES,
        "For jobs without one: run-time, infinite, fixed:SECONDS, factor:F. [default: run-time]",
    ),
    "overrun": (str, None, _RULES, "Jobs past their estimate: keep, kill or requeue. [default: keep]"),
    "locality": (None, None, _RULES, "Measure the distances between each job's nodes."),
    "power": (str, "FILE", _RULES, "Power model of a node in TOML, or taurus: tell the energy."),
    "switching": (
        str, "RULE", _RULES,
        "Which nodes are off: timeout:300, reserve:8,300, lookahead:300, plan:late=2. [default: the file's]",
    ),
}  # fmt: skip


def _flags(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, (kind, shown, panel, text) in reversed(FLAGS.items()):
        flag = "--" + name.replace("_", "-")
        more: dict[str, Any] = (
            {"type": kind, "metavar": shown} if kind else {"is_flag": True, "default": None}
        )
        command = click.option(flag, help=text, panel=panel, **more)(command)
    return command


@click.command("schedule", cls=AnnouncingCommand, epilog=examples_of("schedule"))
@click.argument("study", metavar="[STUDY.toml]", required=False)
@_flags
@click.option(
    "--seed", type=SEED, help="Seed of the model and of partitioners by chance. [default: 0]", panel=_JOBS
)
@store_flag("a study's, beside it")
@resource_flags("1")
@jobs_apart_flag
@click.option("--rows", metavar="FILE", panel=_RESULT, help="Write one row a job (.csv or .parquet).")
@click.option("-o", "folder", metavar="FOLDER", panel=_RESULT, help="Write rows, figures and pictures there.")
@click.option("--at", type=REAL, metavar="SECONDS", panel=_RESULT, help="Time of the picture of occupancy.")
@click.option("--from", "from_", type=REAL, metavar="HOURS", panel=_RESULT, help="Begin of the Gantt chart.")
@click.option("--to", type=REAL, metavar="HOURS", panel=_RESULT, help="End of the Gantt chart.")
@json_flag
def schedule_command(study: str | None, **given: Any) -> None:
    """Let jobs share a machine, under a policy, a partitioner and run times, and show what came of it.

    A study file has the same names as the flags, and any may be a list: every combination is carried out,
    kept in a store beside the file, and never again. One schedule can leave its rows, a Gantt chart, the
    utilisation over time and the occupancy of the machine in a folder; several leave a picture that puts them
    side by side.
    """
    if study is not None:
        _many(Path(study), given)
    else:
        _one(given)


def _one(given: dict[str, Any]) -> None:
    """Carry out the schedule of the flags."""
    from netplace.report.tables.schedule import figure_tables, remarks, write_folder, write_rows
    from netplace.runs.schedules import carry_out, outcome_of

    rows, folder = _outputs(given)
    plan = _plan(given)
    resources = resources_from(given, 1, 1)
    if (rows or folder) and resources.dask is not None:
        raise ValueError(
            f"--dask: {resources.dask} given, but rows and pictures are written where they are made"
        )
    made: list[Carried] = []

    def carried(asked: Plan) -> dict[str, Any]:
        with job_progress(asked.jobs) as tell:
            made.append(carry_out(asked, keep_nodes=folder is not None, tell=tell))
        return made[0].outcome

    store = Path(given["store"]) if given["store"] else None
    function = outcome_of if resources.dask is not None else carried
    [outcome] = complete_outcomes([plan], function, "schedules", store, resources, "schedules")
    if (rows or folder) and not made:
        carried(plan)  # the figures were kept, what is written was not
    if rows:
        write_rows(rows, made[0].schedule)
    if folder:
        write_folder(folder, plan, made[0], given["at"], _window(given))
    if given["as_json"]:
        print_json({"plan": plan.to_dict(), **outcome})
    else:
        print_tables(*figure_tables(plan, outcome))
    for remark in remarks(plan, outcome):
        say(remark)


def _many(study: Path, given: dict[str, Any]) -> None:
    """Carry out the schedules of a study file."""
    from netplace.report.files.outputs import whole_file
    from netplace.report.tables.differences import contest_frame, contest_notes, contest_tables
    from netplace.report.tables.schedule import (
        compared,
        draw_compared,
        figure_rows,
        remarks,
    )
    from netplace.report.tables.schedule_contests import schedule_contests
    from netplace.runs.study_file import read_study
    from netplace.runs.tables import write_table

    refuse_beside_study(study, given, (*FLAGS, "seed", "rows", "at", "from_", "to"))
    _, folder = _outputs(given)
    plans = read_study(study)
    store = Path(given["store"] or study.with_suffix(".sqlite"))
    plans, outcomes, notes = _carried(plans, store, given)
    found = [] if given["jobs_apart"] else schedule_contests(plans, outcomes)
    if folder:
        folder.mkdir(exist_ok=True)
        for name, frame in (
            ("schedules.csv", figure_rows(plans, outcomes)),
            ("differences.csv", contest_frame(found)),
        ):
            with whole_file(folder / name) as temporary:
                write_table(frame, temporary)
        draw_compared(folder / "comparison.png", plans, outcomes)
    if given["as_json"]:
        made = [{"plan": plan.to_dict(), **outcome} for plan, outcome in zip(plans, outcomes, strict=True)]
        print_json({"schedules": made, "differences": [one.to_dict() for one in found]})
    else:
        print_tables(compared(plans, outcomes), *contest_tables(found))
        notes += contest_notes(found)
    for remark in dict.fromkeys((*notes, *chain.from_iterable(map(remarks, plans, outcomes)))):
        say(remark)


def _carried(
    plans: list[Plan], store: Path, given: dict[str, Any]
) -> tuple[list[Plan], list[dict[str, Any]], list[str]]:
    """Return the plans as they were carried out, what came of each, and what was done to make them fair."""
    from netplace.runs.same_jobs import after_runs, same_jobs
    from netplace.runs.schedules import outcome_of

    def made(asked: list[Plan]) -> list[dict[str, Any]]:
        resources = resources_from(given, 1, len(asked))
        return complete_outcomes(asked, outcome_of, "schedules", store, resources, "schedules")

    if given["jobs_apart"]:
        return plans, made(plans), []
    shared = same_jobs(plans)
    plans, notes = shared.plans, shared.notes
    outcomes = made(plans)
    again = after_runs(plans, outcomes)
    if again != plans:
        killed = len({number for plan in again for number in plan.uncounted})
        if killed:
            notes.append(
                f"{killed:,} jobs that not all ran to their ends are left out of the figures of single jobs"
            )
        plans, outcomes = again, made(again)
    return plans, outcomes, notes


def _plan(given: dict[str, Any]) -> Plan:
    """Return the plan of the flags; a mistake is told by the name of its flag."""
    from netplace.checks import whole
    from netplace.runs.plan import make_plan

    seed = whole(given["seed"] or 0, "--seed", 0)
    with named_flags(FLAGS):
        return make_plan({name: given[name] for name in FLAGS}, seed)


def _outputs(given: dict[str, Any]) -> tuple[Path | None, Path | None]:
    """Return the file and the folder to write, checked before anything long begins."""
    from netplace.report.files.outputs import check_output

    rows = check_output(Path(given["rows"]), (".csv", ".parquet")) if given["rows"] else None
    folder = Path(given["folder"]) if given["folder"] else None
    if folder and folder.exists() and not folder.is_dir():
        raise ValueError(f"-o {folder}: is a file, expected the name of a folder")
    if folder and not folder.parent.is_dir():
        raise ValueError(f"-o {folder}: there is no folder {folder.parent}")
    _window(given)
    for name in ("from_", "to"):
        if given[name] is not None and not folder:
            raise ValueError(f"--{name.rstrip('_')}: given, but without -o no Gantt chart is drawn")
    if given["at"] is not None and not folder:
        raise ValueError(f"--at: {given['at']:g} given, but without -o no picture is drawn")
    if given["store"]:
        check_output(Path(given["store"]))
    return rows, folder


def _window(given: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return the seconds between which the Gantt chart is drawn."""
    first, last = given["from_"], given["to"]
    if first is not None and last is not None and not first < last:
        raise ValueError(f"--to: {last:g} is not after --from {first:g}")
    return tuple(None if hours is None else hours * 3600 for hours in (first, last))  # type: ignore[return-value]
