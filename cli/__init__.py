"""The command line. Commands import what they need when they run, so that ``netplace --help`` is quick."""

from __future__ import annotations

import os

import rich_click as click

from netplace.checks import READ_LIMIT, read_limit
from netplace.cli.examples import examples_of
from netplace.cli.on_demand import OnDemand
from netplace.cli.verdict import VerdictGroup
from netplace.extensions.offered import Offered

__all__ = ["COMMANDS", "GROUPS", "app"]


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


# What a person wants to do: the commands for it, each with the module of this package where it is.
GROUPS: dict[str, dict[str, str]] = {
    "Run applications on a network": {
        "run": "run",
        "load": "load",
        "table": "table",
        "plot": "plot",
        "report": "report",
        "check": "check",
    },
    "Place tasks and jobs": {
        "map": "map",
        "metrics": "metrics",
        "allocate": "allocate",
        "pss": "processor_sets",
    },
    "Share a machine": {
        "schedule": "schedule",
        "cosim": "cosim",
        "explain": "explain",
        "whatif": "explain",
        "site": "site",
    },
    "See and make what they take": {
        "list": "listing",
        "app": "applications",
        "trace": "trace",
        "collective": "collective",
        "workload": "workload",
    },
    "Studies and speed": {"study": "study", "bench": "bench"},
}
COMMANDS = {name: module for commands in GROUPS.values() for name, module in commands.items()}


@click.group(
    cls=VerdictGroup,
    epilog=examples_of("netplace"),
    context_settings={"help_option_names": ["-h", "--help"]},
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


for title, commands in GROUPS.items():
    app.add_panel(click.RichCommandPanel(title, commands=list(commands)))
# Given when the group is made, it would import them all.
app.commands = OnDemand(__name__, COMMANDS, Offered("netplace.commands", "command", click.Command))
