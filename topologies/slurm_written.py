"""Trees in the format of Slurm's ``topology.conf``, for its tree and block plug-ins."""

from __future__ import annotations

import numpy as np

from netplace.topologies.faults import with_faults
from netplace.topologies.graph import Graph
from netplace.topologies.slurm import blocks_above
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree


def _switched(topology: Topology) -> Graph:
    if isinstance(topology, Tree):
        return with_faults(topology, text=topology.text)  # none: the same wiring
    if not isinstance(topology, Graph):
        raise ValueError(f"{topology}: topology.conf describes only trees, but these nodes are switches")
    return topology


def slurm_text(topology: Topology) -> str:
    """Return a ``topology.conf`` of the tree plug-in; raise ValueError if the switches do not form a tree."""
    topology = _switched(topology)
    first = topology.first_switch
    if not first:
        raise ValueError(f"{topology}: topology.conf describes only trees, but these nodes are switches")
    links = topology.neighbor[first:]
    pairs = {
        (a, int(b) - first) for a, row in enumerate(links) for b in row[row >= first] if a < int(b) - first
    }
    if len(pairs) != topology.switches - 1:
        raise ValueError(
            f"{topology}: topology.conf describes only trees, but here {topology.switches} switches have "
            f"{len(pairs)} pairs of neighbors"
        )
    near: dict[int, list[int]] = {switch: [] for switch in range(topology.switches)}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    at = np.bincount(topology.home - first, minlength=topology.switches)
    with_nodes = topology.switch_hops[:, np.flatnonzero(at)]
    root = int(np.lexsort((with_nodes.sum(axis=1), with_nodes.max(axis=1)))[0])
    names = topology.names or tuple(f"s{switch}" for switch in range(topology.switches))
    lines, begin = [], np.cumsum(at) - at
    parent = {root: -1}
    order = [root]
    for switch in order:
        for child in sorted(near[switch]):
            if child not in parent:
                parent[child] = switch
                order.append(child)
    for switch in range(topology.switches):
        words = [f"SwitchName={names[switch]}"]
        if at[switch]:
            words.append(f"Nodes=n[{begin[switch]}-{begin[switch] + at[switch] - 1}]")
        children = [names[child] for child in sorted(near[switch]) if parent[child] == switch]
        if children:
            words.append("Switches=" + ",".join(children))
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def slurm_blocks_text(topology: Topology) -> str:
    """Return a ``topology.conf`` of the block plug-in for switches with nodes, combined level by level.

    Raise ValueError if the switches above the blocks do not match the block sizes of the plug-in.
    """
    topology = _switched(topology)
    first = topology.first_switch
    at = np.bincount(topology.home - first, minlength=topology.switches).tolist() if first else []
    blocks = [switch for switch, nodes in enumerate(at) if nodes]
    if not first or blocks != list(range(len(blocks))):
        raise ValueError(
            f"{topology}: blocks are switches with nodes, numbered before all others, but there are none"
        )
    near = topology.neighbor[first:] - first
    pairs = {(min(a, b), max(a, b)) for a, row in enumerate(near.tolist()) for b in row if b >= 0}
    names = list(topology.names or (f"b{switch}" for switch in range(topology.switches)))
    sizes, level = [max(at)], blocks
    while len(level) > 1:
        above = [max((b for a, b in pairs if a == member), default=-1) for member in level]
        ratio = above.count(above[0])
        if ratio < len(level):
            sizes.append(sizes[-1] * ratio)
        level = list(dict.fromkeys(above)) if ratio > 1 else []
    cables, _ = blocks_above(at[: len(blocks)], sizes, names[: len(blocks)])
    if set(cables) != pairs:
        raise ValueError(f"{topology}: its switches above the blocks do not match the block sizes")
    begin = np.cumsum(at) - at
    lines = [
        f"BlockName={names[block]} Nodes=n[{begin[block]}-{begin[block] + at[block] - 1}]" for block in blocks
    ]
    return "\n".join([*lines, "BlockSizes=" + ",".join(map(str, sizes))]) + "\n"
