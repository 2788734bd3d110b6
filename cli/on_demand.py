"""Commands that are imported when they are asked for: none waits for the flags of all others."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping

import rich_click as click

__all__ = ["OnDemand"]


class OnDemand(MutableMapping[str, click.Command]):
    """Commands by name, each imported when it is first looked up.

    Parameters
    ----------
    package : str
        Where their modules are.
    modules : mapping
        The module of each command; command ``two-kinds`` is ``two_kinds_command`` there.
    """

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self._package = package
        self._modules = dict(modules)
        self._found: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._found:
            module = importlib.import_module(f"{self._package}.{self._modules[name]}")
            self._found[name] = getattr(module, f"{name.replace('-', '_')}_command")
        return self._found[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command
        self._modules.setdefault(name, "")

    def __delitem__(self, name: str) -> None:
        del self._modules[name]
        self._found.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
