"""Settings that a network ignores, and those with which it does not work as intended."""

from __future__ import annotations

from dataclasses import fields

from netplace.netsim.config import Config
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.topologies import Grid, Topology, Tree


def check_settings(topology: Topology, config: Config) -> None:
    """Refuse a bubble with which no packet enters a ring, and longer routes than a twisted torus has."""
    if not uses_table_router(topology, config):
        config.check_bubble(topology)
    elif config.routing == "default" and isinstance(topology, Grid) and topology.twist:
        needed = verdict_on(topology, "minimal", "default")[2].needed
        raise ValueError(
            f"routing: on {topology} with{_cause(config)} the default is dimension-order routing, whose "
            f"routes are longer; expected --routing minimal --vcs {needed}, which keeps shortest routes, or "
            f"--routing dor"
        )


def ignored_settings(topology: Topology, config: Config) -> list[str]:
    """Return a sentence for each setting that was given and that the network ignores."""
    names: tuple[str, ...]
    if uses_table_router(topology, config):
        names, why = ("vc_policy", "bubble", "tree_routing"), f"which uses the table router{_cause(config)}"
    elif isinstance(topology, Tree):
        names = ("vc_policy", "bubble", "vc_discipline", "allow_deadlock")
        why = "which is a tree with its own routing"
    else:
        names = ("tree_routing", "vc_discipline", "allow_deadlock")
        why = "which is a grid with its own routing"
    usual = {item.name: item.default for item in fields(config)}
    return [
        f"{name}: {value} is ignored on {topology}, {why}"
        for name in names
        if (value := getattr(config, name)) != usual[name]
    ]


def _cause(config: Config) -> str:
    """Return the setting of a grid or tree that makes it a network of any wiring."""
    for name, usual in (("routing", "default"), ("faults", "")):
        if getattr(config, name) != usual:
            return f" (--{name})"
    return f" (--{config.fabric_settings[0].replace('_', '-')})" if config.fabric_set else ""
