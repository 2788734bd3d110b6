"""Networks whose distance is a sum over dimensions: what algorithms that look at distances need to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.topologies import Grid, Topology, Tree

__all__ = ["GROUPS", "LINE", "RING", "Axes", "Space", "space_of"]

LINE, RING, GROUPS = 0, 1, 2


class Axes(NamedTuple):
    """The dimensions of a network, as compiled code takes them.

    Attributes
    ----------
    places : ndarray of int64, shape (dims, nodes)
        Place of each node in each dimension.
    kinds : ndarray of int64, shape (dims,)
        `LINE`: the distance of places a and b is ``|a - b|``; `RING`: the shorter way round; `GROUPS`: 2 hops
        between different places.
    sizes : ndarray of int64, shape (dims,)
        Number of places.
    """

    places: NDArray[np.int64]
    kinds: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Space:
    """A network with its dimensions.

    Attributes
    ----------
    topology : Topology
        The network.
    axes : Axes
        Its dimensions: those of a grid; of a tree the levels, a place being a subtree.
    """

    topology: Topology
    axes: Axes


def space_of(topology: Topology, what: str, *, trees: bool = False) -> Space:
    """Return the dimensions of a mesh or torus, or, if `trees`, of a tree.

    Raises
    ------
    ValueError
        If the network is of another kind; `what` names the rule that needs one.
    """
    nodes = np.arange(topology.nodes)
    if isinstance(topology, Grid) and not topology.twist:
        kind = RING if topology.wraps else LINE
        places = np.ascontiguousarray(topology.coordinates(nodes).T)
        return Space(topology, Axes(places, np.full(topology.dims, kind), np.array(topology.sizes)))
    if isinstance(topology, Tree) and trees:
        widths = topology.down ** np.arange(topology.stages)
        places = np.ascontiguousarray(nodes // widths[:, None])
        return Space(topology, Axes(places, np.full(len(widths), GROUPS), topology.nodes // widths))
    known = "meshes, tori and trees" if trees else "meshes and tori"
    raise ValueError(f"{what}: is defined on {known}, not on {topology}")
