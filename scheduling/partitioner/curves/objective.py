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
