"""Flags that several commands share: the settings of the network, the engine, the seed.

Settings are those of `netplace.netsim.Config`, which is imported when the flags of a command are requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import DRAWS, SEED, THREADS, flag, real, whole
from netplace.cli.help import is_in_help
from netplace.inputs import MOST, check_choice

if TYPE_CHECKING:
    from netplace.netsim import Config
    from netplace.settings import Setting

WHAT_RUNS = "What runs"


class SettingsCommand(FilesCommand):
    """A command that takes all settings of a plan and of the network, besides its own flags.

    `plan`: settings of the plan, by name. `network`: whether the command takes settings of the network.
    `of_plan`: whether what is not given is left to the plan, whose defaults the help shows.
    """

    def __init__(
        self,
        *args: Any,
        plan: Mapping[str, Setting] | None = None,
        network: bool = True,
        of_plan: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._network, self._of_plan = network, of_plan
        self.params[:0] = flags_of(plan or {}, of_plan)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the flags of the plan, its own, those of the network, and ``--help``."""
        own = super().get_params(ctx)
        if is_in_help(ctx) or not self._network:
            return own
        from netplace.netsim.config import SETTINGS

        return [*own[:-1], *flags_of(SETTINGS, self._of_plan), own[-1]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let a fabric whose network is known stand for ``--network`` too."""
        rest = super().parse_args(ctx, args)
        network = next((each for each in self.params if each.name == "network"), None)
        if network is not None and not ctx.params.get("network") and not ctx.resilient_parsing:
            from netplace.netsim.presets import fabric_of

            fabric = ctx.params.get("fabric")
            name = fabric_of(fabric).network if fabric else ""
            if name:
                ctx.params["network"] = (name,) if network.multiple else name
            elif not network.multiple:  # of load, a study may name it
                raise click.MissingParameter(ctx=ctx, param=network)
        return rest


def flags_of(settings: Mapping[str, Setting], of_plan: bool = False) -> list[click.Parameter]:
    """Return a flag for each setting; `of_plan`: without a default, which its help shows."""
    flags: list[click.Parameter] = []
    for name, setting in settings.items():
        default = None if setting.default == "" else setting.default
        text = f"{setting.help} [default: {default}]" if of_plan and default is not None else setting.help
        more: dict[str, Any] = {"multiple": setting.repeatable}
        if setting.kind is bool:
            more = {"is_flag": True, "default": None if of_plan else default}
        elif setting.default is not None and not of_plan:
            more |= {"default": setting.default, "show_default": default is not None}
        if setting.choices:
            more["shell_complete"] = partial(_beginning, setting.choices)
        words = ["--" + name.replace("_", "-"), name]
        panel = setting.panel or None
        flags.append(
            click.RichOption(
                words, type=_type_of(setting), help=text, panel=panel, metavar=setting.metavar, **more
            )
        )
    return flags


def _type_of(setting: Setting) -> Any:
    if setting.kind is int:
        return whole(int(max(setting.minimum, -MOST)), int(min(setting.maximum, MOST)))
    if setting.kind is float:
        return real(setting.minimum, setting.maximum)
    return {bool: None, int | str: DRAWS}.get(setting.kind, click.STRING)


def _beginning(choices: tuple[str, ...], _: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Return the choices that begin with what was typed."""
    return [name for name in choices if name.startswith(typed)]


def config_from(given: dict[str, Any]) -> Config:
    from netplace.netsim.config import SETTINGS, Config

    return Config(**{name: given[name] for name in SETTINGS})


network_flag = flag(
    "--network",
    "Network, such as torus:8x8; see netplace list networks. [default: that of --fabric]",
    metavar="NETWORK",
    panel=WHAT_RUNS,
)
engine_flag = flag("--engine", "Engine: kernel (compiled) or reference (readable, slow).", default="kernel")
seed_flag = flag("--seed", "Random seed.", SEED, 0)
threads_flag = flag(
    "--threads",
    "Threads per network, or auto. The result is the same.",
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
    from netplace.netsim.config import SETTINGS

    return click.RichCommand(
        name="network",
        params=flags_of(SETTINGS),
        add_help_option=False,
        help="Settings of the network, the same for run, load, map, metrics, advise and cosim.",
    )


def tell_limits(networks: Iterable[tuple[str, Config]]) -> None:
    """Say on stderr where fabrics are not those named, and which cables cannot carry their rate."""
    from netplace.netsim.presets import fabric_of

    pairs = list(dict.fromkeys(networks))
    for config in dict.fromkeys(config for _, config in pairs):
        for name in config.overridden:
            value, own = fabric_of(config.fabric).settings[name], getattr(config, name)
            click.echo(
                f"fabric {config.fabric}: {name} is {own} and not {value}: this is another fabric", err=True
            )
    for network, config in pairs:
        if config.fabric_set:
            from netplace.netsim.link_limits import limited_links
            from netplace.runs.networks import network_of

            for limit in limited_links(network_of(network), config):
                click.echo(f"{network}: {limit}", err=True)


def tell_ignored(networks: Iterable[tuple[str, Config]]) -> None:
    """Say on stderr which settings the networks ignore."""
    from netplace.netsim.effects import notes_on
    from netplace.runs.networks import network_of

    for network, config in dict.fromkeys(networks):
        for sentence in notes_on(network_of(network), config):
            click.echo(f"netplace: {sentence}", err=True)
