"""The cost of a byte between two nodes: criteria that a mapping minimizes.

A criterion is a function of a network and some of its nodes. To add one, write a function here and a line in
`CRITERIA`. A user's function can replace a name everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_choice
from netplace.placement.mapping.qap.locations import GRID, TABLE, TD, TREE, TWIST, Locations
from netplace.placement.rule import Nodes
from netplace.topologies import Graph, Grid, Topology, Tree, mesh, torus

Matrix = NDArray[Any]
Criterion = Callable[[Topology, Nodes], ArrayLike]

_BLOCK = 2**20  # pairs of nodes taken at a time: bounds the memory of their distances in each dimension


def hops(topology: Topology, nodes: Nodes) -> Matrix:
    """Return the distances in hops: the classic criterion."""
    return topology.distances(nodes)


def td(topology: Topology, nodes: Nodes) -> Matrix:
    """Return the costs of the traffic distribution criterion: ``dist + sum over a < b of |d_a - d_b|``.

    ``d_a`` is the distance along dimension a, around the ring if that is shorter. Pairs of nodes whose hops
    are spread evenly over the dimensions have more minimal routes and cost less.

    Source: J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Optimization-based mapping framework for
    parallel applications", J. Parallel Distrib. Comput. 71 (2011).
    """
    return topology.distances(nodes) + asymmetry(topology, nodes)


def asymmetry(topology: Topology, nodes: Nodes) -> Matrix:
    """Return the asymmetry levels among `nodes`: ``sum over a < b of |d_a - d_b|``.

    Published for meshes and tori; on grids of switches and HyperX the distances are those between switches.
    """
    if not has_dimensions(topology):
        raise ValueError(
            f"criterion td: is defined on meshes and tori, not on {topology}; use classic or oversubscription"
        )
    assert isinstance(topology, Grid | Graph)
    level = np.empty((len(nodes), len(nodes)), np.int32)
    rows = max(1, _BLOCK // max(1, len(nodes)))
    for first in range(0, len(nodes), rows):
        block = nodes[first : first + rows]
        along = topology.dimension_distances(block[:, None], nodes)
        level[first : first + rows] = sum(
            np.abs(along[..., a] - along[..., b]) for b in range(along.shape[-1]) for a in range(b)
        )
    return level


def has_dimensions(topology: Topology) -> bool:
    """Return whether distances have dimensions: on grids, and if switches form one."""
    if isinstance(topology, Graph):
        return topology.axis is not None
    return isinstance(topology, Grid)


def oversubscription(topology: Topology, nodes: Nodes) -> Matrix:
    """Return the hops of a tree, each weighted by the number of nodes that share a link of its level.

    A link between stages s - 1 and s of a tree with D ports down and U up serves ``(D / U)**s`` nodes, one
    between a node and its switch 1. In a k-ary n-tree this is the distance.
    """
    if not isinstance(topology, Tree):
        raise ValueError(
            f"criterion oversubscription: is defined on trees, not on {topology}; use classic or td"
        )
    up_to = np.concatenate(([0.0], np.cumsum(_steps(topology))))
    return np.asarray(up_to[topology.level(nodes[:, None], nodes)])


def _steps(tree: Tree) -> NDArray[np.float64]:
    """Return the costs of the links up and down between the nodes, or each stage, and the stage above."""
    return np.asarray(2 * (tree.down / tree.up) ** np.arange(tree.stages))


CRITERIA: dict[str, Criterion] = {"classic": hops, "oversubscription": oversubscription, "td": td}


def cost_matrix(
    topology: Topology, nodes: ArrayLike | None = None, criterion: str | Criterion = "classic"
) -> Matrix:
    """Return the matrix of costs between nodes, shape (nodes, nodes).

    Parameters
    ----------
    nodes : array_like of int, optional
        Nodes of the rows and columns, in this order; all nodes by default.
    criterion : str or callable
        A key of `CRITERIA`, or a function that takes the network and the nodes and returns the matrix.
    """
    chosen = np.arange(topology.nodes) if nodes is None else topology.check_nodes(nodes)
    if isinstance(criterion, str):
        return np.asarray(CRITERIA[check_choice(criterion, CRITERIA, "criterion")](topology, chosen))
    name = f"criterion {getattr(criterion, '__name__', 'given')}"
    costs = np.asarray(criterion(topology, chosen))
    if costs.shape != (len(chosen), len(chosen)):
        raise ValueError(
            f"{name}: gives shape {costs.shape}, expected {len(chosen)} rows and columns, one per node"
        )
    if costs.dtype.kind == "f" and not np.isfinite(costs).all():
        first, other = np.argwhere(~np.isfinite(costs))[0]
        raise ValueError(
            f"{name}: nodes {chosen[first]} and {chosen[other]} of the partition are not connected"
            f" (cost {costs[first, other]})"
        )
    return costs


def cost_locations(
    topology: Topology, nodes: ArrayLike | None = None, criterion: str | Criterion = "classic"
) -> Locations | None:
    """Return `Locations` with the costs of `cost_matrix`, computed pair by pair; None if impossible.

    This is possible for the named criteria on meshes and tori (with or without switches, twisted or not) and
    on trees, and for hops on networks with arbitrary wiring (from the table of distances between switches).
    """
    chosen = np.arange(topology.nodes) if nodes is None else topology.check_nodes(nodes)
    if not isinstance(criterion, str):
        return None
    check_choice(criterion, CRITERIA, "criterion")
    if criterion in ("classic", "td"):
        if isinstance(topology, Grid):
            return (
                _twisted(topology, chosen, criterion) if topology.twist else _on(topology, chosen, criterion)
            )
        if isinstance(topology, Graph) and (below := _switch_grid(topology)) is not None:
            return _on(below, topology.home[chosen] - topology.first_switch, criterion, topology.ends)
    if isinstance(topology, Tree) and criterion in ("classic", "oversubscription"):
        stages = np.arange(topology.stages)
        steps = _steps(topology) if criterion == "oversubscription" else np.full(len(stages), 2.0)
        return Locations.computed(TREE, chosen[:, None] // topology.down**stages, steps)
    if isinstance(topology, Graph) and criterion == "classic":
        home = (topology.home[chosen] - topology.first_switch).astype(np.int32)
        none = np.zeros((len(chosen), 1), np.float32)
        return Locations(TABLE, none, np.array([topology.ends], np.float32), topology.switch_hops, home)
    return None


def _on(topology: Grid, places: Nodes, criterion: str, ends: int = 0) -> Locations:
    """Return locations at places of a grid; between two of them are `ends` more links."""
    rings = [size if topology.wraps else np.inf for size in topology.sizes]
    kind = TD if criterion == "td" else GRID
    return Locations.computed(kind, topology.coordinates(places), rings, np.full((1, 1), ends, np.int16))


def _twisted(topology: Grid, nodes: Nodes, criterion: str) -> Locations | None:
    """Return locations on a 2-D twisted torus, priced by how they lie; None if not the same both ways."""
    if topology.dims > 2:
        return None
    first, every = np.zeros(1, np.int64), np.arange(topology.nodes)
    distance = topology.distance(first, every)
    costs = [distance]
    if criterion == "td":
        there, back = (
            np.ptp(topology.dimension_distances(*ends), axis=1) for ends in ((first, every), (every, first))
        )
        if (there != back).any():
            return None
        costs.insert(0, distance + there)
    table = np.concatenate(costs).reshape(-1, topology.sizes[0]).astype(np.int16)
    return Locations.computed(TWIST, topology.coordinates(nodes), [*topology.sizes, topology.twist], table)


def _switch_grid(topology: Graph) -> Grid | None:
    """Return the mesh or torus that the switches form with all its links, or None."""
    if topology.axis is None or topology.places is None:
        return None
    sizes = tuple((topology.places.max(axis=0) + 1).tolist())
    if math.prod(sizes) != topology.switches:
        return None
    rings = topology.closes is not None and bool(topology.closes.any())
    below = (torus if rings else mesh)(sizes)
    links = topology.neighbor[topology.first_switch :] - topology.first_switch
    alike = np.array_equal(_joined(below.neighbor), _joined(links))
    numbered = np.array_equal(below.coordinates(np.arange(below.nodes)), topology.places)
    return below if alike and numbered else None


def _joined(neighbor: NDArray[np.int32]) -> NDArray[np.int64]:
    router, port = np.nonzero(neighbor >= 0)
    return np.unique(router * len(neighbor) + neighbor[router, port])


def cost_between(
    topology: Topology, a: ArrayLike, b: ArrayLike, criterion: str | Criterion = "classic"
) -> NDArray[Any]:
    """Return the costs between nodes `a` and `b`, pair by pair, without a table where possible."""
    nodes, places = np.unique(np.stack((np.asarray(a), np.asarray(b))), return_inverse=True)
    first, other = places.reshape(2, -1)
    locations = cost_locations(topology, nodes, criterion) if len(nodes) else None
    if locations is None:
        return cost_matrix(topology, nodes, criterion)[first, other]
    return locations.between(first, other)
