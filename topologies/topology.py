"""What every network is: routers, ports, the links between them, and distances between nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Topology"]


@dataclass(frozen=True, eq=False)
class Topology(ABC):
    """A network: ``nodes`` computers and ``routers`` joined by directed links between ports.

    Node ``i`` is router ``i``; routers from ``nodes`` on are switches without a computer. On a mesh or
    torus every router is a node. On a tree a node is a router of one port, whose link to its
    first switch is a link like any other.

    Attributes
    ----------
    text : str
        Canonical text form, such as ``"torus:8x8"``; `topologies.parse` reads it back.
    nodes, routers : int
        How many computers, and how many routers in all.
    neighbor : ndarray of int32, shape (routers, ports)
        Router at the other end of the link that leaves through each port; -1 where nothing is wired.
    entry : ndarray of int32, shape (routers, ports)
        Number of the input port by which that link enters the neighbour. On meshes and tori an input is
        named by the direction in which its packets travel, so ``entry[r, p] == p``.
    """

    text: str
    nodes: int
    routers: int
    neighbor: NDArray[np.int32]
    entry: NDArray[np.int32]

    def __str__(self) -> str:
        return self.text

    @property
    def ports(self) -> int:
        """Largest number of ports of a router."""
        return int(self.neighbor.shape[1])

    @abstractmethod
    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops of a minimal route between nodes `a` and `b`, broadcast against each other."""

    @property
    @abstractmethod
    def diameter(self) -> int:
        """Largest distance between two nodes, in hops."""

    @property
    @abstractmethod
    def average_distance(self) -> float:
        """Mean distance over all ordered pairs of different nodes, in hops."""

    @property
    @abstractmethod
    def bisection_width(self) -> int:
        """Directed links that cross the best balanced cut, counted in one direction."""

    def links(self) -> NDArray[np.int32]:
        """Return the directed links as rows (router, port, neighbour, entry port); a link's row number is its identifier."""
        raise NotImplementedError

    def to_networkx(self) -> nx.MultiDiGraph[Any]:
        """Return the directed multigraph of routers; edges carry ``port``, ``entry`` and ``link``."""
        raise NotImplementedError
