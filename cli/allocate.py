"""``netplace allocate``: what allocators would give a job on a machine as it stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, SEED, flag
from netplace.cli.outputs import OUTCOME, CommandOutput, show
from netplace.cli.settings import json_flag
from netplace.report.terminal.progress import with_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.report.plots.figure import Figure
    from netplace.report.tables.allocations import Offer
    from netplace.topologies import Topology


@command("allocate")
@flag("--machine", "Network of the machine, such as mesh:16x16.", required=True, metavar="NETWORK")
@flag(
    "--occupied",
    "File of occupied nodes: a line for each job, such as 0-3,8 or tux[0-3],tux8.",
    metavar="FILE",
)
@flag("--nodes", "Nodes of the job.", COUNT, required=True)
@flag("--all every", "Run every allocator, and every interval rule along every curve.", bool)
@flag("--partition partitions", "Allocator; repeatable.", multiple=True)
@flag("--order", "Measure spans along this order. [default: the allocator's own, or hilbert]", default="")
@flag("--seed", "Random seed of allocators.", SEED, 0)
@flag(
    "-o output",
    "Write a page (.html), a picture of the allocations (.png, .pdf, .svg), or the output of --json (.json).",
    OUTCOME,
)
@json_flag
def allocate_command(**given: Any) -> None:
    """Show the nodes that allocators choose for a job, and their distances.

    Figures are exact: the sum and the mean of distances over all pairs, connected parts, the bounding
    box, the smallest enclosing cube relative to the smallest cube that can hold the job, and spans along
    a curve.
    """
    import numpy as np

    from netplace.report.files.held import read_held
    from netplace.report.pages.answers.allocation import page
    from netplace.report.tables.allocations import offer_of, usual_partitioners
    from netplace.scheduling import make_partitioner
    from netplace.scheduling.partitioner.curves import order_of
    from netplace.topologies import parse
    from netplace.topologies.compute_nodes import network_of_hosts

    topology = network_of_hosts(parse(given["machine"]))
    partitions = list(given["partitions"])
    if bool(partitions) == given["every"]:
        raise ValueError("--all or --partition: expected one of them")
    if given["nodes"] > (maximum := len(topology.computing)):
        computing = " that compute" if maximum < topology.nodes else ""
        raise ValueError(f"--nodes: {given['nodes']} are more than the {maximum} of {topology}{computing}")
    if given["order"]:
        order_of(topology, given["order"])
    for text in partitions:
        make_partitioner(text, topology, given["seed"])
    holder = np.full(topology.nodes, -1)
    if given["occupied"]:
        holder = read_held(Path(given["occupied"]), topology.nodes, topology.hosts)
    held = np.flatnonzero(holder >= 0)
    partitions = partitions or usual_partitioners(topology)
    offers = with_progress(
        (
            (place, offer_of(topology, held, given["nodes"], text, given["order"], given["seed"]))
            for place, text in enumerate(partitions)
        ),
        len(partitions),
        "allocators",
    )
    if len(offers) == 1 and not offers[0].nodes and "waits" not in offers[0].reason:
        raise ValueError(offers[0].reason)
    free = len(np.setdiff1d(topology.computing, held))
    title = f"{given['nodes']} of {free} free nodes of {topology}"
    single = len(offers) == 1 and not given["every"]
    content: dict[str, Any] = {"machine": str(topology), "request": given["nodes"], "free": free}
    content["occupied"] = np.unique(held).tolist()
    content |= offers[0].to_dict() if single else {"offers": [offer.to_dict() for offer in offers]}
    placed = sorted((offer for offer in offers if offer.placed), key=lambda offer: offer.pairwise_sum or 0)
    answer = CommandOutput(
        lambda: content,
        lambda: page(title, offers),
        figure=(lambda: _figure(topology, held, placed, title)) if placed else None,
    )
    show(answer, given["output"], given["as_json"])


def _folded(names: Sequence[str]) -> str:
    kinds: dict[str, list[str]] = {}
    for name in names:
        kind, _, option = name.partition(",")
        kinds.setdefault(kind, []).append(option)
    return ", ".join(
        kind
        + (
            f" ({len(options)} choices)"
            if len(options) > 2
            else f",{'/'.join(options)}"
            if options[0]
            else ""
        )
        for kind, options in kinds.items()
    )


def _figure(topology: Topology, held: Any, placed: Sequence[Offer], title: str) -> Figure:
    from netplace.report.plots.machines import allocation_figure

    alike: dict[frozenset[int], list[Offer]] = {}
    for offer in placed:
        alike.setdefault(frozenset(offer.nodes), []).append(offer)
    wanted = min(map(len, alike), default=0)
    chosen = [
        (
            f"{offers[0].mean_hops:.2f} hops"
            + (f", {len(nodes)} nodes" if len(nodes) > wanted else "")
            + f": {_folded([offer.partition for offer in offers])}",
            nodes,
        )
        for nodes, offers in alike.items()
    ]
    caption = (
        f"{title} (red; gray: occupied): mean distance of a pair, and the allocators with this allocation"
    )
    return allocation_figure(topology, held, chosen, caption)
