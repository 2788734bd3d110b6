"""Which jobs share links with which, if every task sends the same to every other task of its job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.placement.expected_loads import link_loads
from netplace.topologies import Topology

_MOST = 32  # nodes of a job whose traffic is counted: the others are like them

Loads = NDArray[np.float64]


@dataclass(frozen=True)
class Shared:
    """The predicted effect of a job on another."""

    # The delayed job, and the one that delays it.
    job: str
    other: str
    links: int  # links on which both send
    share: float  # share of the traffic of `job` that crosses these links
    load: float  # mean load that the traffic of `job` meets there, in nodes that send all the time


def shared_links(topology: Topology, jobs: Mapping[str, Sequence[int]], of: str = "") -> list[Shared]:
    """Return the pairs of jobs that share links, those that meet most first.

    Each node of a job sends one unit, the same part of it to every other node, over all minimal routes alike.
    For a job with more than 32 nodes, evenly chosen ones stand for all. `of` names the only delayed job;
    empty means all.
    """
    loads = {name: _node_loads(topology, nodes) for name, nodes in jobs.items() if len(nodes) > 1}
    found = []
    for name, mine in loads.items():
        total = float(mine.sum())
        if total <= 0 or (of and name != of):
            continue
        for other, theirs in loads.items():
            both = (mine > 0) & (theirs > 0)
            if other != name and both.any():
                met = float((mine * theirs).sum()) / total
                found.append(Shared(name, other, int(both.sum()), float(mine[both].sum()) / total, met))
    return sorted(found, key=lambda one: (-one.load, one.job, one.other))


def _node_loads(topology: Topology, nodes: Sequence[int]) -> Loads:
    """Return the load of a job on every link, one unit for each of its nodes."""
    own = np.sort(np.asarray(nodes, np.int64))
    chosen = own[np.linspace(0, len(own) - 1, min(len(own), _MOST)).astype(np.int64)]
    count = len(chosen)
    traffic = np.full((count, count), 1 / (count - 1)) * (len(own) / count)
    return np.asarray(link_loads(topology, chosen, traffic))
