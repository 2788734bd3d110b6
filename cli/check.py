"""``netplace check network``: whether a routing is free of deadlock, and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks import one_of
from netplace.cli.examples import examples_of
from netplace.cli.outputs import Answer, page_flag, show
from netplace.cli.settings import json_flag
from netplace.cli.verdict import AnnouncingCommand

if TYPE_CHECKING:
    from netplace.topologies import Topology
    from netplace.topologies.routing import Routes, Verdict

__all__ = ["check_command"]

_SHOWN = 24
_MOST_ROUTERS = 1500  # of a network whose bisection is looked for


@click.command("check", cls=AnnouncingCommand, epilog=examples_of("check"))
@click.argument("what", metavar="network")
@click.argument("network", metavar="NETWORK")
@click.option("--routing", default="usual", show_default=True, help="Routing in tables, see netplace run.")
@click.option("--vc-discipline", default="usual", show_default=True, help="How VCs go up along a route.")
@page_flag
@json_flag
def check_command(
    what: str, network: str, routing: str, vc_discipline: str, output: Path | None, as_json: bool
) -> None:
    """Search the channel dependency graph of a routing for cycles.

    Without a cycle packets cannot wait for each other for ever (with an escape channel, Duato's condition is
    checked). A cycle is shown link by link, and how many virtual channels would do without one.
    """
    from netplace.netsim.general import vcs_that_do, verdict_on
    from netplace.topologies import parse

    one_of(what, ["network"], "check")
    topology = parse(network)
    _, routes, verdict = verdict_on(topology, routing, vc_discipline)
    enough = verdict.needed
    if not verdict.free:
        enough = vcs_that_do(topology, routing)
    answer = Answer(
        lambda: _described(topology, routes, verdict, enough),
        lambda: click.echo("\n".join(_sentences(topology, routes, verdict, enough))),
    )
    show(answer, output, as_json)


def _described(topology: Topology, routes: Routes, verdict: Verdict, enough: int) -> dict[str, Any]:
    return {
        "network": str(topology),
        "nodes": topology.nodes,
        "routers": topology.routers,
        "diameter": topology.diameter,
        "routing": routes.name,
        "vc_discipline": "escape" if routes.escape is not None else routes.discipline,
        "free_of_deadlock": verdict.free,
        "vcs": verdict.needed,
        "vcs_that_would_do": enough,
        "channels": verdict.channels,
        "dependencies": verdict.dependencies,
        "cycle": [list(channel) for channel in verdict.cycle],
    }


def _bisection(topology: Topology) -> list[str]:
    """Return what is known of the bisection: its width, or two bounds; nothing where that would take long."""
    from netplace.topologies import Graph

    if not isinstance(topology, Graph):
        return [f"bisection of {topology.bisection_width} links each way"]
    if topology.routers > _MOST_ROUTERS:
        return []
    least, most = topology.least_bisection, topology.bisection_width
    return [f"bisection of at least {least}, at most {most} links each way"]


def _sentences(topology: Topology, routes: Routes, verdict: Verdict, enough: int) -> list[str]:
    discipline = "escape on VC 0" if routes.escape is not None else routes.discipline
    lines = [
        f"{topology}: {topology.nodes} nodes, {topology.routers} routers, diameter {topology.diameter}, "
        f"mean distance {topology.average_distance:.2f}",
        *_bisection(topology),
        f"routing {routes.name}, VC discipline {discipline}: needs {verdict.needed} virtual channels",
        f"{verdict.channels} channels, {verdict.dependencies} dependencies",
    ]
    if verdict.free:
        return [*lines, "free of deadlock: no cycle among them"]
    lines.append(f"can deadlock: {len(verdict.cycle)} channels wait for each other in a circle")
    for router, port, end, level in verdict.cycle[:_SHOWN]:
        lines.append(f"  router {router} port {port} -> router {end}, level {level}")
    if len(verdict.cycle) > _SHOWN:
        lines.append(f"  .. and {len(verdict.cycle) - _SHOWN} more")
    return [*lines, f"{enough} virtual channels would do: --vc-discipline hop --vcs {enough}"]
