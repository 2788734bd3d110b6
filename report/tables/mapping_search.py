"""What a mapping makes of the traffic of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from netplace.placement.mapping import cost_between
from netplace.placement.mapping.cost import has_dimensions
from netplace.placement.metrics import link_loads
from netplace.placement.rule import Nodes
from netplace.topologies import Topology

__all__ = ["Traits", "traits"]


@dataclass(frozen=True)
class Traits:
    """What a mapping makes of traffic.

    Attributes
    ----------
    cost : float
        Bytes times the costs of a criterion.
    pair_hops, byte_hops : float
        Mean distance in hops of pairs of tasks with traffic, and of a byte.
    pair_hops_al, byte_hops_al : float or None
        The same with the asymmetry level, which takes dimensions.
    TAD, WTAD : float
        Sums of the distances of these pairs, and of bytes times distances, over the number of all pairs of
        tasks; see `netplace.placement.metrics.Metrics`.
    TAD_AL, WTAD_AL : float or None
        The same with the asymmetry level.
    most_link_load : float
        Bytes on the most loaded link, if every minimal route is equally likely.
    """

    cost: float
    pair_hops: float
    byte_hops: float
    pair_hops_al: float | None
    byte_hops_al: float | None
    TAD: float
    WTAD: float
    TAD_AL: float | None
    WTAD_AL: float | None
    most_link_load: float


def traits(
    topology: Topology, nodes: Nodes, W: Any, criterion: str = "classic"
) -> tuple[Traits, NDArray[np.float64]]:
    """Return the traits of a mapping, and the bytes expected on each link, shape (routers, ports).

    Parameters
    ----------
    topology : Topology
        The network.
    nodes : ndarray of int, shape (tasks,)
        Node of each task.
    W : ndarray or sparse array, shape (tasks, tasks)
        Traffic in bytes, its diagonal zero.
    criterion : str
        Key of `netplace.placement.mapping.CRITERIA`: of what the cost is.

    Raises
    ------
    ValueError
        If the network does not define the criterion.
    """
    flows = sparse.coo_array(W)
    flows.eliminate_zeros()
    sent, total = flows.data, max(flows.data.sum(), 1)
    pairs = max(1, len(nodes) * (len(nodes) - 1))
    wanted = {criterion, "classic", *(["td"] if has_dimensions(topology) else [])}
    one, other = (nodes[end] for end in flows.coords)
    costs = {name: cost_between(topology, one, other, name) for name in wanted}
    talking = {name: float(C.sum()) for name, C in costs.items()}
    bytes_ = {name: float(C @ sent) for name, C in costs.items()}
    load = np.zeros(topology.neighbor.shape)
    load[topology.neighbor >= 0] = link_loads(topology, nodes, W)
    found = Traits(
        cost=float(costs[criterion].astype(sent.dtype) @ sent),
        pair_hops=talking["classic"] / max(1, len(sent)),
        byte_hops=bytes_["classic"] / total,
        pair_hops_al=talking["td"] / max(1, len(sent)) if "td" in costs else None,
        byte_hops_al=bytes_["td"] / total if "td" in costs else None,
        TAD=talking["classic"] / pairs,
        WTAD=bytes_["classic"] / pairs,
        TAD_AL=talking["td"] / pairs if "td" in costs else None,
        WTAD_AL=bytes_["td"] / pairs if "td" in costs else None,
        most_link_load=float(load.max(initial=0.0)),
    )
    return found, load
