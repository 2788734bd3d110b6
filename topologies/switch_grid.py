"""Switches and their nodes: the mesh or torus that switches form, and the nodes that share one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid
from netplace.topologies.grid_kinds import mesh, torus
from netplace.topologies.routing.switches import Switches
from netplace.topologies.topology import Topology


def switch_grid(network: Topology) -> tuple[Grid, NDArray[np.int64]] | None:
    """Return the grid that a network's switches form, and the switch of each node; None if there is no grid.

    A mesh or torus is its own grid; the grid of ``torus:8x8,c=4`` is the 8x8 torus. There is no grid if a
    link is down.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> grid, at = switch_grid(parse("torus:3x2,c=2"))
    >>> grid.text, at.tolist()
    ('torus:3x2', [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    """
    if isinstance(network, Grid):
        return network, np.arange(network.nodes)
    if not isinstance(network, Graph) or network.places is None or network.closes is None:
        return None
    count = network.switches - network.compute_nodes
    if network.planes > 1:
        return None
    places = network.places[:count]
    sizes = places.max(axis=0) + 1
    number = places @ np.cumprod([1, *sizes[:-1]])
    if not np.array_equal(np.sort(number), np.arange(sizes.prod())):
        return None
    links = network.links().astype(np.int64)[:, [0, 2]] - network.first_switch
    links = links[(links >= 0).all(axis=1) & (links < count).all(axis=1)]
    wired = np.unique(number[links], axis=0)
    grid = (torus if network.closes.any() else mesh)(sizes.tolist())
    if not np.array_equal(wired, np.unique(grid.links()[:, [0, 2]], axis=0)):
        return None
    return grid, number[Switches.of(network).gate]


def switch_groups(topology: Topology, nodes: ArrayLike) -> tuple[int, ...]:
    """Return the switch (or the compute node with several tasks) to which each of `nodes` belongs.

    The result is empty if nodes are routers themselves, as on meshes and tori.
    """
    chosen = topology.check_nodes(nodes)
    if topology.routers == topology.nodes:
        return ()
    # Of several links the first one: a node has one to each switch of its rail or plane.
    first = np.argmax(topology.neighbor[chosen] >= 0, axis=1)
    return tuple(topology.neighbor[chosen, first].tolist())
