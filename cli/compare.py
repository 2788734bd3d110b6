"""``netplace compare``: two outcomes side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import print_json, print_tables

if TYPE_CHECKING:
    from netplace.report.comparison import Comparison

__all__ = ["FAILED", "compare_command"]

FAILED = 1  # exit code: what --fail-if names came true
_FAIL_IF = ("worse", "different")
_ENDINGS = (".html", ".png", ".pdf", ".svg", ".json", ".csv")


@click.command("compare", cls=FilesCommand, epilog=examples_of("compare"))
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@click.option(
    "--fail-if",
    metavar="|".join(_FAIL_IF),
    help="Exit with code 1 if a result is worse beyond chance, or if any differs or is missing.",
)
@click.option(
    "-o", "output", metavar="FILE", help="Write a page (.html), a picture (.png, .pdf, .svg), .json or .csv."
)
@json_flag
def compare_command(first: str, second: str, fail_if: str | None, output: str | None, as_json: bool) -> None:
    """Show what differs between two outcomes: in what was asked, and in what came of it, beyond chance.

    FIRST and SECOND are of one kind: folders that run, cosim, schedule or study wrote, files with what run,
    load or allocate printed with --json, tables (.csv, .parquet), stores, or sweep files with their stores.
    Runs of several seeds are paired by seed, schedules by batches, co-simulations by job; what no chance
    has a part in compares exactly, as does all where the same was asked with the same seeds.
    """
    from netplace.checks import check_choice
    from netplace.report.comparison import compare, read_outcome
    from netplace.report.comparison.tables import comparison_tables
    from netplace.report.files.outputs import check_output

    if fail_if is not None:
        check_choice(fail_if, _FAIL_IF, "--fail-if")
    path = check_output(Path(output), _ENDINGS) if output else None
    comparison = compare(read_outcome(Path(first)), read_outcome(Path(second)))
    if path:
        _write(path, comparison)
    if as_json:
        print_json(comparison.to_dict())
    else:
        print_tables(*comparison_tables(comparison))
        for sentence in comparison.sentences():
            click.echo(sentence)
    if (fail_if == "worse" and comparison.count("worse")) or (fail_if == "different" and comparison.changed):
        sys.exit(FAILED)


def _write(path: Path, comparison: Comparison) -> None:
    """Write what the ending of a name asks for."""
    from netplace.report.comparison.write import write_comparison

    write_comparison(path, comparison)
