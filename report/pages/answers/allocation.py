"""What allocators choose for a job, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.report.pages.html import Page
from netplace.report.tables.allocations import Offer
from netplace.report.tables.data_table import DataTable, record_table


def page(title: str, offers: Sequence[Offer]) -> Page:
    placed = sorted((offer for offer in offers if offer.placed), key=hops)
    every = [*placed, *(offer for offer in offers if not offer.placed)]
    parts = [record_table("Allocators", Offer, every)]
    if len(placed) == 1:
        nodes = " ".join(map(str, placed[0].nodes))
        parts.append(DataTable("Nodes", ["in the allocator's order"], [[nodes]]))
    return Page(f"Which nodes do allocators choose? {title}", _verdict(placed, len(offers)), parts=parts)


def hops(offer: Offer) -> float:
    """Return the mean hops between two nodes; 0 where there are no two."""
    return offer.mean_hops or 0.0


def _verdict(placed: list[Offer], count: int) -> list[str]:
    if not placed:
        return [f"None of {count} allocators finds nodes for this job."]
    nearest, farthest = placed[0], placed[-1]
    near, far = (f"{hops(offer):.3g} hops apart" for offer in (nearest, farthest))
    sentences = [f"{nearest.partition} chooses nodes that are {near} on average."]
    if len(placed) > 1:
        sentences = [
            f"{nearest.partition} chooses the closest nodes, {near} on average; {farthest.partition} chooses "
            f"the farthest, {far}."
        ]
    if len(placed) < count:
        sentences.append(
            f"{count - len(placed)} of {count} allocators find no nodes; the table gives the reasons."
        )
    return sentences
