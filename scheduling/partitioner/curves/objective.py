"""The locality of orders of the nodes, and a search for better orders.

Source: V. J. Leung et al., "Processor allocation on Cplant: achieving general processor locality using
one-dimensional allocation strategies", CLUSTER 2002, section 2.2. The halving weights are ours; the paper
suggests weights that fall exponentially.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap import solve_qap
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

Floats = NDArray[np.float64]
_MOST = 1024  # nodes: the search holds a matrix of distances, and takes minutes beyond
_PROVEN = 9  # nodes of an order with a proof; seconds
_NEAR = 24  # ranks apart beyond which halving weights are left out of a search: less than one in ten million


def halving_weights(ranks: int) -> Floats:
    """Return the weights ``w[k] = 2**-(k - 1)`` of ranks k apart, with ``w[0] = 0``; shape (ranks,)."""
    weights = 0.5 ** (np.arange(ranks, dtype=float) - 1)
    weights[:1] = 0
    return weights


def curve_objective(
    topology: Topology, order: Nodes, weights: Floats | None = None, *, ring: bool = False
) -> float:
    """Return J, the sum over pairs of ranks i < j of ``w[j - i]`` times the distance of their nodes."""
    ranks = len(order)
    weights = halving_weights(ranks) if weights is None else weights
    total = 0.0
    for apart in range(1, ranks):
        weight = weights[min(apart, ranks - apart) if ring else apart]
        if weight > 0:
            total += float(weight) * int(topology.distance(order[:-apart], order[apart:]).sum())
    return total


def searched_order(topology: Topology, *, iterations: int = 30_000, seed: int = 0) -> Nodes:
    """Return an order of small J with halving weights, found by the portfolio of QAP searches."""
    from scipy import sparse

    if topology.nodes > _MOST:
        raise ValueError(f"order searched: {topology} has {topology.nodes} nodes, expected at most {_MOST}")
    if topology.nodes == 1:
        return np.zeros(1, np.int64)
    near = range(1, min(_NEAR, topology.nodes - 1) + 1)
    weights = halving_weights(_NEAR + 1)
    bands = [np.full(topology.nodes - apart, weights[apart]) for apart in near]
    flow = sparse.diags_array(bands, offsets=list(near), shape=(topology.nodes,) * 2)
    solution = solve_qap(sparse.coo_array(flow), topology.distances(), iterations=iterations, seed=seed)
    return solution.mapping


def best_order(topology: Topology, weights: Floats | None = None) -> Nodes:
    """Return the order of least J by branch and bound, for machines of at most nine nodes.

    A part of an order is given up if J cannot fall below the least known: each node behind the part adds at
    least the cost of its cheapest place relative to the part, and pairs behind it those of the nearest nodes.
    """
    nodes = topology.nodes
    if nodes > _PROVEN:
        raise ValueError(f"order best: {topology} has {nodes} nodes, expected at most {_PROVEN}")
    distance = topology.distances().astype(float)
    weights = halving_weights(nodes) if weights is None else weights
    # behind[r]: what pairs of r ranks add at least, with the hops of the nearest pairs of nodes.
    hops = np.sort(distance[np.triu_indices(nodes, 1)])
    behind = [0.0]
    for r in range(1, nodes + 1):
        each = np.sort(np.repeat(weights[1:r], np.arange(r - 1, 0, -1)))[::-1]
        behind.append(float(each @ hops[: len(each)]))
    best = searched_order(topology, iterations=1000)
    least = curve_objective(topology, best, weights)

    def extend(order: list[int], cost: float) -> None:
        nonlocal best, least
        place = len(order)
        if place == nodes:
            best, least = np.array(order), cost
            return
        rest = [node for node in range(nodes) if node not in order]
        # price[i, r]: J of node i of the rest, relative to the part, r ranks behind it.
        apart = weights[np.arange(nodes - place)[:, None] + np.arange(place, 0, -1)]
        price = distance[np.ix_(rest, order)] @ apart.T
        if cost + max(price.min(axis=1).sum(), price.min(axis=0).sum()) + behind[len(rest)] >= least - 1e-9:
            return
        for i in np.argsort(price[:, 0]).tolist():
            extend([*order, rest[i]], cost + float(price[i, 0]))

    extend([], 0.0)
    return best
