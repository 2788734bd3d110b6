"""Choices of allocators side by side, as ``netplace allocate --json`` prints them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from netplace.checks.plain import from_plain
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import Entry, Outcome, compared, figure_results
from netplace.report.pages.kinds.saved import details_of, saved_results
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.machines import allocation_figure
from netplace.report.tables.allocations import Offer
from netplace.report.tables.data_table import DataTable, record_table
from netplace.scheduling import PARTITIONERS
from netplace.topologies import names_file, parse


def page(path: Path) -> Page:
    results = saved_results(path, "allocation")
    placed, said = _by_distance(results), summary(results)
    if not placed:
        return said
    parts: list[Part] = [_hops(placed), *said.parts]
    if names_file(results["machine"]):
        missing = [f"the nodes on the machine, because the machine {results['machine']} is a user file"]
        return replace(said, parts=parts, missing=missing)
    with details_of(path, "nodes"):
        parts.insert(1, _choices(results, placed))
    return replace(said, parts=parts)


def summary(results: dict[str, Any]) -> Page:
    """Return the page without its figures."""
    placed, offers = _by_distance(results), offers_in(results)
    every = [*placed, *(offer for offer in offers if not offer.placed)]
    parts = [record_table("Allocators", Offer, every)]
    if len(placed) == 1:
        nodes = " ".join(map(str, placed[0].nodes))
        parts.append(DataTable("Nodes", ["in the allocator's order"], [[nodes]]))
    asked = [(name, str(results[name])) for name in ("machine", "request", "free")]
    title = f"Allocations of {results['request']} of {results['free']} free nodes of {results['machine']}"
    return Page(title, _verdict(placed, offers), asked, parts)


def _by_distance(results: dict[str, Any]) -> list[Offer]:
    return sorted((offer for offer in offers_in(results) if offer.placed), key=_hops_of)


def _hops_of(offer: Offer) -> float:
    """Return the mean hops between two nodes; 0 where there are no two."""
    return offer.mean_hops or 0.0


def offers_in(results: dict[str, Any]) -> list[Offer]:
    """Return what each allocator offers; for a single allocator, its offer is next to the request."""
    return [from_plain(Offer, offer) for offer in results.get("offers", [results])]


def _verdict(placed: list[Offer], offers: list[Offer]) -> list[str]:
    if not placed:
        return [f"None of {len(offers)} allocators finds nodes for this job."]
    nearest, farthest = placed[0], placed[-1]
    near, far = (f"{_hops_of(offer):.3g} hops apart" for offer in (nearest, farthest))
    said = [f"{nearest.partition} chooses nodes that are {near} on average."]
    if len(placed) > 1:
        said = [
            f"{nearest.partition} chooses the closest nodes, {near} on average; {farthest.partition} chooses "
            f"the farthest, {far}."
        ]
    if len(placed) < len(offers):
        said.append(
            f"{len(offers) - len(placed)} of {len(offers)} allocators find no nodes; the table gives the "
            f"reasons."
        )
    return said


def _hops(placed: list[Offer]) -> Figure:
    return bar_figure(
        "Distances between the nodes",
        [offer.partition for offer in placed],
        {"hops": [offer.mean_hops for offer in placed]},
        unit="hops",
        caption="Mean number of hops between two nodes of the job.",
    )


def _choices(results: dict[str, Any], placed: list[Offer]) -> Figure:
    machine, held = parse(results["machine"]), results.get("occupied", [])
    if max(max(nodes, default=0) for nodes in [*(offer.nodes for offer in placed), held]) >= machine.nodes:
        raise ValueError("a node is not on the machine")
    chosen = [(f"{offer.partition}: {_hops_of(offer):.3g} hops apart", offer.nodes) for offer in placed]
    return allocation_figure(machine, held, chosen, "Allocations on the machine", one=True)


def outcome(path: Path) -> Outcome:
    saved = saved_results(path, "allocation")
    same = {str(name): str(saved[name]) for name in ("machine", "request", "free", "seed") if name in saved}
    entries = [
        Entry(
            {**same, "partition": offer.partition},
            figure_results(path, {"": vars(offer)}, compared(Offer), "" if _settled(offer) else "seeds"),
        )
        for offer in offers_in(saved)
        if offer.placed
    ]
    return Outcome("allocation", str(path), entries)


def _settled(offer: Offer) -> bool:
    """Return whether chance has no part in a choice; no in doubt."""
    kind = PARTITIONERS.get(offer.partition.partition(":")[0])
    return kind is not None and not kind.by_chance
