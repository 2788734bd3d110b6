"""``netplace report``, ``export`` and ``compare``: an outcome as a page, for other tools, beside another."""

from __future__ import annotations

import sys
from pathlib import Path

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import flag
from netplace.cli.settings import json_flag
from netplace.inputs import check_choice
from netplace.report.files.outputs import check_output
from netplace.report.terminal.screen import print_json


@command("report")
@click.argument("outcome", metavar="OUTCOME")
@flag("-o output", "Page to write. [default: OUTCOME.html]", metavar="FILE")
def report_command(outcome: str, output: str | None) -> None:
    """Write an outcome as one HTML page with a summary, sortable tables and interactive figures.

    OUTCOME is a folder or a .json file that a command wrote with -o or --json, a table (.csv, .parquet),
    a store, or a sweep file with its store. The page needs no network access.
    """
    from netplace.report.pages import page_of, write_page

    path = Path(outcome)
    name = path.name if path.is_dir() else path.stem
    target = check_output(Path(output) if output else path.with_name(f"{name}.html"), (".html",))
    size = write_page(target, page_of(path))
    click.echo(f"{target}: {f'{size / 1e6:.1f} MB' if size >= 1e6 else f'{size / 1e3:.0f} kB'}")


@command("export")
@click.argument("outcome", metavar="OUTCOME")
@flag("-o output", "Output file: .parquet, .csv or .swf.", metavar="FILE", required=True)
def export_command(outcome: str, output: str) -> None:
    """Write an outcome in the format of another tool.

    OUTCOME is a store, or the output folder of netplace schedule or run. For a store, .parquet and .csv
    contain its tables. For a schedule, .swf is a log in the format of the Parallel Workloads
    Archive with the waits of the schedule, and .csv is a job table for Batsim and evalys. For a run,
    .parquet and .csv contain link loads, messages, tasks and critical paths (timeline.json in the folder
    is for Perfetto).
    """
    from netplace.report.exported import EXPORTS, export

    path, target = Path(outcome), check_output(Path(output), tuple(EXPORTS))
    if not path.exists():
        raise ValueError(
            f"{path}: does not exist, expected a store, or a folder of netplace schedule -o or run -o"
        )
    for line in export(path, target):
        click.echo(line)


FIGURE = "Result to test, or all; repeatable. [default: the main one, which is the first]"
FAILED = 1  # exit code: what --fail-if names came true
_FAIL_IF = ("worse", "different")
_ENDINGS = (".html", ".png", ".pdf", ".svg", ".json", ".csv")


@command("compare")
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@flag(
    "--fail-if",
    "Exit with code 1 if a result is significantly worse (worse), or if any result differs or is "
    "missing (different).",
    metavar="|".join(_FAIL_IF),
)
@flag("--figure figures", FIGURE, multiple=True, metavar="NAME")
@flag("-o output", "Write a page (.html), a picture (.png, .pdf, .svg), .json or .csv.", metavar="FILE")
@json_flag
def compare_command(
    first: str,
    second: str,
    fail_if: str | None,
    figures: tuple[str, ...],
    output: str | None,
    as_json: bool,
) -> None:
    """Show the differences between two outcomes, in their requests and in their results, with significance.

    FIRST and SECOND are outcomes of the same kind: folders of run, cosim, schedule or study, output of
    run, load or allocate with --json, tables (.csv, .parquet), stores, or sweep files with their stores.
    The command pairs runs by seed, schedules by batches, and co-simulations by job. It tests the main
    result, or those that --figure names, and shows the intervals of all others. It compares
    deterministic results exactly, and also all results of identical requests with identical seeds.
    """
    from netplace.report.comparison import compare, read_outcome
    from netplace.report.comparison.compare import comparison_page, write_comparison

    if fail_if is not None:
        check_choice(fail_if, _FAIL_IF, "--fail-if")
    path = check_output(Path(output), _ENDINGS) if output else None
    comparison = compare(read_outcome(Path(first)), read_outcome(Path(second)), figures)
    if path:
        write_comparison(path, comparison)
    if as_json:
        print_json(comparison.to_dict())
    else:
        comparison_page(comparison).show()
    if (fail_if == "worse" and comparison.count("worse")) or (fail_if == "different" and comparison.changed):
        sys.exit(FAILED)
