"""``netplace export``: an outcome in the forms of other tools."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of

__all__ = ["export_command"]


@click.command("export", cls=FilesCommand, epilog=examples_of("export"))
@click.argument("outcome", metavar="OUTCOME")
@click.option(
    "-o", "output", metavar="FILE", required=True, help="What to write: .parquet, .csv, .swf, .duckdb."
)
def export_command(outcome: str, output: str) -> None:
    """Write an outcome for other tools.

    OUTCOME is a store, of which .parquet, .csv and .duckdb hold every table, or a folder of netplace schedule
    -o: .swf is a log of the Parallel Workloads Archive with the waits of the schedule, .csv the table of jobs
    that Batsim writes and evalys draws; or a folder of netplace run -o, of which .parquet, .csv and .duckdb
    hold loads of links, messages, tasks and critical paths (timeline.json, in it, is for Perfetto).
    """
    from netplace.report.exported import EXPORTS, export
    from netplace.report.files.outputs import check_output

    path, target = Path(outcome), check_output(Path(output), tuple(EXPORTS))
    if not path.exists():
        raise ValueError(
            f"{path}: is not there, expected a store, or a folder of netplace schedule -o or run -o"
        )
    for line in export(path, target):
        click.echo(line)
