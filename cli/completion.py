"""What the shell completes of values: networks, placements, applications, topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

import rich_click as click
from click.shell_completion import CompletionItem

# By the name of a parameter: modules and mappings in them that hold its names, and what follows a name.
OFFERED: dict[str, tuple[tuple[str, str, str], ...]] = {
    "network": (("netplace.topologies", "TOPOLOGIES", ":"),),
    "machine": (("netplace.topologies", "TOPOLOGIES", ":"),),
    "application": (("netplace.apps", "APPLICATIONS", ""),),
    "app": (("netplace.apps", "APPLICATIONS", ""),),
    "partition": (
        ("netplace.placement.partition", "PARTITION", ""),
        ("netplace.scheduling", "PARTITIONERS", ""),
    ),
    "mapping": (("netplace.placement.mapping", "MAPPING", ""),),
    "policy": (("netplace.scheduling", "POLICIES", ""),),
    "fabric": (("netplace.netsim.presets", "FABRICS", ""),),
    "trace": (("netplace.apps.carried", "carried_names", ""),),
    "traffic": (("netplace.netsim", "PATTERNS", ""),),
    "topic": (("netplace.cli.listing", "TOPICS", ""),),
}
_FILES = ("trace",)  # which may be files too
_ONLY = {  # parameters of the same name that mean one of several
    ("run", "partition"): ("netplace.placement.partition",),
    ("metrics", "partition"): ("netplace.placement.partition",),
    ("schedule", "partition"): ("netplace.scheduling",),
    ("cosim", "partition"): ("netplace.scheduling",),
    ("allocate", "partition"): ("netplace.scheduling",),
}


def complete_values(command: click.Command) -> None:
    complete_parameters(command.params, command.name or "")


def complete_parameters(parameters: Iterable[click.Parameter], command: str = "") -> None:
    """Let the shell complete the values of parameters that have names to choose from."""
    for parameter in parameters:
        name = (parameter.name or "").removesuffix("s")
        if name in OFFERED and parameter._custom_shell_complete is None:
            parameter._custom_shell_complete = _completing(command, name)


def _completing(
    command: str, name: str
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    def complete(_: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        known = [value for value in _values(command, name) if value.lower().startswith(begun.lower())]
        files = [CompletionItem(begun, type="file")] if name in _FILES else []
        return [*map(CompletionItem, known), *files]

    return complete


def _values(command: str, name: str) -> Iterator[str]:
    only = _ONLY.get((command, name))
    for module, attribute, after in OFFERED[name]:
        if only is None or module in only:
            known: Iterable[str] = getattr(import_module(module), attribute)
            known = getattr(known, "known", known)  # of a choice, what it chooses from
            known = known() if callable(known) else known
            yield from (f"{value}{after}" for value in known)
