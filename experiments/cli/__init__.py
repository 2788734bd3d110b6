"""The command line. Commands import what they need when they run, so that ``netplace --help`` is quick."""

from __future__ import annotations

import importlib.metadata

import rich_click as click

from experiments.cli.applications import app_command
from experiments.cli.bench import bench_command
from experiments.cli.demo import demo_command
from experiments.cli.examples import examples_of
from experiments.cli.listing import list_command
from experiments.cli.load import load_command
from experiments.cli.map import map_command
from experiments.cli.metrics import metrics_command
from experiments.cli.plot import plot_command
from experiments.cli.run import run_command
from experiments.cli.schedule import schedule_command
from experiments.cli.study import study_command
from experiments.cli.table import table_command
from experiments.cli.verdict import VerdictGroup
from experiments.cli.workload import workload_command

__all__ = ["app", "main"]


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    try:
        number = importlib.metadata.version("netplace")
    except importlib.metadata.PackageNotFoundError:
        number = "(not installed)"
    click.echo(f"netplace {number}")
    context.exit()


@click.group(
    cls=VerdictGroup, epilog=examples_of("netplace"), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version", is_flag=True, is_eager=True, callback=_print_version, help="Show the version and exit."
)
def app(version: bool) -> None:
    """Replay applications on interconnection networks, packet by packet, and see what placement costs.

    Every command explains itself with --help. Mistakes end with exit code 2 and a sentence on stderr.
    """


app.add_command(list_command)
app.add_command(run_command)
app.add_command(load_command)
app.add_command(map_command)
app.add_command(metrics_command)
app.add_command(app_command)
app.add_command(table_command)
app.add_command(plot_command)
app.add_command(schedule_command)
app.add_command(study_command)
app.add_command(workload_command)
app.add_command(bench_command)
app.add_command(demo_command)


def main() -> None:
    """Run the command line; the console script ``netplace``."""
    app()
