"""The cost of single nodes: equal, by place, or by the distance to the nodes of input and output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice
from netplace.topologies import Grid, Topology

Costs = NDArray[np.int64]


def node_costs(topology: Topology, text: str) -> Costs:
    """Return the cost of each node by a key of `PREFERENCES` and nodes, such as ``io:0+63`` or ``io:0-7``."""
    name, _, option = text.partition(":")
    what = "partitioner pss:levels, cost of a node"
    make = PREFERENCES[check_choice(name, PREFERENCES, what)]
    if (name == "io") != bool(option):
        raise ValueError(f"{what}: {text!r}, expected uniform, centre or a form such as io:0+63 or io:0-7")
    return make(topology, _nodes(topology, option, text) if option else np.empty(0, np.int64))


def preference_name(word: str) -> str:
    return word.partition(":")[0]


def _nodes(topology: Topology, option: str, text: str) -> Costs:
    nodes: list[int] = []
    for part in option.split("+"):
        low, dash, high = part.partition("-")
        ends = (low, high if dash else low)
        if not all(end.isdecimal() and len(end) < 10 for end in ends) or int(ends[0]) > int(ends[1]):
            raise ValueError(
                f"partitioner pss:levels,{text}: {part!r} is invalid, expected a node or a range such as 0-7"
            )
        if int(ends[1]) >= topology.nodes:
            raise ValueError(
                f"partitioner pss:levels,{text}: node {ends[1]} does not exist, expected "
                f"0..{topology.nodes - 1}"
            )
        nodes += range(int(ends[0]), int(ends[1]) + 1)
    return np.unique(np.array(nodes, np.int64))


def _uniform(topology: Topology, nodes: Costs) -> Costs:
    return np.ones(topology.nodes, np.int64)


def _from_the_centre(topology: Topology, nodes: Costs) -> Costs:
    """Return 1 and twice the distance of each node of a mesh from the center, dimension by dimension."""
    if not isinstance(topology, Grid) or topology.wraps:
        raise ValueError(f"partitioner pss:levels,centre: is defined on meshes, not on {topology}")
    places = topology.coordinates(np.arange(topology.nodes))
    return np.asarray(1 + np.abs(2 * places - (np.array(topology.sizes) - 1)).sum(axis=1))


def _hops_to(topology: Topology, nodes: Costs) -> Costs:
    """Return 1 and the hops from each node to the nearest of `nodes`, where input and output go."""
    least = np.full(topology.nodes, np.iinfo(np.int64).max)
    for node in nodes:
        least = np.minimum(least, topology.distance(np.arange(topology.nodes), node))
    return np.asarray(1 + least)


PREFERENCES: dict[str, Callable[[Topology, Costs], Costs]] = {
    "uniform": _uniform,
    "centre": _from_the_centre,
    "io": _hops_to,
}
