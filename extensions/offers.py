"""Rules that installed packages offer through entry points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from netplace.extensions.place import Place

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Offer", "offers"]


@dataclass(frozen=True)
class Offer:
    """A rule that a package offers.

    Attributes
    ----------
    name : str
        Name by which a user selects the rule.
    group : str
        Group of entry points, such as ``netplace.mappings``.
    place : Place
        Place of the code.
    origin : str
        Name and version of the package.
    """

    name: str
    group: str
    place: Place
    origin: str


@lru_cache(maxsize=32)
def offers(group: str) -> dict[str, Offer]:
    """Return the offers of the installed packages in a group, by name; of two with one name, the first."""
    from importlib.metadata import entry_points  # only asked for names that netplace does not know

    offered: dict[str, Offer] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, _origin(entry))):
        place = Place(entry.module, entry.attr or entry.name)
        offered.setdefault(entry.name, Offer(entry.name, group, place, _origin(entry)))
    return offered


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"
