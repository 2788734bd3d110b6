"""``netplace study``: a published study, executed again and set beside what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import SEEDS, flag
from netplace.cli.many import Execution, open_store, resource_flags, store_flag, tell_cost
from netplace.cli.provenance import note_plans, outcome_folder
from netplace.inputs import check_choice
from netplace.report.terminal.progress import sweep_progress
from netplace.report.terminal.screen import print_tables, table

if TYPE_CHECKING:
    from netplace.report.studies.study import Study

_ASKED = ("parts", "quick", "logs", "data", "network", "programs")
_NUMBERS = ("mappings", "partitions", "sim_seeds")


@command("study")
@click.argument("name", metavar="NAME | all | list")
@flag("--table parts", "Table to create, or all; repeatable.", multiple=True, metavar="PART")
@flag("--quick", "Run a small version, in less than a minute.", bool)
@resource_flags("all cores")
@flag("--mappings", "Number of mappings of each random kind.", SEEDS, metavar="N")
@flag("--partitions", "Random partitions.", SEEDS, metavar="N")
@flag("--sim-seeds", "Number of simulations per placement. [default: 1]", SEEDS, metavar="N")
@flag(
    "--log logs",
    "Log of jobs (.swf, .swf.gz), or model; repeatable. Keys: levels, weeks, per-node.",
    multiple=True,
    metavar="FILE[,KEY=VALUE..]",
)
@flag("--network", "With --program: network on which td-vs-classic is made.", default="", metavar="NETWORK")
@flag(
    "--program programs",
    "Program for study td-vs-classic, instead of those of its tables; repeatable.",
    multiple=True,
    metavar="PROGRAM",
)
@flag("--data", "Measurements that others made, for study reality.", default="", metavar="FOLDER")
@store_flag("FOLDER/runs.sqlite")
@flag("--stored", "Report from the store only, without simulations.", bool)
@flag(
    "-o folder",
    "Folder for the report, tables and figures. [default: study-NAME, or study-NAME-quick]",
    metavar="FOLDER",
)
def study_command(name: str, **given: Any) -> None:
    """Execute a study, or continue it from its stored results.

    After an interruption, the same command resumes the study. It prints tables that compare the results
    with the published numbers and a summary, and writes them into a folder as report.md, with CSV files
    and figures. all executes every study, each into a folder of its own.
    """
    from netplace.report.studies import STUDIES

    check_choice(name, [*STUDIES, "all", "list"], "study")
    if name == "list":
        _list()
    elif name == "all":
        _every(given)
    else:
        _study(STUDIES[name], given)


def _every(given: dict[str, Any]) -> None:
    """Execute every study that needs no data of others; say at the end which could not be made, and why."""
    from netplace.report.studies import STUDIES

    folder = Path(given["folder"] or "study-all" + ("-quick" if given["quick"] else ""))
    folder.mkdir(exist_ok=True)
    missed = []
    for study in STUDIES.values():
        if "data" in study.options and not given["data"]:
            continue
        own = {**given, "folder": folder / study.name, "workers": given["workers"] if study.many else None}
        try:
            _study(study, own)
        except ValueError as error:
            missed.append(f"{study.name} ({error})")
    if missed:
        raise ValueError(f"study all: {len(missed)} of {len(STUDIES)} were not made: {'; '.join(missed)}")


def _study(study: Study, given: dict[str, Any]) -> None:
    from netplace.report.studies.study import make_request

    numbers = {key: given[key] for key in _NUMBERS}
    request = make_request(study, *(given[key] for key in _ASKED), **numbers)
    folder = Path(given["folder"] or f"study-{study.name}" + ("-quick" if request.quick else ""))
    store = Path(given["store"] or folder / "runs.sqlite")
    if given["stored"] and not store.is_file():
        raise ValueError(f"{store}: the store does not exist; without --stored, netplace creates it")
    if not folder.parent.is_dir():
        raise ValueError(f"-o {folder}: the folder {folder.parent} does not exist")
    note_plans([request])
    with outcome_folder(folder):
        _conduct(study, request, folder, store, given)


def _conduct(study: Study, request: Any, folder: Path, store: Path, given: dict[str, Any]) -> None:
    from netplace.report.studies.report import show, write
    from netplace.report.studies.study import StudyContext
    from netplace.runs.store import Store

    for name in ("workers", "dask"):
        if given[name] not in (None, 1) and not study.many:
            raise ValueError(f"--{name}: {given[name]} given, but study {study.name} has no runs")
    resources = Execution(given["workers"], given["dask"]).resources(None, 2)
    stored = Store(store, read_only=True) if given["stored"] else open_store(store)
    with stored as kept, sweep_progress() as progress:
        context = StudyContext(kept, resources, progress, not given["stored"], tell_cost)
        report = study.run(request, context)
    show(report)
    heading = study.title + (" (quick version)" if request.quick else "")
    write(report, folder, heading, _command(study.name, given), study.source)
    click.echo(f"report: {folder / 'report.md'}", err=True)


def _command(name: str, given: dict[str, Any]) -> str:
    """Return the command that makes the same report anywhere."""
    words = ["netplace study", name, *(f"--table {part}" for part in given["parts"])]
    words += ["--quick"] if given["quick"] else []
    words += [f"--log {Path(log).name}" for log in given["logs"]]
    words += [f"--network {given['network']}"] if given["network"] else []
    words += [f"--program {program}" for program in given["programs"]]
    words += ["--data DIR"] if given["data"] else []
    words += [f"--{key.replace('_', '-')} {given[key]}" for key in _NUMBERS if given[key] is not None]
    return " ".join(words)


def _list() -> None:
    from netplace.report.studies import STUDIES

    rows = []
    for study in STUDIES.values():
        rows.append([study.name, "", study.title])
        rows += [
            ["", part + (" *" if part in study.default else ""), label] for part, label in study.parts.items()
        ]
        rows.append([])
    title = "studies and their tables (* made unless --table says otherwise)"
    print_tables(table(title, ["study", "table", ""], rows, texts=range(3)))
