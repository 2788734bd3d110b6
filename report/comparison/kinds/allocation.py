"""Choices of allocators, as ``netplace allocate --json`` prints them: exact, but where they draw."""

from __future__ import annotations

from pathlib import Path

from netplace.checks.quantities import LESS
from netplace.report.comparison.kinds.figures import Figures, figure_results
from netplace.report.comparison.outcome import Entry, Outcome
from netplace.report.pages.kinds.allocation import SavedOffer, offers_in
from netplace.report.pages.kinds.saved import saved_results
from netplace.scheduling import PARTITIONERS

_FIGURES: Figures = {
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
            figure_results(path, {"": vars(offer)}, _FIGURES, "" if _settled(offer) else "seeds"),
        )
        for offer in offers_in(saved)
        if offer.placed
    ]
    return Outcome("allocation", str(path), entries)


def _settled(offer: SavedOffer) -> bool:
    """Return whether chance has no part in a choice; no in doubt."""
    kind = PARTITIONERS.get(offer.partition.partition(":")[0])
    return kind is not None and not kind.by_chance
