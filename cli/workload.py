"""``netplace workload``: make streams of jobs, and show what is in a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import COUNT, REAL, SEED, flag
from netplace.cli.many import named_flags
from netplace.cli.settings import json_flag
from netplace.inputs import check_choice
from netplace.report.files.outputs import PICTURES, check_output
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.scheduling.workload import Workload, WorkloadFigures

Rows = list[list[str]]


@click.group("workload", cls=click.RichGroup, epilog=examples_of("workload"))
def workload_command() -> None:
    """Generate workloads, and show the contents of a job log.

    Workloads are files in the Standard Workload Format (.swf), output of sacct -P of Slurm, or
    comma-separated values (.csv), which also contain the application of each job; an ending .gz
    compresses them.
    """


@workload_command.command("make", cls=FilesCommand, epilog=examples_of("workload"))
@click.argument("model", metavar="lublin|applications")
@flag("--nodes", "Number of nodes of the machine.", COUNT, required=True)
@flag("--jobs", "Number of jobs.", COUNT, 10_000)
@flag("--seed", "Random seed.", SEED, 0)
@flag("--load", "Load of the machine. [default: that of the published arrivals]", REAL, panel="lublin")
@flag("--kind", "Job class of lublin: batch, interactive, both or whole. [default: batch]", panel="lublin")
@flag(
    "--classes",
    "Applications: collectives, 2d, 3d, miscellaneous or mixed. [default: mixed]",
    metavar="A,B,..",
    panel="applications",
)
@flag("--sizes", "Sizes of applications: small, medium or large. [default: medium]", panel="applications")
@flag(
    "--intensity", "Messages of applications: low, medium, high or any. [default: any]", panel="applications"
)
@flag(
    "--mean-interarrival",
    "Mean time between submissions of applications. [default: all at once]",
    REAL,
    metavar="SECONDS",
    panel="applications",
)
@flag(
    "--repeats",
    "Range of repetitions of each application, LEAST:MOST. [default: 10000:1000000]",
    metavar="LEAST:MOST",
    panel="applications",
)
@flag("-o output", "Workload to write: .swf or .csv, also with .gz.", metavar="FILE")
@json_flag
def make_command(model: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Generate a workload from a model, and show its figures.

    Without -o, no file is written. Jobs of the model applications need .csv.
    """
    from netplace.scheduling.workload import ENDINGS, describe, make_workload, write

    path = output and check_output(Path(output))
    if path and not path.name.lower().endswith(ENDINGS):
        raise ValueError(
            f"{path}: unknown kind of workload, expected a name that ends in {' or '.join(ENDINGS)}"
        )
    size = {name: given.pop(name) for name in ("nodes", "jobs", "seed")}
    made = make_workload(model, **size, **_options(model, given))
    if path:
        write(made, path)
    _show(made, describe(made), f"{model}, seed {size['seed']}", as_json)


def _options(model: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given to a model, checked to be its own."""
    from netplace.scheduling.workload import WORKLOADS

    known = WORKLOADS[check_choice(model, WORKLOADS, "workload model")].options
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in known:
            raise ValueError(
                f"{_flag(name)}: is not an option of {model}, expected one of {', '.join(map(_flag, known))}"
            )
    return _read(chosen)


def _read(given: dict[str, Any]) -> dict[str, Any]:
    """Return those that were given of some options, as a model or a reader takes them."""
    from netplace.runs.plan import read_options

    with named_flags(given):
        return read_options({name: value for name, value in given.items() if value is not None})


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


@workload_command.command("info", cls=FilesCommand, epilog=examples_of("workload"))
@click.argument("file")
@flag("--nodes", "Number of nodes of the machine. [default: from the file]", COUNT)
@flag("--cores-per-node", "Processors per node, by which netplace divides sizes in a log.", COUNT)
@flag(
    "--drop",
    "Jobs of a log to omit: failed, cancelled, never-ran, or none. [default: never-ran]",
    metavar="A,B,..",
)
@flag("-o picture", "Picture of sizes, run times and arrivals to write (.png, .pdf or .svg).", metavar="FILE")
@json_flag
def info_command(file: str, picture: str | None, as_json: bool, **given: Any) -> None:
    """Show the jobs of a workload, its load, sizes, run times and estimates.

    A message on stderr reports jobs that were dropped or sorted.
    """
    from netplace.scheduling.workload import describe, read

    path = picture and check_output(Path(picture), PICTURES)
    workload = read(file, **_read(given))
    if path:
        from netplace.report.plots import write_figure
        from netplace.report.plots.schedules import workload_figure

        write_figure(path, workload_figure(workload, Path(file).name))
    _show(workload, describe(workload, given["nodes"]), Path(file).name, as_json)


def _show(workload: Workload, figures: WorkloadFigures, title: str, as_json: bool) -> None:
    for note in workload.notes:
        click.echo(f"netplace: {note}", err=True)
    if as_json:
        print_json(figures.to_dict())
    else:
        print_tables(*_tables(figures, title))


def _tables(figures: WorkloadFigures, title: str) -> list[Table]:
    tables = [table(title, ["", ""], _rows(figures))]
    spreads = {
        "nodes": ("nodes of a job", 1),
        "run_seconds": ("run time (s)", 0),
        "gap_seconds": ("time between submissions (s)", 1),
    }
    rows = [
        [label, *(number(getattr(values, measure), digits) for measure in ("mean", "median", "max"))]
        for name, (label, digits) in spreads.items()
        if (values := getattr(figures, name)) is not None
    ]
    tables.append(table("", ["", "mean", "median", "max"], rows))
    if figures.programs:
        rows = [[name, number(count)] for name, count in figures.programs.items()]
        tables.append(table("", ["application", "jobs"], rows))
    return tables


def _rows(figures: WorkloadFigures) -> Rows:
    rows = [["jobs in the file", number(figures.records)], ["jobs", number(figures.jobs)]]
    rows[1:1] = [[f"dropped: {reason}", number(count)] for reason, count in figures.dropped.items()]
    rows += [
        ["nodes of the machine", number(figures.machine_nodes)],
        ["jobs larger than the machine", number(figures.larger_than_machine)],
        ["load", number(figures.load, 3)],
        ["days from first to last submission", number(figures.span_seconds / 86400, 1)],
        ["on one node", _percent(figures.serial)],
        ["on a power of two, of jobs on several nodes", _percent(figures.power_of_two)],
        ["with an estimate", _percent(figures.with_estimate)],
        ["that exceeded it, of these", _percent(figures.over_estimate)],
        ["without a run time", _percent(figures.without_run_time)],
    ]
    return rows


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
