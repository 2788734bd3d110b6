"""Settings that follow from a network, that it ignores, or with which it does not work as intended."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import fields, replace

from netplace.netsim.cable_cycles import first_switch
from netplace.netsim.config import SETTINGS, Config
from netplace.netsim.link_limits import limited_links
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.topologies import Graph, Grid, Topology, Tree
from netplace.topologies.rates import Rates
from netplace.topologies.routing import default_on

_MOST_ROOM = (1 << 14, 1 << 24)  # packets of a FIFO, and of all together: each takes some 50 bytes
_MOST_WAIT = 1 << 15  # cycles of a latency there: longer ones take the engine long
_MOST_PHIT = 1 << 10  # bytes, where routes are given and FIFOs have too little room for shorter phits


def settings_on(topology: Topology, config: Config) -> Config:
    """Return settings that have their defaults as the file of the network gives them.

    A cycle is the time in which a phit crosses the fastest link, and FIFOs have room for all packets under
    way on their links, so that these can carry their rate. Nodes that are routers can feed all their links at
    once. A file that tells only cables has adaptive routing on shortest routes (minimal routing if flows keep
    their order), without an escape channel if it needs none, if the virtual channels suffice; otherwise
    up*/down*. Other networks leave the settings as they are.
    """
    if _has_no_routing(topology) and config.routing == config.vc_discipline == "default":
        config = _with_shortest_routes(topology, config)
    if topology.has_given_routes and config.routing == "default" and config.vcs == SETTINGS["vcs"].default:
        needed = verdict_on(topology, "given", config.vc_discipline)[2].needed
        config = replace(config, vcs=max(config.vcs, needed))
    if (rates := _rates(topology)) is None:
        return config
    if config.injectors == SETTINGS["injectors"].default and first_switch(topology) == 0:
        config = replace(config, injectors=int((topology.neighbor[: topology.nodes] >= 0).sum(axis=1).max()))
    if config.cycle_ns == SETTINGS["cycle_ns"].default:
        config = replace(config, cycle_ns=rates.byte_ns * config.phit_bytes)
    if config.queue_packets == SETTINGS["queue_packets"].default:
        maximum = min(_MOST_ROOM[0], _MOST_ROOM[1] // (config.vcs * max(1, (topology.neighbor >= 0).sum())))
        may_grow = topology.has_given_routes and config.phit_bytes == SETTINGS["phit_bytes"].default
        largest = _MOST_PHIT if may_grow else 0
        longest = int(topology.delay.max()) * rates.phit_bytes if isinstance(topology, Graph) else 0  # bytes
        while config.phit_bytes < largest and (
            _room(topology, config) > maximum or longest > _MOST_WAIT * config.phit_bytes
        ):
            config = config.scaled(2 * config.phit_bytes)
        room = _room(topology, config)
        config = replace(config, queue_packets=max(config.queue_packets, min(room, maximum)))
    return config


def _room(topology: Topology, config: Config) -> int:
    """Return the packets for which FIFOs need room so that links can carry their rate."""
    share = min((limit.share for limit in limited_links(topology, config)), default=1.0)
    return math.ceil(config.queue_packets / share)


def notes_on(topology: Topology, config: Config) -> list[str]:
    """Return what was read of the file of the network, and a sentence for each setting that it ignores."""
    notes = ignored_settings(topology, config)
    if _has_no_routing(topology) and config.routing in ("default", *_SHORTEST):
        _, routes, verdict = verdict_on(topology, config.routing, config.vc_discipline)
        message = f"the file tells no routing: it is {routes.name}, with --vcs {verdict.needed} or more"
        if config.routing == "default":
            name = _SHORTEST[config.ordered_flows]
            message += f"; shortest routes ({name}) need {verdict_on(topology, name, 'default')[2].needed}"
        notes.insert(0, message)
    if (rates := _rates(topology)) is None:
        return [*([f"{topology} is {topology.origin}"] if topology.origin else []), *notes]
    cycle = rates.byte_ns * config.phit_bytes
    message = f"{topology} is {topology.origin or rates.source}: "
    message += f"a cycle is the {cycle:.4g} ns of a phit on the fastest link"
    if config.phit_bytes != SETTINGS["phit_bytes"].default:
        message += f", {config.phit_bytes} bytes"
    if not math.isclose(cycle, config.cycle_ns, rel_tol=1e-6):
        message += f"; but cycle_ns is {config.cycle_ns:g}"
    message += f"; FIFOs hold {config.queue_packets} packets"
    return [message, *rates.notes, *map(str, limited_links(topology, config)), *notes]


def routing_of(topology: Topology, config: Config) -> str:
    """Return the setting that determines the routing of a run, and its value, as in ``routing d-mod-k``."""
    if uses_table_router(topology, config):
        return f"routing {default_on(topology) if config.routing == 'default' else config.routing}"
    if isinstance(topology, Tree):
        return f"tree routing {config.tree_routing}"
    return f"VC policy {config.vc_policy}"


_SHORTEST = ("adaptive", "minimal")  # the latter keeps the order of flows


def _with_shortest_routes(topology: Topology, config: Config) -> Config:
    """Return settings with the first of these routings that is free of deadlock on the virtual channels."""
    name = _SHORTEST[config.ordered_flows]
    for discipline in () if config.faults else ("none", "default"):
        with suppress(ValueError):  # too large for the check
            verdict = verdict_on(topology, name, discipline)[2]
            if verdict.free and verdict.needed <= config.vcs:
                return replace(config, routing=name, vc_discipline=discipline)
    return config


def _has_no_routing(topology: Topology) -> bool:
    """Return whether a network comes from a file that tells no more of it than its cables."""
    return isinstance(topology, Graph) and topology.default_routing == "up-down" and bool(topology.origin)


def _rates(topology: Topology) -> Rates | None:
    return topology.rates if isinstance(topology, Graph) else None


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
    default = {item.name: item.default for item in fields(config)}
    return [
        f"{name}: {value} is ignored on {topology}, {why}"
        for name in names
        if (value := getattr(config, name)) != default[name]
    ]


def _cause(config: Config) -> str:
    """Return the setting of a grid or tree that makes it a network of any wiring."""
    for name, default in (("routing", "default"), ("faults", "")):
        if getattr(config, name) != default:
            return f" (--{name})"
    return f" (--{config.fabric_settings[0].replace('_', '-')})" if config.fabric_set else ""
