"""Metrics of the partitions of several jobs, on average."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping import cost_matrix
from netplace.placement.metrics import PUBLISHED, metrics
from netplace.topologies import Topology, parse

__all__ = ["METRICS", "mean_metrics"]

METRICS = PUBLISHED
_OF_NODES = METRICS[:5]  # those that need no traffic
_Floats = NDArray[np.float64]


def mean_metrics(
    topology: Topology, parts: Sequence[NDArray[np.int64]], W: NDArray[np.float64]
) -> dict[str, float]:
    """Return the mean over jobs of each of the `METRICS`, tasks being on the nodes of a part in their order.

    The values are those of `netplace.placement.metrics`. What depends on nodes alone is kept for the next
    application; TAD and its kin are linear in the costs, and so are taken once, of the mean costs.

    `topology`: a mesh or torus. `parts`, shape (n,): nodes of each job. `W`, shape (n, n): traffic of the
    application that all jobs run, in bytes.
    """
    of_nodes, hops, level = _of_nodes(topology.text, tuple(tuple(part.tolist()) for part in parts))
    source, target = np.nonzero(W * (1 - np.eye(len(W))))
    pairs = len(W) * (len(W) - 1)
    mean_of = dict(zip(_OF_NODES, of_nodes, strict=True))
    for ending, cost in (("", hops), ("_AL", level)):
        mean_of[f"TAD{ending}"] = float(cost[source, target].sum() / pairs)
        mean_of[f"WTAD{ending}"] = float(cost[source, target] @ W[source, target] / pairs)
    return mean_of


@lru_cache(maxsize=128)
def _of_nodes(network: str, parts: tuple[tuple[int, ...], ...]) -> tuple[list[float], _Floats, _Floats]:
    """Return mean metrics of nodes, mean distances, and mean costs of the TD criterion."""
    topology = parse(network)
    own = [metrics(topology, part) for part in parts]
    means = [float(np.mean([getattr(values, name) for values in own])) for name in _OF_NODES]
    hops, level = (
        np.mean([cost_matrix(topology, part, criterion) for part in parts], axis=0)
        for criterion in ("classic", "td")
    )
    return means, hops, level
