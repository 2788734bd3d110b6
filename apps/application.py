"""The definition of an application: a name, a description, and a function that makes its program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netplace.apps.program import Program
from netplace.inputs import check_choice


@dataclass(frozen=True)
class Application:
    """A named generator of programs.

    Attributes
    ----------
    name : str
        Name by which a user selects the application.
    make : callable
        ``make(tasks, **options)`` returns its `Program`.
    """

    name: str
    description: str
    make: Callable[..., Program]

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """Options of `make` in addition to ``tasks``, with their defaults."""
        return options_of(self.make)

    def __call__(self, tasks: int, **options: Any) -> Program:
        check_options(self.name, self.make, options)
        return self.make(tasks, **options)


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of `function` after its first one, with their defaults.

    ``collectives`` is left out, because every application accepts it.
    """
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {p.name: p.default for p in parameters if p.name != "collectives"}


def uses_collectives(function: Callable[..., Any]) -> bool:
    """Return whether `function`, which makes an application, takes the choice of collective algorithms."""
    return "collectives" in inspect.signature(function).parameters


def check_options(name: str, function: Callable[..., Any], options: Iterable[str]) -> None:
    accepted = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted):
        return
    for option in options:
        check_choice(option, options_of(function), f"option of application {name!r}")
