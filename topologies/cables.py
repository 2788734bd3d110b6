"""Networks made of cables between switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import abbreviate, check_int
from netplace.records import array_of, freeze_arrays, integers_as
from netplace.topologies.graph import Graph, check_connected
from netplace.topologies.graph_arrays import check_of_cables, ranks
from netplace.topologies.limits import check_size

Int = NDArray[np.int64]


@dataclass(frozen=True)
class Cables:
    """Cables between switches, each of which is one link in each direction.

    Attributes
    ----------
    ends : ndarray of int64, shape (cables, 2)
        Switches at both ends, numbered from 0. Several cables can connect the same two switches.
    cycles, delay : ndarray of int64, shape (cables,), optional
        Cycles per phit (1 by default), and additional cycles of a header (0 by default).
    axis : ndarray of int64, shape (cables,), optional
        Dimension of each cable.
    closes : ndarray of bool, shape (cables,), optional
        Whether the cable closes a ring.
    """

    ends: Int
    cycles: Int | None = None
    delay: Int | None = None
    axis: Int | None = None
    closes: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        for name, dims in (("ends", 2), ("cycles", 1), ("delay", 1), ("axis", 1)):
            if (values := getattr(self, name)) is not None:
                made = integers_as(np.int64, values, f"cables: {name}", dims)
                object.__setattr__(self, name, made)
        freeze_arrays(self)

    @staticmethod
    def of(pairs: Sequence[tuple[int, int]]) -> Cables:
        """Return plain cables between pairs of switches."""
        label = "cables: pairs"
        ends = [(check_int(a, label, 0), check_int(b, label, 0)) for a, b in pairs]
        return Cables(np.array(ends, np.int64).reshape(-1, 2))


def graph(
    text: str, cables: Cables, nodes_at: ArrayLike, *, direct: bool = False, group: Int | None = None,
    places: Int | None = None, names: Sequence[str] = (), default_routing: str = "up-down",
) -> Graph:  # fmt: skip
    """Return the network of these cables.

    Parameters
    ----------
    nodes_at : array_like of int, shape (switches,)
        Number of nodes at each switch, which can be 0. Nodes are numbered in the order of the switches.
    direct : bool
        Whether a switch with one node is that node. Switches are then renumbered, those with a node first.
    group, places, names, default_routing
        As in `Graph`, in the order in which the switches are given.

    Raises
    ------
    ValueError
        If a cable leads from a switch to itself or to a missing switch, a link takes less than one cycle,
        there is no node, not all nodes are connected (the message names one), or the network is too large for
        memory.
    """
    at = integers_as(np.int64, array_of(nodes_at, f"{text}: nodes_at"), f"{text}: nodes_at")
    ends = cables.ends
    _check(text, cables, at)
    nodes, switches = sum(at.tolist()), len(at)
    for label, known in (("group", group), ("places", places), ("names", names if len(names) else None)):
        count = None if known is None else np.shape(known)[:1]
        if count not in (None, (switches,)):
            raise ValueError(
                f"{text}: {label} of {abbreviate(known)}, expected one for each of {switches} switches"
            )
    order = np.arange(switches)
    if direct:
        order = np.argsort(at == 0, kind="stable")
        ends = np.argsort(order)[ends]
        at = at[order]
    first = 0 if direct else nodes
    degree = np.bincount(ends.ravel(), minlength=switches)
    ports = int((degree if direct else degree + at).max())
    check_size(text, first + switches, max(1, ports))
    home = first + np.repeat(np.arange(switches), at)
    shape = (first + switches, max(1, ports))
    neighbor, entry = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    port = ranks(ends.ravel()).reshape(-1, 2)
    here, there = ends.T + first
    neighbor[here, port[:, 0]], entry[here, port[:, 0]] = there, port[:, 1]
    neighbor[there, port[:, 1]], entry[there, port[:, 1]] = here, port[:, 0]
    if not direct:
        node = np.arange(nodes)
        rank = node - (np.cumsum(at) - at)[home - first]
        down = degree[home - first] + rank
        neighbor[node, 0], entry[node, 0] = home, down
        neighbor[home, down], entry[home, down] = node, 0

    def of_link(values: Int | NDArray[np.bool_] | None, usually: int, kind: type) -> NDArray[Any]:
        table: NDArray[Any] = np.full(shape, usually, kind)
        if values is not None:
            table[here, port[:, 0]] = table[there, port[:, 1]] = values
        table.setflags(write=False)
        return table

    made = Graph(
        text, nodes, first + switches, neighbor, entry,
        first_switch=first,
        home=home,
        cycles=of_link(cables.cycles, 1, np.int32),
        delay=of_link(cables.delay, 0, np.int32),
        group=None if group is None else np.asarray(group)[order],
        places=None if places is None else np.asarray(places)[order],
        names=tuple(np.asarray(names, dtype=object)[order].tolist()) if len(names) else (),
        closes=None if cables.closes is None else of_link(cables.closes, 0, np.bool_),
        axis=None if cables.axis is None else of_link(cables.axis, -1, np.int64),
        default_routing=default_routing,
    )  # fmt: skip
    check_connected(made)
    return made


def with_node_links(made: Graph, cycles: ArrayLike, delay: ArrayLike) -> Graph:
    """Return a network with these times, one or one a node, on the links between nodes and their switches."""
    node, port = np.arange(made.nodes), made.entry[: made.nodes, 0]
    tables = made.cycles.copy(), made.delay.copy()
    for table, values in zip(tables, (cycles, delay), strict=True):
        table[node, 0] = table[made.home, port] = values
    return replace(made, cycles=tables[0], delay=tables[1])


def _check(text: str, cables: Cables, at: Int) -> None:
    if (at < 0).any():
        raise ValueError(f"{text}: {at.min()} nodes at a switch, expected 0 or more")
    if not at.any():
        raise ValueError(f"{text}: no node at any switch, expected at least one")
    ends = cables.ends
    wrong = (ends < 0) | (ends >= len(at))
    if wrong.any():
        raise ValueError(f"{text}: a cable leads to switch {ends[wrong][0]}, expected 0 to {len(at) - 1}")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if loops.size:
        raise ValueError(f"{text}: a cable leads from switch {ends[loops[0], 0]} to itself")
    for name, values in (("cycles", cables.cycles), ("delay", cables.delay)):
        if values is not None:
            check_of_cables(text, name, values)
