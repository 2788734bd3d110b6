"""Slurm's ``topology.conf``, tree and block plug-ins, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from netplace.checks.calls import checked
from netplace.topologies.faults import with_faults
from netplace.topologies.graph import Cables, Graph, graph
from netplace.topologies.graph_file import read_lines
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree

__all__ = ["expand", "slurm", "slurm_blocks_text", "slurm_text"]


@checked
def slurm(path: str) -> Graph:
    """Return the network of a ``topology.conf``.

    Tree plug-in: ``SwitchName=s0 Nodes=n[0-3]`` is a switch with nodes, ``SwitchName=s4 Switches=s[0-3]``
    one above others; every cable has a width of 1. Block plug-in: every ``BlockName=b0 Nodes=n[0-17]`` is a
    switch; with ``BlockSizes=18,36`` as many blocks as make up each further size have a switch above them,
    and all of these one more.

    Parameters
    ----------
    path : str
        The file. Lines of other keys are passed over.

    Raises
    ------
    ValueError
        If the file cannot be read, is of neither kind, or names a switch or a node twice or a switch that
        is not there.
    """
    text = f"slurm:{path}"
    switches: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    sizes: list[int] = []
    holder: dict[str, str] = {}
    blocks = False
    for line, words in read_lines(path, text):
        values = {key.lower(): value for key, _, value in (word.partition("=") for word in words)}
        where = f"{text} line {line}"
        if "blocksizes" in values:
            sizes = [int(size) for size in values["blocksizes"].split(",") if size.isdigit()]
        name = values.get("switchname") or values.get("blockname")
        if not name:
            continue
        blocks |= "blockname" in values
        if name in switches:
            raise ValueError(f"{where}: switch {name} is there already")
        switches[name] = list(expand(values.get("nodes", ""), where))
        above[name] = list(expand(values.get("switches", ""), where))
        for node in switches[name]:
            if node in holder:
                raise ValueError(f"{where}: node {node} is at {holder[node]} already")
            holder[node] = name
    if not switches:
        raise ValueError(f"{text}: neither SwitchName= nor BlockName= in the file")
    number = {name: place for place, name in enumerate(switches)}
    cables = []
    for name, children in above.items():
        for child in children:
            if child not in number:
                raise ValueError(f"{text}: switch {name} is above {child}, which is not in the file")
            cables.append((number[child], number[name]))
    nodes_at = [len(nodes) for nodes in switches.values()]
    names = list(switches)
    if blocks:
        cables, names = _blocks(nodes_at, sizes, names)
        nodes_at += [0] * (len(names) - len(nodes_at))
    return graph(text, Cables.of(cables), np.array(nodes_at), names=names)


def _blocks(
    nodes_at: list[int], sizes: list[int], names: list[str]
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the cables and the names of all switches, those above the blocks included."""
    names = list(names)
    cables = []
    level = list(range(len(nodes_at)))
    base = sizes[0] if sizes else max(nodes_at)
    ratios = [size // before for before, size in zip([base, *sizes[1:]], sizes[1:], strict=False)]
    for ratio in [*ratios, len(level)]:
        if ratio < 2 or len(level) < 2:
            continue
        grouped = [level[i : i + ratio] for i in range(0, len(level), ratio)]
        level = []
        for members in grouped:
            names.append(f"above-{names[members[0]]}")
            level.append(len(names) - 1)
            cables += [(member, level[-1]) for member in members]
    return cables, names


def _switched(topology: Topology) -> Graph:
    """Return a network as one of switches and nodes.

    Raises
    ------
    ValueError
        If its nodes are switches.
    """
    if isinstance(topology, Tree):
        return with_faults(topology, text=topology.text)  # none: the same wiring
    if not isinstance(topology, Graph):
        raise ValueError(f"{topology}: topology.conf knows trees alone, and here nodes are switches")
    return topology


@checked
def slurm_text(topology: Topology) -> str:
    """Return a ``topology.conf`` of the tree plug-in for a tree of switches.

    Raises
    ------
    ValueError
        If the switches are no tree: if some are joined in a circle.
    """
    topology = _switched(topology)
    first = topology.first_switch
    if not first:
        raise ValueError(f"{topology}: topology.conf knows trees alone, and here nodes are switches")
    links = topology.neighbor[first:]
    pairs = {
        (a, int(b) - first) for a, row in enumerate(links) for b in row[row >= first] if a < int(b) - first
    }
    if len(pairs) != topology.switches - 1:
        raise ValueError(
            f"{topology}: topology.conf knows trees alone, and here {topology.switches} switches have "
            f"{len(pairs)} pairs of neighbours"
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


@checked
def slurm_blocks_text(topology: Topology) -> str:
    """Return a ``topology.conf`` of the block plug-in for switches with nodes, joined level by level.

    Raises
    ------
    ValueError
        If the switches above the blocks are not those that the plug-in's sizes make.
    """
    topology = _switched(topology)
    first = topology.first_switch
    at = np.bincount(topology.home - first, minlength=topology.switches).tolist() if first else []
    blocks = [switch for switch, nodes in enumerate(at) if nodes]
    if not first or blocks != list(range(len(blocks))):
        raise ValueError(
            f"{topology}: blocks are switches with nodes that come before all others, found none"
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
    cables, _ = _blocks(at[: len(blocks)], sizes, names[: len(blocks)])
    if set(cables) != pairs:
        raise ValueError(f"{topology}: its switches above the blocks are not those that sizes of blocks make")
    begin = np.cumsum(at) - at
    lines = [
        f"BlockName={names[block]} Nodes=n[{begin[block]}-{begin[block] + at[block] - 1}]" for block in blocks
    ]
    return "\n".join([*lines, "BlockSizes=" + ",".join(map(str, sizes))]) + "\n"


def expand(hosts: str, where: str = "hosts") -> Iterator[str]:
    """Yield the names of a list of hosts such as ``n[0-3,7],login1``, leading zeros kept.

    Raises
    ------
    ValueError
        If a range is none.
    """
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)*", hosts):
        prefix, bracket, rest = part.partition("[")
        if not bracket:
            yield part
            continue
        inside, _, suffix = rest.partition("]")
        for piece in inside.split(","):
            low, dash, high = piece.partition("-")
            if not low.isdigit() or (dash and (not high.isdigit() or int(high) < int(low))):
                raise ValueError(f"{where}: {piece!r} in {part!r} is no range of hosts, expected such as 0-3")
            for value in range(int(low), int(high or low) + 1):
                yield from expand(f"{prefix}{value:0{len(low)}d}{suffix}", where)
