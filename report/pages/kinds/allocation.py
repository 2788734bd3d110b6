"""The page of allocators side by side, as ``netplace allocate --json`` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks import shown
from netplace.report.pages.kinds.held import boxes_of
from netplace.report.pages.kinds.saved import has_keys, number_in, saved_object
from netplace.report.pages.page import Bars, DataTable, Figure, Gantt, Page

__all__ = ["offers_in", "page", "recognises"]

_FIGURES = ("pairwise_sum", "mean_hops", "components", "linear_span", "ring_span", "cpu_seconds")


def recognises(path: Path) -> bool:
    """Tell whether a file holds what allocators offer."""
    return any(has_keys(path, ("machine", "request", own)) for own in ("offers", "placed"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace allocate --json`` printed."""
    found = saved_object(path)
    offers = offers_in(path, found)
    placed = [offer for offer in offers if offer.get("placed")]
    placed.sort(key=lambda offer: number_in(path, offer, "mean_hops") or 0.0)
    names = [str(offer.get("partition")) for offer in placed]
    parts: list[DataTable | Figure] = []
    if placed:
        parts = [_hops(path, placed, names), _choices(path, placed, names)]
    rows = [
        [
            str(offer.get("partition")),
            *(number_in(path, offer, name) for name in _FIGURES),
            str(offer.get("reason", "")),
        ]
        for offer in offers
    ]
    parts.append(DataTable("Allocators", ["partition", *_FIGURES, "why none"], rows))
    asked = [(name, str(found.get(name))) for name in ("machine", "request", "free")]
    title = f"Allocations of {found['request']} nodes on {found['machine']}"
    return Page(title, _verdict(path, placed, offers), asked, parts)


def offers_in(path: Path, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each allocator offers; where one was asked, its offer stands beside the request.

    Raises
    ------
    ValueError
        If there are none.
    """
    offers = found.get("offers", [found])
    if not isinstance(offers, list) or not offers or not all(isinstance(offer, dict) for offer in offers):
        raise ValueError(f"{path}: offers: {shown(offers)} found, expected a list of offers")
    return offers


def _verdict(path: Path, placed: list[dict[str, Any]], offers: list[dict[str, Any]]) -> list[str]:
    if not placed:
        return [f"None of {len(offers)} allocators has nodes for this job now."]
    low, high = (number_in(path, offer, "mean_hops") for offer in (placed[0], placed[-1]))
    said = [
        f"{placed[0].get('partition')} gives the closest nodes, {low:.3g} hops apart on average; "
        f"{placed[-1].get('partition')} the farthest, {high:.3g}."
    ]
    if len(placed) < len(offers):
        said.append(f"{len(offers) - len(placed)} of {len(offers)} allocators have none; the table says why.")
    return said


def _hops(path: Path, placed: list[dict[str, Any]], names: list[str]) -> Bars:
    return Bars(
        title="How far apart the nodes lie",
        caption="Mean number of hops between two nodes of the job.",
        groups=names,
        series={"hops": [number_in(path, offer, "mean_hops") for offer in placed]},
        unit="hops",
    )


def _choices(path: Path, placed: list[dict[str, Any]], names: list[str]) -> Gantt:
    nodes = []
    for place, offer in enumerate(placed):
        chosen = offer.get("nodes")
        if not isinstance(chosen, list) or not all(
            isinstance(node, int) and 0 <= node < 1 << 40 for node in chosen
        ):
            raise ValueError(
                f"{path}: offers.{place}.nodes: {shown(chosen)} found, expected numbers of nodes"
            )
        nodes.append(chosen)
    rows = [float(row) for row in range(len(placed))]
    hops = [number_in(path, offer, "mean_hops") for offer in placed]
    return Gantt(
        title="Which nodes each allocator chooses",
        caption="A column for each allocator, the closest nodes first; node numbers go up.",
        boxes=boxes_of(rows, [row + 0.9 for row in rows], nodes, hops),
        labels=names,
        x="allocator",
        value="mean hops",
        nodes=max(max(chosen, default=0) for chosen in nodes) + 1,
    )
