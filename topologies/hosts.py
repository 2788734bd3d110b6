"""Names of the nodes of a network, from a file that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from netplace.topologies.topology import Topology

__all__ = ["with_hosts"]

Kind = TypeVar("Kind", bound=Topology)


def with_hosts(of: Kind, names: Iterable[str]) -> Kind:
    """Give a new network the names of its nodes, in their order, and return it."""
    object.__setattr__(of, "_hosts", tuple(names))
    return of
