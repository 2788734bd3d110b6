"""``netplace study``: a published study, executed again and set beside what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import SEEDS
from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.many import Execution, resource_flags, store_flag
from netplace.cli.provenance import note_plans, outcome_folder
from netplace.cli.stores import open_store

if TYPE_CHECKING:
    from netplace.studies.study import Study

__all__ = ["study_command"]

_NUMBERS = ("mappings", "partitions", "sim_seeds")


@click.command("study", cls=FilesCommand, epilog=examples_of("study"))
@click.argument("name", metavar="NAME | list")
@click.option(
    "--table", "parts", multiple=True, metavar="PART", help="Only this table; may be repeated; all for all."
)
@click.option("--quick", is_flag=True, help="A small version, of less than a minute.")
@resource_flags("all cores")
@click.option("--mappings", type=SEEDS, metavar="N", help="Mappings of each kind that has chance in it.")
@click.option("--partitions", type=SEEDS, metavar="N", help="Random partitions.")
@click.option("--sim-seeds", type=SEEDS, metavar="N", help="Simulations of each placement. [default: 1]")
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="FILE[,KEY=VALUE..]",
    help="A log of jobs (.swf, .swf.gz), or model; may be repeated. Keys: levels, weeks, per-node.",
)
@click.option("--data", metavar="FOLDER", help="Measurements that others made, for study reality.")
@store_flag("FOLDER/runs.sqlite")
@click.option("--stored", is_flag=True, help="Report from the store; simulate nothing.")
@click.option(
    "-o",
    "folder",
    metavar="FOLDER",
    help="Where report, tables and figures go. [default: study-NAME, or study-NAME-quick]",
)
@click.option("--report", "page", is_flag=True, help="Write all as one page too, report.html in the folder.")
def study_command(name: str, **given: Any) -> None:
    """Execute a study; what is stored is never simulated again.

    A killed study goes on where it stopped with the same command. It prints tables with ours beside the
    published numbers and a summary, and leaves them in a folder as report.md, with CSV files and figures.
    """
    from netplace.checks import check_choice
    from netplace.studies import STUDIES
    from netplace.studies.study import ask

    if name == "list":
        _list()
        return
    study = STUDIES[check_choice(name, [*STUDIES, "list"], "study")]
    numbers = {key: given[key] for key in _NUMBERS}
    asked = ask(study, given["parts"], given["quick"], given["logs"], given["data"] or "", **numbers)
    folder = Path(given["folder"] or f"study-{name}" + ("-quick" if asked.quick else ""))
    store = Path(given["store"] or folder / "runs.sqlite")
    if given["stored"] and not store.is_file():
        raise ValueError(f"{store}: there is no such store; without --stored it is made")
    if not folder.parent.is_dir():
        raise ValueError(f"-o {folder}: there is no folder {folder.parent}")
    note_plans([asked])
    with outcome_folder(folder):
        _conduct(study, asked, folder, store, given)


def _conduct(study: Study, asked: Any, folder: Path, store: Path, given: dict[str, Any]) -> None:
    from netplace.cli.sweep_progress import SweepProgress
    from netplace.runs.store import Store
    from netplace.studies.report import show, write
    from netplace.studies.study import Bench

    for name in ("workers", "dask"):
        if given[name] not in (None, 1) and (given["stored"] or not study.many):
            why = "--stored carries nothing out" if given["stored"] else f"study {study.name} has no runs"
            raise ValueError(f"--{name}: {given[name]} given, but {why}")
    resources = Execution(given["workers"], given["dask"]).resources(None, 2)
    stored = Store(store, read_only=True) if given["stored"] else open_store(store)
    with stored as kept, SweepProgress() as progress:
        report = study.conduct(asked, Bench(kept, resources, progress, not given["stored"]))
    show(report)
    heading = study.title + (" (quick version)" if asked.quick else "")
    write(report, folder, heading, _command(study.name, given), study.source)
    click.echo(f"report: {folder / 'report.md'}", err=True)
    if given["page"]:
        from netplace.report.pages import page_of, write_page

        write_page(folder / "report.html", page_of(folder), _command(study.name, given))
        click.echo(f"page: {folder / 'report.html'}", err=True)


def _command(name: str, given: dict[str, Any]) -> str:
    """Return the command that makes the same report anywhere."""
    words = ["netplace study", name, *(f"--table {part}" for part in given["parts"])]
    words += ["--quick"] if given["quick"] else []
    words += [f"--log {Path(log).name}" for log in given["logs"]]
    words += ["--data DIR"] if given["data"] else []
    words += [f"--{key.replace('_', '-')} {given[key]}" for key in _NUMBERS if given[key] is not None]
    return " ".join(words)


def _list() -> None:
    from netplace.report.terminal.screen import print_tables, table
    from netplace.studies import STUDIES

    rows = []
    for study in STUDIES.values():
        rows.append([study.name, "", study.title])
        rows += [
            ["", part + (" *" if part in study.usual else ""), what] for part, what in study.parts.items()
        ]
        rows.append([])
    made = table(
        "studies and their tables (* made unless --table says otherwise)", ["study", "table", ""], rows
    )
    for column in made.columns:
        column.justify = "left"
    print_tables(made)
