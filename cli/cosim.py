"""``netplace cosim``: jobs, scheduler and packets in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks import shortened
from netplace.cli.amounts import COUNT, PROCESSES, REAL, SEED
from netplace.cli.completion import complete
from netplace.cli.examples import examples_of
from netplace.cli.schedule import FLAGS as SCHEDULE_FLAGS
from netplace.cli.settings import PANEL, SETTINGS, json_flag
from netplace.cli.verdict import AnnouncingCommand
from netplace.report.terminal.screen import print_json, print_tables

if TYPE_CHECKING:
    from netplace.cosim import CosimPlan

__all__ = ["cosim_command"]

_RULES, _RESULT = "Rules", "Results"
_LEFT_OUT = ("times", "mapping", "locality", "repeats", "jobs")
_FLAGS: dict[str, tuple[Any, str | None, str, str]] = {
    **{name: flag for name, flag in SCHEDULE_FLAGS.items() if name not in _LEFT_OUT},
    "jobs": (COUNT, None, "Jobs", "Jobs of a model [default: 200]; of a file, only the first so many."),
    "repeats": (str, "LEAST:MOST", "Jobs", "How often applications are run. [default: 1:1]"),
    "mapping": (str, None, _RULES, "Mapping of tasks to a job's nodes. [default: consecutive]"),
    "network_time": (str, None, _RULES, "Where run times come from: table, sampled or live. [default: live]"),
    "applications": (str, "MIX.toml", "Jobs", "What the jobs of a log run, and how much they communicate."),
    "precision": (REAL, None, _RULES, "Half width of sampled rates, as a share. [default: 0.02]"),
    "margin": (REAL, None, _RULES, "Users estimate so many times the run time alone. [default: 1.5]"),
    **{
        "request_policy" if name == "policy" else name: (kind, None, PANEL, f"{text} [default: {default}]")
        for name, (kind, default, text) in SETTINGS.items()
    },
}


def _flags(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, (kind, shown, panel, text) in reversed(_FLAGS.items()):
        flag = "--" + name.replace("_", "-")
        command = click.option(flag, help=text, panel=panel, type=kind, metavar=shown)(command)
    return command


@click.command("cosim", cls=AnnouncingCommand, epilog=examples_of("cosim"))
@click.argument("study", metavar="[STUDY.toml]", required=False)
@_flags
@click.option(
    "--explain",
    is_flag=True,
    default=None,
    panel=_RESULT,
    help="Charge every cycle in which a packet waits to the job that it waits for (live).",
)
@click.option("--seed", type=SEED, help="Seed of all chance. [default: 0]", panel="Jobs")
@click.option(
    "--store",
    metavar="FILE",
    panel=_RESULT,
    help="Keep results there, and look for them there. [default: a study's, beside it]",
)
@click.option(
    "--workers", type=PROCESSES, default=1, show_default=True, panel=_RESULT, help="Processes for a study."
)
@click.option(
    "-o", "folder", metavar="FOLDER", panel=_RESULT, help="Write jobs, figures and a picture there."
)
@json_flag
def cosim_command(study: str | None, **given: Any) -> None:
    """Let jobs share a machine and its network, packet by packet, and show what sharing cost each.

    Every job starts when the policy says so, on the nodes that the partitioner gives it; on the live network
    it ends when its last task does. Beside its time there stands the time that it would have taken alone, and
    what a table of such times would have got wrong. A study file has the same names as the flags, any of
    which may be a list; it is carried out under a table's times and live ones, and tells which rankings turn.
    """
    if study is not None:
        _many(Path(study), given)
    else:
        _one(given)


def _one(given: dict[str, Any]) -> None:
    """Carry out the co-simulation of the flags."""
    from netplace.cosim import cosimulate
    from netplace.report.tables.cosim import figure_tables, remarks, write_folder

    folder = _folder(given)
    if given["workers"] != 1:
        raise ValueError(f"--workers: {given['workers']} given, but one co-simulation is made by one process")
    plan = _plan(given)
    outcome = _kept(given["store"], folder, plan)
    if outcome is None:
        with _told(plan) as tell:
            outcome = cosimulate(plan, tell=tell).outcome
        _keep(given["store"], plan, outcome)
        if folder:
            write_folder(folder, plan, outcome)
    if given["as_json"]:
        print_json({"plan": plan.to_dict(), **outcome})
    else:
        print_tables(*figure_tables(plan, outcome))
    for remark in remarks(plan, outcome):
        click.echo(f"netplace: {remark}", err=True)


def _kept(path: str | None, folder: Path | None, plan: CosimPlan) -> dict[str, Any] | None:
    """Return what the folder, or else the store, has of a plan; the folder is then complete."""
    from netplace.cosim.kept import FILE, read_plan
    from netplace.report.tables.cosim import write_folder
    from netplace.runs.store import Store

    if folder and (folder / FILE).exists():
        try:
            known, outcome = read_plan(folder)
            if known.key == plan.key:
                return outcome
        except ValueError as error:
            click.echo(f"netplace: {shortened(str(error))}; it is made anew", err=True)
    if path is None or not Path(path).exists():
        return None
    with Store(path, read_only=True) as store:
        found = store.schedule(plan.key)
    if found is not None and folder:
        write_folder(folder, plan, found)
    return found


def _keep(path: str | None, plan: CosimPlan, outcome: dict[str, Any]) -> None:
    from netplace.runs.store import Store

    if path is not None:
        with Store(path) as store:
            store.keep_schedule(plan.key, plan.to_dict(), outcome)


def _many(study: Path, given: dict[str, Any]) -> None:
    """Carry out the co-simulations of a study file."""
    from netplace.checks import whole
    from netplace.cosim.ranking import rankings
    from netplace.cosim.study_file import read_cosim_study
    from netplace.report.files.outputs import check_output, whole_file
    from netplace.report.tables.cosim import compared, figure_rows, ranking_table, remarks
    from netplace.runs.store import Store
    from netplace.runs.tables import write_table

    for name in (*_FLAGS, "explain", "seed"):
        if given[name] is not None:
            raise ValueError(
                f"--{name.replace('_', '-')}: given beside {study}, which says everything itself"
            )
    folder = _folder(given)
    processes = whole(given["workers"], "--workers")
    plans = read_cosim_study(study)
    kept = check_output(Path(given["store"] or study.with_suffix(".sqlite")))
    with Store(kept) as store:
        complete(plans, store, _outcome, processes, "co-simulations")
        outcomes = [store.schedule(plan.key) or {} for plan in plans]
    found = rankings(plans, outcomes)
    if folder:
        folder.mkdir(exist_ok=True)
        with whole_file(folder / "cosimulations.csv") as temporary:
            write_table(figure_rows(plans, outcomes), temporary)
    if given["as_json"]:
        made = [{"plan": plan.to_dict(), **one} for plan, one in zip(plans, outcomes, strict=True)]
        print_json({"cosimulations": made, "rankings": found})
    else:
        print_tables(compared(plans, outcomes), *([ranking_table(found)] if found else []))
    said = [remark for plan, one in zip(plans, outcomes, strict=True) for remark in remarks(plan, one)]
    for remark in dict.fromkeys(said):
        click.echo(f"netplace: {remark}", err=True)


def _outcome(plan: CosimPlan) -> dict[str, Any]:
    from netplace.cosim import cosimulate

    return cosimulate(plan).outcome


def _plan(given: dict[str, Any]) -> CosimPlan:
    """Return the plan of the flags; a mistake is told by the name of its flag."""
    from netplace.checks import whole
    from netplace.cosim import make_cosim_plan

    seed = whole(given["seed"] or 0, "--seed", 0)
    try:
        return make_cosim_plan({name: given[name] for name in (*_FLAGS, "explain")}, seed)
    except ValueError as error:
        name, _, rest = str(error).partition(":")
        if name in _FLAGS or name == "explain":
            raise ValueError(f"--{name.replace('_', '-')}:{rest}") from None
        raise


def _folder(given: dict[str, Any]) -> Path | None:
    """Return the folder to write, checked before anything long begins."""
    from netplace.report.files.outputs import check_output

    folder = Path(given["folder"]) if given["folder"] else None
    if folder and folder.exists() and not folder.is_dir():
        raise ValueError(f"-o {folder}: is a file, expected the name of a folder")
    if folder and not folder.parent.is_dir():
        raise ValueError(f"-o {folder}: there is no folder {folder.parent}")
    if given["store"]:
        check_output(Path(given["store"]))
    return folder


@contextmanager
def _told(plan: CosimPlan) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many jobs have ended."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("jobs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("jobs", total=plan.jobs.jobs)
        yield lambda done: progress.update(bar, completed=done)
