"""Choices of allocators side by side, as ``netplace allocate --json`` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.plain import from_plain
from netplace.checks.quantities import LESS
from netplace.report.pages.html import DataTable, Page, Part
from netplace.report.pages.kinds.outcome import Entry, Figures, Outcome, figure_results
from netplace.report.pages.kinds.saved import details_of, saved_results
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.machines import allocation_figure
from netplace.report.tables.allocations import Offer
from netplace.scheduling import PARTITIONERS
from netplace.topologies import names_file, parse

_FIGURES = {
    "pairwise_sum": "pairwise sum (hops)",
    "mean_hops": "mean hops",
    "components": "parts",
    "cube_ratio": "cube ratio",
    "linear_span": "span",
    "ring_span": "ring span",
    "cpu_seconds": "CPU (ms)",
}


def page(path: Path) -> Page:
    results = saved_results(path, "allocation")
    offers = offers_in(results)
    placed = sorted((offer for offer in offers if offer.placed), key=_hops_of)
    names = [offer.partition for offer in placed]
    parts: list[Part] = []
    missing = []
    if placed:
        parts.append(_hops(placed, names))
        if names_file(results["machine"]):
            missing.append(
                f"the nodes on the machine, because the machine {results['machine']} is a user file"
            )
        else:
            with details_of(path, "nodes"):
                parts.append(_choices(results, placed))
    rows = [
        [
            offer.partition,
            *(_figure(offer, name) for name in _FIGURES),
            offer.reason,
        ]
        for offer in (*placed, *(offer for offer in offers if not offer.placed))
    ]
    parts.append(DataTable("Allocators", ["allocator", *_FIGURES.values(), "why none"], rows))
    asked = [(name, str(results[name])) for name in ("machine", "request", "free")]
    title = f"Allocations of {results['request']} nodes on {results['machine']}"
    return Page(title, _verdict(placed, offers), asked, parts, missing)


def _hops_of(offer: Offer) -> float:
    """Return the mean hops between two nodes; 0 where there are no two."""
    return offer.mean_hops or 0.0


def _figure(offer: Offer, name: str) -> Any:
    """Return a figure of an offer, times in milliseconds."""
    value = getattr(offer, name)
    return 1e3 * value if name == "cpu_seconds" and value is not None else value


def offers_in(results: dict[str, Any]) -> list[Offer]:
    """Return what each allocator offers; for a single allocator, its offer is next to the request."""
    return [from_plain(Offer, offer) for offer in results.get("offers", [results])]


def _verdict(placed: list[Offer], offers: list[Offer]) -> list[str]:
    if not placed:
        return [f"None of {len(offers)} allocators finds nodes for this job."]
    nearest, farthest = placed[0], placed[-1]
    said = [
        f"{nearest.partition} chooses the closest nodes, {_hops_of(nearest):.3g} hops apart on average; "
        f"{farthest.partition} chooses the farthest, {_hops_of(farthest):.3g} hops apart."
    ]
    if len(placed) < len(offers):
        said.append(
            f"{len(offers) - len(placed)} of {len(offers)} allocators find no nodes; the table gives the "
            f"reasons."
        )
    return said


def _hops(placed: list[Offer], names: list[str]) -> Figure:
    return bar_figure(
        "Distances between the nodes",
        names,
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


_COMPARED: Figures = {
    ("mean_hops",): ("mean hops between nodes", LESS),
    ("pairwise_sum",): ("pairwise sum of hops", LESS),
    ("components",): ("components", LESS),
    ("linear_span",): ("linear span", LESS),
    ("ring_span",): ("ring span", LESS),
}


def outcome(path: Path) -> Outcome:
    saved = saved_results(path, "allocation")
    same = {str(name): str(saved[name]) for name in ("machine", "request", "free", "seed") if name in saved}
    entries = [
        Entry(
            {**same, "partition": offer.partition},
            figure_results(path, {"": vars(offer)}, _COMPARED, "" if _settled(offer) else "seeds"),
        )
        for offer in offers_in(saved)
        if offer.placed
    ]
    return Outcome("allocation", str(path), entries)


def _settled(offer: Offer) -> bool:
    """Return whether chance has no part in a choice; no in doubt."""
    kind = PARTITIONERS.get(offer.partition.partition(":")[0])
    return kind is not None and not kind.by_chance
