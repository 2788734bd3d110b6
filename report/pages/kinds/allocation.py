"""The page of allocators side by side, as ``netplace allocate --json`` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.report.pages.figures import Bars, DataTable, Figure, Gantt
from netplace.report.pages.html import Page
from netplace.report.pages.kinds.held import boxes_of, intervals
from netplace.report.pages.kinds.saved import holds, saved_results

__all__ = ["offers_in", "page", "recognises"]

_FIGURES = ("pairwise_sum", "mean_hops", "components", "linear_span", "ring_span", "cpu_seconds")


def recognises(path: Path) -> bool:
    """Tell whether a file holds what allocators offer."""
    return any(holds(path, "allocation", ("machine", "request", own)) for own in ("offers", "placed"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace allocate --json`` printed."""
    found = saved_results(path, "allocation")
    offers = offers_in(found)
    placed = [offer for offer in offers if offer["placed"]]
    placed.sort(key=_hops_of)
    names = [offer["partition"] for offer in placed]
    parts: list[DataTable | Figure] = []
    if placed:
        parts = [_hops(placed, names), _choices(placed, names)]
    rows = [
        [
            offer["partition"],
            *(offer.get(name) for name in _FIGURES),
            offer.get("reason", ""),
        ]
        for offer in offers
    ]
    parts.append(DataTable("Allocators", ["partition", *_FIGURES, "why none"], rows))
    asked = [(name, str(found[name])) for name in ("machine", "request", "free")]
    title = f"Allocations of {found['request']} nodes on {found['machine']}"
    return Page(title, _verdict(placed, offers), asked, parts)


def offers_in(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each allocator offers; where one was asked, its offer stands beside the request."""
    offers: list[dict[str, Any]] = found.get("offers", [found])
    return offers


def _hops_of(offer: dict[str, Any]) -> float:
    """Return the mean hops between two nodes of an offer; 0 where there are no two."""
    return float(offer.get("mean_hops") or 0)


def _verdict(placed: list[dict[str, Any]], offers: list[dict[str, Any]]) -> list[str]:
    if not placed:
        return [f"None of {len(offers)} allocators has nodes for this job now."]
    nearest, farthest = placed[0], placed[-1]
    said = [
        f"{nearest['partition']} gives the closest nodes, {_hops_of(nearest):.3g} hops apart on average; "
        f"{farthest['partition']} the farthest, {_hops_of(farthest):.3g}."
    ]
    if len(placed) < len(offers):
        said.append(f"{len(offers) - len(placed)} of {len(offers)} allocators have none; the table says why.")
    return said


def _hops(placed: list[dict[str, Any]], names: list[str]) -> Bars:
    return Bars(
        title="How far apart the nodes lie",
        caption="Mean number of hops between two nodes of the job.",
        groups=names,
        series={"hops": [offer.get("mean_hops") for offer in placed]},
        unit="hops",
    )


def _choices(placed: list[dict[str, Any]], names: list[str]) -> Gantt:
    nodes = [offer["nodes"] for offer in placed]
    rows = [float(row) for row in range(len(placed))]
    hops = [offer.get("mean_hops") for offer in placed]
    return Gantt(
        title="Which nodes each allocator chooses",
        caption="A column for each allocator, the closest nodes first; node numbers go up.",
        boxes=boxes_of(rows, [row + 0.9 for row in rows], list(map(intervals, nodes)), hops),
        labels=names,
        x="allocator",
        value="mean hops",
        nodes=max(max(chosen, default=0) for chosen in nodes) + 1,
    )
