"""The command line. Commands import what they need when they run, so that ``netplace --help`` is quick."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.entry_points import Offers
from netplace.report.terminal.progress import QUIET

__all__ = ["COMMANDS", "GROUPS", "app"]


# What a person wants to do: the commands for it, each with the module of this package where it is.
GROUPS: dict[str, dict[str, str]] = {
    "Simulate applications on a network": {
        "run": "run",
        "load": "load",
        "table": "table",
        "plot": "plot",
        "report": "outcomes",
        "compare": "outcomes",
        "export": "outcomes",
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
    },
    "Work with a running machine": {
        "serve": "serve",
        "slurm": "slurm",
        "batsim": "batsim",
    },
    "Inputs": {
        "list": "listing",
        "app": "applications",
        "trace": "trace",
        "record": "record",
        "collective": "collective",
        "workload": "workload",
    },
    "Studies and help": {
        "study": "study",
        "plan-study": "plan_study",
        "fit": "fit",
        "doctor": "doctor",
        "help": "settings",
    },
}
COMMANDS = {name: module for commands in GROUPS.values() for name, module in commands.items()}


class OnDemand(Mapping[str, click.Command]):
    """Commands by name, each imported at its first use: command ``two-words`` is ``two_words_command``."""

    def __init__(
        self, package: str, modules: Mapping[str, str], offered: Mapping[str, click.Command]
    ) -> None:
        self._package = package
        self._modules = modules
        self._offered = offered
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> click.Command:
        if name in self._modules:
            module = importlib.import_module(f"{self._package}.{self._modules[name]}")
            command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        else:
            command = self._offered[name]
        if not any("--quiet" in parameter.opts for parameter in command.params):
            command.params.append(_quiet())
        _take_plugins(command)
        return command

    def __iter__(self) -> Iterator[str]:
        yield from self._modules
        yield from (name for name in self._offered if name not in self._modules)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _take_plugins(command: click.Command) -> None:
    """Let a command, and each command below it, take ``--plugin`` too: people write it before or after."""
    if not any("--plugin" in parameter.opts for parameter in command.params):
        command.params.append(_plugin())
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _take_plugins(below)


def _plugin() -> click.Option:
    def load(context: click.Context, _: click.Parameter, files: tuple[str, ...]) -> None:
        try:
            load_plugins(files)
        except ValueError:
            if not context.resilient_parsing:  # completion of a line that is not finished
                raise

    return click.RichOption(
        ["--plugin"],
        multiple=True,
        metavar="FILE.py",
        expose_value=False,
        is_eager=True,  # before any value in which a name of the plug-in may be
        callback=load,
        help="Load a Python file that adds rules; repeatable.",
    )


def load_plugins(files: Sequence[str]) -> None:
    """Load the plug-ins of the environment, and those of a command line."""
    named = [file for file in os.environ.get(PLUGINS, "").split(os.pathsep) if file]
    if named or files:
        from netplace.plugins import load_plugin

        for file in [*named, *files]:
            load_plugin(file)


def _quiet() -> click.Option:
    def hush(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        before = os.environ.get(QUIET)
        if wanted and not before:
            os.environ[QUIET] = "1"  # where worker processes find it too
            context.call_on_close(lambda: os.environ.pop(QUIET, None))

    return click.RichOption(
        ["--quiet"],
        is_flag=True,
        expose_value=False,
        callback=hush,
        help="Print only errors on stderr.",
    )


PLUGINS = "NETPLACE_PLUGINS"  # files as for --plugin, separated as PATH is
MISTAKE = 2
INTERRUPTED, TERMINATED = 130, 143  # 128 + SIGINT or SIGTERM, as shells count


class VerdictGroup(click.RichGroup):
    """A group of commands that turns a user's mistake into a sentence and exit code 2.

    So end unusable values, files that cannot be read, and runs that cannot reach their end (a deadlock, a
    limit of cycles). With ``NETPLACE_DEBUG=1`` in the environment the traceback is shown instead. Ctrl-C ends
    with exit code 130, SIGTERM with 143, both with a sentence that says what is kept.
    """

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        extra["standalone_mode"] = False
        try:
            status = super().main(args, prog_name or "netplace", **extra)
        except (click.Abort, KeyboardInterrupt) as error:  # click makes the one of the other
            _say_end("interrupted", error.__context__ or error)
            sys.exit(INTERRUPTED)
        except SystemExit as error:
            if error.code == TERMINATED:
                _say_end("stopped by SIGTERM", error)
            raise
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f" (see {context.command_path} --help)" if context else ""
            _say(error.format_message().rstrip(".") + hint)
            sys.exit(error.exit_code)
        except Exception as error:
            from netplace.plugins import describe_rule_error

            own = describe_rule_error(error)
            if os.environ.get("NETPLACE_DEBUG") or not (own or _is_mistake(error)):
                raise
            for fault in getattr(error, "faults", (own or _sentence(error),)):
                _say(fault)
            sys.exit(MISTAKE)
        sys.exit(status if isinstance(status, int) else 0)


def _say(text: str) -> None:
    from netplace.inputs import shortened

    click.echo(f"netplace: {shortened(text)}", err=True)


def _say_end(how: str, error: BaseException) -> None:
    _say("; ".join([how, *getattr(error, "__notes__", [])]))  # which tell what is saved


def _is_mistake(error: Exception) -> bool:
    """Return whether `error` is the user's doing, or the machine's limits."""
    if isinstance(error, ValueError | OSError | MemoryError):
        return True
    errors = sys.modules.get("netplace.netsim.errors")  # not imported: no run has begun
    return errors is not None and isinstance(error, errors.SimulationError)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    return text or type(error).__name__


@click.group(
    cls=VerdictGroup,
    epilog=examples_of("netplace"),
    # Names in study files have underscores, flags have dashes: either is taken for the other.
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: name.replace("_", "-"),
    },
)
@click.version_option(package_name="netplace", message="netplace %(version)s")
def app() -> None:
    """Simulate applications on interconnection networks, packet by packet, and measure the cost of placement.

    Every command has --help. An invalid request ends with exit code 2 and a message on stderr.
    """


app.params.append(_plugin())
for title, commands in GROUPS.items():
    app.add_panel(click.RichCommandPanel(title, commands=list(commands)))
# Given when the group is made, it would import them all.
app.commands = OnDemand(__name__, COMMANDS, Offers("netplace.commands", "command", click.Command))  # type: ignore[assignment]
