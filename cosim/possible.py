"""Links that packets of a job can use, and the expected packets on them.

Jobs without a common possible link do not disturb each other.

Every rule of routing keeps to minimal routes, so a packet between two nodes of a grid stays in a box that
they span, and moves towards its destination; if both directions around a ring are minimal, both count. In a
tree it goes up to the level of the nodes' common ancestor by any switch of its subtrees, and down by any of
the other's. A *link* is here what jobs may share: a directed link of a grid; in a tree all links between a
stage and the next in a subtree, one way. With routing in tables, it is a directed link between switches to
which the table can lead. On a twisted torus, and if packets can go through a random switch, any pair can use
any link.

The expected packets of a pair are spread evenly over the links that it can use at each step: over the width
of its box, over all links of a stage in a subtree, or over the ports of a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.possible_grid import in_grid
from netplace.cosim.possible_tables import in_tables
from netplace.netsim import Config
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.topologies import Grid, Topology, Tree

Amounts = NDArray[np.float64]


def possible_links(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    config: Config | None = None,
) -> NDArray[np.bool_]:
    """Return the links that packets from `sources` to `targets`, pair by pair, can use, shape (links,).

    Their order depends only on the machine and its routing.
    """
    return expected_packets(machine, sources, targets, np.ones(len(sources)), config) > 0


def expected_packets(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
    config: Config | None = None,
) -> Amounts:
    """Return the expected number of the `packets` of each pair on each possible link, shape (links,).

    Parallel links (`link_widths`) count as one; the number is over 0 exactly on possible links.
    """
    settings = config or Config()
    if uses_table_router(machine, settings):
        switches, routes, _ = verdict_on(machine, settings.routing, settings.vc_discipline)
        if routes.detours:
            return _anywhere(machine, sources, targets, packets)
        return in_tables(switches, routes, sources, targets, packets)
    if isinstance(machine, Tree):
        return _in_tree(machine, sources, targets, packets)
    if isinstance(machine, Grid) and not machine.twist:
        return in_grid(machine, sources, targets, packets)
    return _anywhere(machine, sources, targets, packets)


def link_widths(machine: Topology, config: Config | None = None) -> NDArray[np.float64]:
    """Return the number of links of each entry of `expected_packets`, of shape (links,) or (1,)."""
    settings = config or Config()
    if uses_table_router(machine, settings):
        switches, routes, _ = verdict_on(machine, settings.routing, settings.vc_discipline)
        return np.ones(1) if not routes.detours else np.array([float((switches.neighbor >= 0).sum())])
    if isinstance(machine, Tree):
        counts = [
            np.full(machine.nodes // machine.down ** (stage + 1), float(machine.up ** (stage + 1)))
            for stage in range(machine.stages - 1)
        ]
        return np.concatenate([np.ones(0), *counts, *counts])
    if isinstance(machine, Grid) and not machine.twist:
        return np.ones(1)
    return np.array([float((machine.neighbor >= 0).sum())])


def _anywhere(
    machine: Topology,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
) -> Amounts:
    """Spread packets over all links alike."""
    return np.array([float((packets * np.maximum(1, machine.distance(sources, targets))).sum())])


def _in_tree(
    tree: Tree, sources: NDArray[np.int64], targets: NDArray[np.int64], packets: NDArray[np.float64]
) -> Amounts:
    """Count packets by bundles (way, stage, subtree) between each node and the common ancestor."""
    level = np.asarray(tree.level(sources, targets))
    amounts = []
    for ends in (sources, targets):
        for stage in range(tree.stages - 1):
            crossed = level > stage + 1
            below = tree.down ** (stage + 1)
            amounts.append(np.bincount(ends[crossed] // below, packets[crossed], tree.nodes // below))
    return np.concatenate([np.zeros(0), *amounts])
