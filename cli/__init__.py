"""The command line. Commands import what they need when they run, so that ``netplace --help`` is quick."""

from __future__ import annotations

import os

import rich_click as click

from netplace.checks import MEMORY_LIMIT, READ_LIMIT, memory_limit, read_limit
from netplace.checks.content import INPUT_COPIES, input_copies
from netplace.cli.examples import examples_of
from netplace.cli.flags import flag
from netplace.cli.on_demand import OnDemand
from netplace.cli.verdict import VerdictGroup
from netplace.extensions.offers import Offered

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


def _raise_copies(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        _keep(context, INPUT_COPIES, input_copies(size, "--input-copies"))


def _raise_limit(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        _keep(context, READ_LIMIT, read_limit(size, "--read-limit"))


def _raise_memory(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        _keep(context, MEMORY_LIMIT, memory_limit(size, "--memory-limit"))


def _keep(context: click.Context, variable: str, limit: int) -> None:
    """Put a limit where worker processes find it too, until the command has ended."""
    before = os.environ.get(variable)
    os.environ[variable] = str(limit)
    context.call_on_close(
        lambda: os.environ.pop(variable) if before is None else os.environ.update({variable: before})
    )


# What a person wants to do: the commands for it, each with the module of this package where it is.
GROUPS: dict[str, dict[str, str]] = {
    "Simulate applications on a network": {
        "run": "run",
        "load": "load",
        "table": "table",
        "plot": "plot",
        "report": "report",
        "compare": "compare",
        "rerun": "rerun",
        "export": "export",
        "check": "check",
    },
    "Place tasks and jobs": {
        "map": "map",
        "metrics": "metrics",
        "allocate": "allocate",
        "advise": "advise",
        "pss": "processor_sets",
    },
    "Share a machine": {
        "schedule": "schedule",
        "cosim": "cosim",
        "explain": "explain",
        "whatif": "explain",
        "site": "site",
    },
    "Run beside a machine": {
        "serve": "serve",
        "slurm": "slurm",
    },
    "Inputs": {
        "list": "listing",
        "app": "applications",
        "trace": "trace",
        "record": "record",
        "collective": "collective",
        "workload": "workload",
    },
    "Studies and performance": {
        "study": "study",
        "plan-study": "plan_study",
        "bench": "bench",
        "fit": "fit",
        "doctor": "doctor",
        "help": "settings",
    },
}
COMMANDS = {name: module for commands in GROUPS.values() for name, module in commands.items()}


@click.group(
    cls=VerdictGroup,
    epilog=examples_of("netplace"),
    # Names in study files have underscores, flags have dashes: either is taken for the other.
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: name.replace("_", "-"),
    },
)
@flag("--version", "Show the version and exit.", bool, is_eager=True, callback=_print_version)
@flag(
    "--read-limit",
    "Largest size of a decompressed file, such as 4G. [default: NETPLACE_READ_LIMIT, or 256M]",
    metavar="SIZE",
    expose_value=False,
    callback=_raise_limit,
)
@flag(
    "--memory-limit",
    "Largest object in memory, such as 8G. [default: NETPLACE_MEMORY_LIMIT, or 4G]",
    metavar="SIZE",
    expose_value=False,
    callback=_raise_memory,
)
@flag(
    "--input-copies",
    "Largest input file to copy into the folder of -o, for netplace rerun; 0 copies none. "
    "[default: NETPLACE_INPUT_COPIES, or 64M]",
    metavar="SIZE",
    expose_value=False,
    callback=_raise_copies,
)
def app(version: bool) -> None:
    """Simulate applications on interconnection networks, packet by packet, and measure the cost of placement.

    Every command has --help. An invalid request ends with exit code 2 and a message on stderr.
    """


for title, commands in GROUPS.items():
    app.add_panel(click.RichCommandPanel(title, commands=list(commands)))
# Given when the group is made, it would import them all.
app.commands = OnDemand(__name__, COMMANDS, Offered("netplace.commands", "command", click.Command))
