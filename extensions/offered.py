"""All that installed packages offer in one group of entry points, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from netplace.extensions.offers import offers

__all__ = ["Offered"]

Kind = TypeVar("Kind")


class Offered(Mapping[str, Kind]):
    """What installed packages offer, each loaded when it is first asked for.

    Parameters
    ----------
    group : str
        Group of entry points, such as ``netplace.studies``.
    what : str
        What is offered there, for people: ``"study"``.
    kind : type
        What each has to be.
    """

    def __init__(self, group: str, what: str, kind: type[Kind]) -> None:
        self._group = group
        self._what = what
        self._kind = kind

    def __getitem__(self, name: str) -> Kind:
        """Return what is offered under a name.

        Raises
        ------
        ValueError
            If it cannot be loaded, or is not what the group is for.
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
