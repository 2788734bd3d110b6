"""Flags that several commands share: the settings of the network, the engine, the seed.

Settings are those of `netplace.netsim.Config`, which is imported when the flags of a command are requested.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.completion import complete_parameters
from netplace.cli.examples import examples_of
from netplace.cli.flags import REAL, SEED, THREADS, WHOLE, flag
from netplace.cli.help import SETTINGS_PANEL, is_in_help

if TYPE_CHECKING:
    from netplace.netsim import Config

WHAT_RUNS = "What runs"
_KINDS: dict[str, Any] = {"int": WHOLE, "int | None": WHOLE, "float": REAL, "str": click.STRING}


class SettingsCommand(FilesCommand):
    """A command that takes every setting of the network, besides its own flags."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its own flags, those of the settings, and ``--help``."""
        own = super().get_params(ctx)
        return own if is_in_help(ctx) else [*own[:-1], *self.setting_flags(), own[-1]]

    def setting_flags(self) -> list[click.Parameter]:
        """Return a flag for each setting, with the default that the setting has."""
        return setting_flags()


@cache
def _settings() -> dict[str, tuple[str, Any, str, tuple[str, ...]]]:
    """Return the kind, the default, the description and the choices of each setting, by its name."""
    from netplace.netsim import Config

    return {
        item.name: (
            str(item.type),
            item.default,
            _text(item.metadata["says"], item.metadata["choices"]),
            tuple(item.metadata["choices"]),
        )
        for item in fields(Config)
    }


def _text(says: str, choices: tuple[str, ...]) -> str:
    return f"{says}: {', '.join(choices)}." if choices else says


def setting_flags(shown_only: bool = False) -> list[click.Parameter]:
    """Return a flag for each setting of the network."""
    flags: list[click.Parameter] = []
    for name, (kind, default, text, choices) in _settings().items():
        flag = "--" + name.replace("_", "-")
        has_default = default not in (None, "")
        more: dict[str, Any]
        if kind == "bool":
            more = {"is_flag": True, "default": None if shown_only else default}
        elif shown_only:
            more = {"type": _KINDS[kind]}
        else:
            more = {"type": _KINDS[kind], "default": default, "show_default": has_default}
        if choices:
            more["shell_complete"] = partial(_beginning, choices)
        usual = f" [default: {default}]" if shown_only and has_default else ""
        flags.append(click.RichOption([flag, name], help=text + usual, panel=SETTINGS_PANEL, **more))
    complete_parameters(flags)
    return flags


def _beginning(choices: tuple[str, ...], _: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Return the choices that begin with what was typed."""
    return [name for name in choices if name.startswith(typed)]


def config_from(given: dict[str, Any]) -> Config:
    from netplace.netsim import Config

    return Config(**{name: given[name] for name in _settings()})


network_flag = flag(
    "--network",
    "Network, such as torus:8x8; see netplace list networks.",
    required=True,
    metavar="NETWORK",
    panel=WHAT_RUNS,
)
engine_flag = flag("--engine", "Engine: kernel (compiled) or reference (readable, slow).", default="kernel")
seed_flag = flag("--seed", "Random seed.", SEED, 0)
threads_flag = flag(
    "--threads",
    "Threads per network, or auto: one per core for large networks. The result is the same.",
    THREADS,
    1,
    metavar="N|auto",
)
json_flag = flag("--json as_json", "Print only one JSON object.", bool)


@click.command("help", epilog=examples_of("help"))
@click.argument("topic", required=False, metavar="[network|COMMAND]")
@click.pass_context
def help_command(context: click.Context, topic: str | None) -> None:
    """Show the settings of the network, or the help of a command.

    The settings of the network are flags of run, load, map, metrics, advise and cosim, and keys of files.
    """
    from netplace.checks import check_choice

    above = context.parent
    assert above is not None
    assert isinstance(above.command, click.Group)
    if topic is None:
        click.echo(above.get_help(), color=context.color)
        return
    check_choice(topic, ["network", *above.command.list_commands(above)], "help")
    command = _network() if topic == "network" else above.command.get_command(above, topic)
    assert command is not None
    name = "COMMAND" if topic == "network" else topic
    inner = command.context_class(command, info_name=name, parent=above)
    click.echo(command.get_help(inner), color=context.color)


def _network() -> click.Command:
    return click.RichCommand(
        name="network",
        params=setting_flags(),
        add_help_option=False,
        help="Settings of the network, the same for run, load, map, metrics, advise and cosim.",
    )


def tell_limits(networks: Iterable[tuple[str, Config]]) -> None:
    """Say on stderr where fabrics are not those named, and which cables cannot carry their rate."""
    from netplace.netsim.presets import FABRICS

    pairs = list(dict.fromkeys(networks))
    for config in dict.fromkeys(config for _, config in pairs):
        for name in config.overridden:
            value, own = FABRICS[config.fabric].settings[name], getattr(config, name)
            click.echo(
                f"fabric {config.fabric}: {name} is {own} and not {value}: this is another fabric", err=True
            )
    for network, config in pairs:
        if config.fabric_set:
            from netplace.netsim.link_limits import limited_links
            from netplace.runs.networks import network_of

            for limit in limited_links(network_of(network), config):
                click.echo(f"{network}: {limit}", err=True)
