"""The rule that refuses settings without effect on a network, wherever they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from netplace.netsim.config import Config
from netplace.netsim.fault_text import read_faults
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.topologies import Grid, Topology, Tree


def check_settings(topology: Topology, config: Config) -> None:
    """Refuse settings without effect on a network, and a bubble with which no packet enters a ring."""
    in_tables = uses_table_router(topology, config)
    if not in_tables:
        config.check_bubble(topology)
    if in_tables and config.routing == "default" and isinstance(topology, Grid) and topology.twist:
        needed = verdict_on(topology, "minimal", "default")[2].needed
        raise ValueError(
            f"routing: on {topology} with{_cause(config)} the default is dimension-order routing, whose "
            f"routes are longer; expected --routing minimal --vcs {needed}, which keeps shortest routes, or "
            f"--routing dor"
        )
    for name, why in without_effect(topology, config).items():
        raise ValueError(f"{name}: {getattr(config, name)} has no effect on {topology}, {why}")


def without_effect(topology: Topology, config: Config) -> dict[str, str]:
    """Return the given settings that have no effect on a network, with the reason for each.

    A setting has an effect if it changes a run, or refuses or allows one.
    """
    given = {item.name for item in fields(config) if getattr(config, item.name) != item.default}
    if config.bubble == 0 and (uses_table_router(topology, config) or not isinstance(topology, Grid)):
        given.discard("bubble")  # no bubble is what there is without rings
    return {name: why for name, why in _idle(topology, config, given) if name in given}


def _idle(topology: Topology, config: Config, given: set[str]) -> Iterator[tuple[str, str]]:
    """Yield settings without effect and the reasons; expensive checks run only for given settings."""
    if uses_table_router(topology, config):
        why = f"which uses the table router{_cause(config)}; expected --routing instead"
        yield from ((name, why) for name in ("vc_policy", "bubble", "tree_routing"))
        if "allow_deadlock" in given and _stays_free(topology, config):
            yield "allow_deadlock", "whose routing is deadlock-free; omit it"
        if "ordered_flows" in given and _has_one_way(topology, config):
            yield "ordered_flows", "where packets of a flow have one route and one queue; omit it"
    else:
        why = "whose routing needs none; expected also --routing"
        yield from ((name, why) for name in ("vc_discipline", "allow_deadlock"))
        if isinstance(topology, Grid):
            yield "tree_routing", "which is a grid; expected --vc-policy, or omit it"
            # Nobody goes straight on; a short queue needs a small bubble all the same.
            short = config.queue_packets <= Config().bubble
            if not topology.wraps and max(topology.sizes) <= 2 and not short:
                yield "bubble", "where no packet continues straight through a node; omit it"
        elif isinstance(topology, Tree):
            why = "which is a tree; expected --tree-routing, or omit it"
            yield from ((name, why) for name in ("vc_policy", "bubble"))
    vcs = config.of_all_classes.vcs
    if config.crossbar_speedup >= vcs:
        yield "crossbar_speedup", f"where {vcs} VCs share an input port; expected less than {vcs}, or 0"
    # A link brings one packet at a time, but for phits of several under wormhole switching.
    if not config.buffer_phits and (topology.neighbor[: topology.nodes] >= 0).sum(axis=1).max(initial=0) <= 1:
        yield "ejection", "where one link leads into every node; expected multiple"


def _stays_free(topology: Topology, config: Config) -> bool:
    """Return whether a routing in tables is free of deadlock, also after possible faults."""
    cuts = any(fault.cuts for fault in read_faults(config.faults))
    return not cuts and verdict_on(topology, config.routing, config.vc_discipline)[2].free


def _has_one_way(topology: Topology, config: Config) -> bool:
    """Return whether packets of a flow keep their order in any case, because they have no choice."""
    if (config.vcs, config.injectors) != (1, 1):
        return False
    routes = verdict_on(topology, config.routing, config.vc_discipline)[1]
    return routes.choice == "table" and (routes.spread != "least" or bool((routes.ports[:, :, 1:] < 0).all()))


def _cause(config: Config) -> str:
    """Return the setting of a grid or tree that makes it a network of any wiring."""
    for name, usual in (("routing", "default"), ("faults", "")):
        if getattr(config, name) != usual:
            return f" (--{name})"
    return f" (--{config.fabric_settings[0].replace('_', '-')})" if config.fabric_set else ""
