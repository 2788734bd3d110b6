"""The flags that `run` and `load` share: every setting of the network, the engine, the seed.

They stand here once more, besides `netplace.netsim.Config`, because importing that takes most of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from netplace.cli.amounts import REAL, SEED, WHOLE

if TYPE_CHECKING:
    from netplace.netsim import Config

__all__ = [
    "SETTINGS",
    "WHAT_RUNS",
    "config_from",
    "engine_flag",
    "json_flag",
    "network_flag",
    "seed_flag",
    "settings_flags",
]

Command = TypeVar("Command", bound=Callable[..., Any])

# name: (type, default, help)
SETTINGS: dict[str, tuple[Any, Any, str]] = {
    "packet_phits": (WHOLE, 16, "Phits in a packet."),
    "phit_bytes": (WHOLE, 4, "Bytes in a phit."),
    "queue_packets": (WHOLE, 4, "Depth of a transit or injection FIFO, in packets."),
    "injection_packets": (WHOLE, 4, "Depth of the buffer between a task and its injection FIFO, in packets."),
    "injectors": (WHOLE, 1, "Injectors of a node."),
    "vcs": (WHOLE, 2, "Virtual channels of a link."),
    "policy": (str, "smart", "Request policy: smart, shortest, random, oblivious."),
    "arbiter": (str, "round-robin", "Arbiter: round-robin, fifo, longest, random, age."),
    "consumption": (str, "multiple", "Consumption: multiple, single."),
    "bubble": (WHOLE, 2, "Packets of room that a packet must leave behind when it enters a ring."),
    "tree_routing": (str, "adaptive", "Routing on trees: adaptive, static."),
    "router_delay": (WHOLE, 0, "Cycles a header spends in a router after a hop."),
    "link_delay": (WHOLE, 1, "Cycles a header spends on a link."),
    "rendezvous": (
        WHOLE,
        None,
        "Eager limit: messages of more bytes wait for the posted receive. [default: never]",
    ),
    "o_send": (REAL, 0.0, "Nanoseconds that a task computes before each message that it sends."),
    "o_recv": (REAL, 0.0, "Nanoseconds that a task computes after each message that it receives."),
    "o_byte": (REAL, 0.0, "Nanoseconds more for each byte of a message, at both ends."),
    "cycle_ns": (REAL, 3.2, "Length of a cycle in nanoseconds."),
    "routing": (
        str,
        "usual",
        "Routing in tables: minimal, dor, up-down, d-mod-k, adaptive, valiant, ugal-l:T, ugal-g:T, par:T, "
        "FILE.py:function. On grids and trees usual is that of --policy and --tree-routing.",
    ),
    "vc_discipline": (
        str,
        "usual",
        "How VCs go up along a route under --routing: hop, group, phase, dateline, none.",
    ),
    "allow_deadlock": (bool, False, "Run a routing under which packets could wait in a circle."),
    "faults": (
        str,
        "",
        "What goes down, or becomes slow, at a cycle: at=500,links=0.1,seed=2 or "
        "at=900,link=3-4,router=7,packets=again or at=0,slow=0.2,slow-link=5-6,cycles=4; several with a "
        "semicolon.",
    ),
}
PANEL = "Network settings"
WHAT_RUNS = "What runs"


def settings_flags(command: Command) -> Command:
    """Add a flag for every setting of the network."""
    for name, (kind, default, text) in reversed(SETTINGS.items()):
        flag = "--" + name.replace("_", "-")
        if kind is bool:
            command = click.option(flag, is_flag=True, help=text, panel=PANEL)(command)
            continue
        command = click.option(
            flag, type=kind, default=default, show_default=default not in (None, ""), help=text, panel=PANEL
        )(command)
    return command


def network_flag(command: Command) -> Command:
    """Add ``--network``."""
    return click.option(
        "--network",
        required=True,
        metavar="NETWORK",
        panel=WHAT_RUNS,
        help="Network, such as torus:8x8; see netplace list networks.",
    )(command)


def engine_flag(command: Command) -> Command:
    """Add ``--engine``."""
    return click.option(
        "--engine",
        default="kernel",
        show_default=True,
        help="kernel (compiled) or reference (readable, slow).",
    )(command)


def seed_flag(command: Command) -> Command:
    """Add ``--seed``."""
    return click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of all chance.")(
        command
    )


def json_flag(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(
        command
    )


def config_from(given: dict[str, Any]) -> Config:
    """Return the configuration that the flags of `settings_flags` ask for.

    Raises
    ------
    ValueError
        If a value is out of range.
    """
    from netplace.netsim import Config

    return Config(**{name: given[name] for name in SETTINGS})
