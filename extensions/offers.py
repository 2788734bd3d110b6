"""Rules that installed packages offer through entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from netplace.extensions.place import Place

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Offer:
    """A rule that a package offers.

    Attributes
    ----------
    name : str
        Name by which a user selects the rule.
    group : str
        Group of entry points, such as ``netplace.mappings``.
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
        place = Place(entry.module, entry.attr or entry.name, installed=True)
        offered.setdefault(entry.name, Offer(entry.name, group, place, _origin(entry)))
    return offered


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"


Kind = TypeVar("Kind")


class Offered(Mapping[str, Kind]):
    """The offers of installed packages in a `group`, each loaded on first use; `what` names their kind."""

    def __init__(self, group: str, what: str, kind: type[Kind]) -> None:
        self._group = group
        self._what = what
        self._kind = kind

    def __getitem__(self, name: str) -> Kind:
        """Return the offer with a name, which must load and be of the right type."""
        offer = offers(self._group)[name]
        loaded = offer.place.load(self._what)
        if not isinstance(loaded, self._kind):
            raise ValueError(
                f"{self._what} {name!r} of {offer.origin}: is a {type(loaded).__name__}, "
                f"expected a {self._kind.__name__}"
            )
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in offers(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(offers(self._group))

    def __len__(self) -> int:
        return len(offers(self._group))
