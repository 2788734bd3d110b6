"""The command line. Commands import what they need when they run, so that ``netplace --help`` is quick."""

from __future__ import annotations

import os

import rich_click as click

from netplace.checks import READ_LIMIT, read_limit
from netplace.experiments.cli.allocate import allocate_command
from netplace.experiments.cli.applications import app_command
from netplace.experiments.cli.backfill import backfill_command
from netplace.experiments.cli.bench import bench_command
from netplace.experiments.cli.check import check_command
from netplace.experiments.cli.cosim import cosim_command
from netplace.experiments.cli.demo import demo_command
from netplace.experiments.cli.examples import examples_of
from netplace.experiments.cli.explain import explain_command, whatif_command
from netplace.experiments.cli.listing import list_command
from netplace.experiments.cli.load import load_command
from netplace.experiments.cli.map import map_command
from netplace.experiments.cli.metrics import metrics_command
from netplace.experiments.cli.plot import plot_command
from netplace.experiments.cli.processor_sets import pss_command
from netplace.experiments.cli.redirect import redirect_command
from netplace.experiments.cli.run import run_command
from netplace.experiments.cli.schedule import schedule_command
from netplace.experiments.cli.site import site_command
from netplace.experiments.cli.study import study_command
from netplace.experiments.cli.table import table_command
from netplace.experiments.cli.two_kinds import two_kinds_command
from netplace.experiments.cli.verdict import VerdictGroup
from netplace.experiments.cli.workload import workload_command

__all__ = ["app", "main"]


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    import importlib.metadata

    try:
        number = importlib.metadata.version("netplace")
    except importlib.metadata.PackageNotFoundError:
        number = "(not installed)"
    click.echo(f"netplace {number}")
    context.exit()


def _raise_limit(context: click.Context, _: click.Parameter, size: str | None) -> None:
    """Put the limit where worker processes find it too, until the command has ended."""
    if size is None:
        return
    limit = read_limit(size, "--read-limit")
    before = os.environ.get(READ_LIMIT)
    os.environ[READ_LIMIT] = str(limit)
    context.call_on_close(
        lambda: os.environ.pop(READ_LIMIT) if before is None else os.environ.update({READ_LIMIT: before})
    )


@click.group(
    cls=VerdictGroup, epilog=examples_of("netplace"), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version", is_flag=True, is_eager=True, callback=_print_version, help="Show the version and exit."
)
@click.option(
    "--read-limit",
    metavar="SIZE",
    expose_value=False,
    callback=_raise_limit,
    help="A compressed file may unpack to so much, as in 4G. [default: NETPLACE_READ_LIMIT, or 256M]",
)
def app(version: bool) -> None:
    """Replay applications on interconnection networks, packet by packet, and see what placement costs.

    Every command explains itself with --help. Mistakes end with exit code 2 and a sentence on stderr.
    """


app.add_command(list_command)
app.add_command(run_command)
app.add_command(load_command)
app.add_command(check_command)
app.add_command(map_command)
app.add_command(metrics_command)
app.add_command(app_command)
app.add_command(table_command)
app.add_command(plot_command)
app.add_command(schedule_command)
app.add_command(cosim_command)
app.add_command(explain_command)
app.add_command(whatif_command)
app.add_command(backfill_command)
app.add_command(redirect_command)
app.add_command(two_kinds_command)
app.add_command(allocate_command)
app.add_command(pss_command)
app.add_command(site_command)
app.add_command(study_command)
app.add_command(workload_command)
app.add_command(bench_command)
app.add_command(demo_command)


def main() -> None:
    """Run the command line; the console script ``netplace``."""
    app()
