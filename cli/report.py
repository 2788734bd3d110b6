"""``netplace report``: an outcome as one page that anybody opens."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import flag


@click.command("report", cls=FilesCommand, epilog=examples_of("report"))
@click.argument("outcome", metavar="OUTCOME")
@flag("-o output", "Page to write. [default: OUTCOME.html]", metavar="FILE")
def report_command(outcome: str, output: str | None) -> None:
    """Write an outcome as one HTML page with a summary, sortable tables and interactive figures.

    OUTCOME is a folder of cosim, schedule, run, advise or study, a .json file with the output of any
    command with --json, a table (.csv, .parquet), a store, or a sweep file with its store. The page
    needs no network access.
    """
    from netplace.report.files.outputs import check_output
    from netplace.report.pages import page_of, write_page

    path = Path(outcome)
    name = path.name if path.is_dir() else path.stem
    target = check_output(Path(output) if output else path.with_name(f"{name}.html"), (".html",))
    size = write_page(target, page_of(path))
    click.echo(f"{target}: {f'{size / 1e6:.1f} MB' if size >= 1e6 else f'{size / 1e3:.0f} kB'}")
