"""Partitions of nodes that lie close together: around a center, or the best there is.

To add one, write a `Choose`, a function of a network, its free nodes and how many are needed, and a line in
`ALGORITHMS`.
"""

from __future__ import annotations

from collections.abc import Callable

from netplace.inputs import check_choice
from netplace.scheduling.partitioner.centres.algorithms import (
    consecutive,
    gen_alg,
    improved,
    line_of,
    mm,
    optimal,
)
from netplace.scheduling.partitioner.centres.mc import TIES, mc, mc_boxes
from netplace.scheduling.partitioner.centres.space import Centred, Choose, Selection, space_of
from netplace.topologies import Topology

__all__ = ["ALGORITHMS", "Centred", "Choose", "Selection", "by_distance", "mc_boxes", "mc_nodes"]

ALGORITHMS: dict[str, Choose] = {
    "gen-alg": gen_alg,
    "gen-alg+inc": improved(gen_alg),
    "line": consecutive,
    "mm": mm,
    "mm+inc": improved(mm),
    "optimal": optimal,
}

_METRIC = ("gen-alg", "gen-alg+inc", "optimal")  # those that need no coordinates, on any network


def by_distance(name: str) -> Callable[[Topology, str, int], Centred]:
    """Return the maker of the partitioner of an algorithm of `ALGORITHMS`."""

    def make(topology: Topology, option: str = "", seed: int = 0) -> Centred:
        space = space_of(topology, f"partitioner {name}", metric=name in _METRIC)
        return Centred(line_of(space) if name == "line" else space, ALGORITHMS[name])

    return make


def mc_nodes(topology: Topology, option: str = "", seed: int = 0) -> Centred:
    """Return the partitioner MC1x1; the option is a rule for the last shell, a key of `TIES`."""
    label = f"partitioner mc1x1:{option}" if option else "partitioner mc1x1"
    tie = check_choice(option or "distance", TIES, f"{label}, nodes of the last shell")
    space = space_of(topology, label)
    return Centred(space, mc((1,) * len(space.axes.sizes), tie))
