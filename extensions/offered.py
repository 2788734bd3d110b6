"""Objects that installed packages offer in one group of entry points, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from netplace.extensions.offers import offers

__all__ = ["Offered"]

Kind = TypeVar("Kind")


class Offered(Mapping[str, Kind]):
    """The offers of installed packages, each loaded on first use.

    Parameters
    ----------
    group : str
        Group of entry points, such as ``netplace.studies``.
    what : str
        Kind of the offers in messages, such as ``"study"``.
    kind : type
        Required type of each.
    """

    def __init__(self, group: str, what: str, kind: type[Kind]) -> None:
        self._group = group
        self._what = what
        self._kind = kind

    def __getitem__(self, name: str) -> Kind:
        """Return the offer with a name.

        Raises
        ------
        ValueError
            If it cannot be loaded, or has the wrong type.
        """
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
