"""``netplace export``: an outcome in the forms of other tools."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import flag


@click.command("export", cls=FilesCommand, epilog=examples_of("export"))
@click.argument("outcome", metavar="OUTCOME")
@flag("-o output", "Output file: .parquet, .csv, .swf or .duckdb.", metavar="FILE", required=True)
def export_command(outcome: str, output: str) -> None:
    """Write an outcome in the format of another tool.

    OUTCOME is a store, whose tables .parquet, .csv and .duckdb contain; a folder of netplace schedule
    -o, for which .swf is a log of the Parallel Workloads Archive with the waits of the schedule, and
    .csv is the job table of Batsim and evalys; or a folder of netplace run -o, for which .parquet, .csv
    and .duckdb contain link loads, messages, tasks and critical paths (its timeline.json is for
    Perfetto).
    """
    from netplace.report.exported import EXPORTS, export
    from netplace.report.files.outputs import check_output

    path, target = Path(outcome), check_output(Path(output), tuple(EXPORTS))
    if not path.exists():
        raise ValueError(
            f"{path}: does not exist, expected a store, or a folder of netplace schedule -o or run -o"
        )
    for line in export(path, target):
        click.echo(line)
