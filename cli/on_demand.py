"""Commands that are imported when they are requested: none waits for the flags of all others."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, MutableMapping

import rich_click as click

from netplace.cli.completion import complete_values
from netplace.report.terminal.pulse import QUIET


class OnDemand(MutableMapping[str, click.Command]):
    """Commands by name, each imported at its first use: command ``two-words`` is ``two_words_command``."""

    def __init__(
        self, package: str, modules: Mapping[str, str], offered: Mapping[str, click.Command]
    ) -> None:
        self._package = package
        self._modules = dict(modules)
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
        complete_values(command)
        if not any("--quiet" in parameter.opts for parameter in command.params):
            command.params.append(_quiet())
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command
        self._modules.setdefault(name, "")

    def __delitem__(self, name: str) -> None:
        del self._modules[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        yield from self._modules
        yield from (name for name in self._offered if name not in self._modules)

    def __len__(self) -> int:
        return sum(1 for _ in self)


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
