"""What is said of networks before they are simulated: another fabric than is named, cables at their limit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from netplace.netsim import Config


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
