"""``netplace check network``: what networks are made of, and whether their routing is free of deadlock."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import flag
from netplace.cli.many import long_work
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag
from netplace.inputs import check_choice

if TYPE_CHECKING:
    from netplace.topologies import Topology

_SHOWN = 24
_SECONDS = 3e-7  # for each pair of switches, within a factor of three


@command("check")
@click.argument("what", metavar="network")
@click.argument("networks", metavar="NETWORK..", nargs=-1)
@flag("--fabric", "Fabric whose routing is checked, and whose network if you name none.", default="")
@flag("--routing", "Routing algorithm of the table router; see netplace help network.", default="default")
@flag("--vc-discipline", "VC discipline, which assigns virtual channels along a route.", default="default")
@flag(
    "--simulate",
    "Add accepted load, also with failed cables, and times of an all-to-all and a training step.",
    bool,
)
@page_flag
@json_flag
def check_command(
    what: str,
    networks: tuple[str, ...],
    fabric: str,
    routing: str,
    vc_discipline: str,
    simulate: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Count the parts of networks, and search the channel dependency graph of a routing for cycles.

    The command counts switches, their ports, cables by kind, and the cables of a bisection, and compares
    several networks side by side. Without a cycle, packets cannot deadlock (with an escape channel, the
    command checks Duato's condition). If there is a cycle, the command shows its links and the number of
    virtual channels that would avoid it. It also counts the parts of networks whose routing it cannot check.

    With --simulate, the command runs the same trials on several networks, with the same links and virtual
    channels and adaptive routing (or --routing): uniform traffic from 0.1 to 1 phit per node and cycle, the
    same with 1 % of the cables down, an all-to-all, and a training step. The page (-o) shows the figures
    side by side.
    """
    from netplace.netsim.presets import fabric_of
    from netplace.report.pages.answers.networks import page
    from netplace.report.pages.html import Page
    from netplace.topologies import parse

    check_choice(what, ["network"], "check")
    if fabric:
        preset = fabric_of(fabric)
        networks = networks or ((preset.network,) if preset.network else ())
        routing = str(preset.settings.get("routing", routing)) if routing == "default" else routing
    if not networks:
        raise ValueError("NETWORK: none given, expected a network, or --fabric with the name of a machine")
    alone = len(networks) == 1
    if simulate and alone:
        raise ValueError("--simulate: compares several networks, expected at least two")
    topologies = [parse(network) for network in networks]
    described, refusals = [], []
    for topology in topologies:
        counted = _counted(topology)
        try:
            with long_work(f"the routing of {topology}", _SECONDS * counted["switches"] ** 2):
                judged = _judged(topology, routing, vc_discipline)
        except ValueError as error:
            judged = {"refused": str(error)}
            refusals.append(error)
        described.append(counted | judged)
    if simulate and not refusals:
        from netplace.runs.network_trials import trial_seconds, try_networks

        with long_work("trials of networks", trial_seconds(topologies)):
            for counted, trials in zip(described, try_networks(topologies, routing), strict=True):
                counted["trials"] = asdict(trials)
    if alone:
        lines = _verdict(described[0])
        answer = CommandOutput(
            lambda: described[0],
            lambda: Page(f"Can {topologies[0]} deadlock, and what is it made of?", lines),
            lambda: click.echo("\n".join(lines)),
        )
    else:
        answer = CommandOutput(lambda: {"networks": described}, lambda: page(described))
    show(answer, None if refusals else output, as_json)
    if refusals:
        raise refusals[0]


def _counted(topology: Topology) -> dict[str, Any]:
    from netplace.topologies.inventory import inventory

    made = inventory(topology)
    counted = asdict(made)
    return {
        "network": str(topology),
        "origin": topology.origin,
        "nodes": counted.pop("nodes"),
        "diameter": topology.diameter,
        "mean_distance": topology.average_distance,
        **{key: value for key, value in counted.items() if key != "network"},
        "cables": {cables.kind: cables.count for cables in made.cables},
    }


def _judged(topology: Topology, routing: str, vc_discipline: str) -> dict[str, Any]:
    from netplace.netsim import Config
    from netplace.netsim.effects import settings_on
    from netplace.netsim.table_router import vcs_that_do, verdict_on

    config = settings_on(topology, Config(routing=routing, vc_discipline=vc_discipline))  # as a run has them
    _, routes, verdict = verdict_on(topology, config.routing, config.vc_discipline)
    return {
        "routing": routes.name,
        "computed": routes.computed,
        "vc_discipline": "escape" if routes.escape is not None else routes.discipline,
        "free_of_deadlock": verdict.free,
        "vcs": verdict.needed,
        "vcs_that_would_do": verdict.needed if verdict.free else vcs_that_do(topology, config.routing),
        "channels": verdict.channels,
        "dependencies": verdict.dependencies,
        "cycle": [list(channel) for channel in verdict.cycle],
        "refused": None,
    }


def _counts(of: dict[str, Any]) -> list[str]:
    own = f", of which {of['in_nodes']:,} are routers of nodes" if of["in_nodes"] else ""
    cut = of["bisection"]["cables"]
    origin = f" is {of['origin']}" if of["origin"] else ""
    return [
        f"{of['network']}{origin}: {of['nodes']:,} nodes, diameter {of['diameter']}, "
        f"mean distance {of['mean_distance']:.2f}",
        f"{of['switches']:,} switches{own}, {of['radix']} ports each: {of['ports_used']:,} used, "
        f"{of['ports_free']:,} free; {of['interfaces']:,} network interfaces",
        "cables: " + (", ".join(f"{count:,} {kind}" for kind, count in of["cables"].items()) or "none"),
        f"bisection: {'unknown' if cut is None else f'{cut:,}'} cables ({of['bisection']['how']})",
    ]


def _verdict(of: dict[str, Any]) -> list[str]:
    """Return whether the network can deadlock, if that is known, what of, and what it is made of."""
    if of["refused"]:
        return _counts(of)
    discipline = "escape on VC 0" if of["vc_discipline"] == "escape" else of["vc_discipline"]
    channels = "1 virtual channel" if of["vcs"] == 1 else f"{of['vcs']} virtual channels"
    means = [f"routing {of['routing']}, VC discipline {discipline}: needs {channels}"]
    free = f"deadlock-free with {channels}"
    if of["computed"]:
        rule = "going up before down" if of["routing"] != "dor" else "datelines"
        return [
            f"{free}, by {rule}: too large for a table, so each route is computed",
            *means,
            *_counts(of),
        ]
    means += [f"{of['channels']} channels, {of['dependencies']} dependencies", *_counts(of)]
    if of["free_of_deadlock"]:
        return [f"{free}: the dependencies between channels have no cycle", *means]
    cycle, enough = of["cycle"], of["vcs_that_would_do"]
    lines = [f"can deadlock: {len(cycle)} channels wait for each other in a cycle"]
    for router, port, end, level in cycle[:_SHOWN]:
        lines.append(f"  router {router} port {port} -> router {end}, level {level}")
    if len(cycle) > _SHOWN:
        lines.append(f"  .. and {len(cycle) - _SHOWN} more")
    lines.append(f"not deadlock-free; {enough} virtual channels suffice: --vc-discipline hop --vcs {enough}")
    return [*lines, *means]
