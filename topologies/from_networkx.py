"""Networks from NetworkX graphs, and so from GraphML and edge lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.checks import whole
from netplace.topologies.graph import Cables, Graph, check_connected, graph

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["from_networkx"]


def from_networkx(given: nx.Graph[Any], text: str = "graph:networkx") -> Graph:
    """Return the network of a NetworkX graph; every vertex is a switch.

    Vertices may carry ``nodes`` (nodes at the switch, 1 by default) and ``group``; edges ``width`` (so many
    parallel links, 1), ``cycles`` (cycles a phit, 1) and ``delay`` (further cycles of a header, 0).
    If no vertex has more than one node, a vertex with a node is that node, as on a grid; otherwise each node
    has a link of its own to its switch, as on a tree. An undirected edge is a link either way. In a directed
    graph every link needs its like in the other direction. Where all directed edges have a ``port`` and an
    ``entry``, as those have that `Topology.to_networkx` made, links leave and enter there; vertices below the
    graph's ``first_switch`` are nodes then.

    Parameters
    ----------
    given : networkx graph
        Undirected or directed, with parallel edges or without.
    text : str
        Text form of the network.

    Raises
    ------
    ValueError
        If the graph is empty, not connected, has an edge from a vertex to itself, a directed edge
        without its like, or an attribute that is out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.petersen_graph()).diameter
    2
    """
    vertices = list(given.nodes)
    if not vertices:
        raise ValueError(f"{text}: no vertex in the graph")
    if given.is_directed() and all(
        "port" in data and "entry" in data for _, _, data in given.edges(data=True)
    ):
        return _wired(given, text)
    number = {vertex: place for place, vertex in enumerate(vertices)}
    pairs: list[tuple[int, int]] = []
    cycles: list[int] = []
    delay: list[int] = []
    for u, v, data in _cables(given, text):
        for _ in range(_value(data, "width", 1, 1, f"{text}: edge {u} - {v}")):
            pairs.append((number[u], number[v]))
            cycles.append(_value(data, "cycles", 1, 1, f"{text}: edge {u} - {v}"))
            delay.append(_value(data, "delay", 0, 0, f"{text}: edge {u} - {v}"))
    data_of = dict(given.nodes(data=True))
    nodes_at = [_value(data_of[v], "nodes", 1, 0, f"{text}: vertex {v}") for v in vertices]
    groups = [data_of[v].get("group") for v in vertices]
    group = None
    if all(name is not None for name in groups):
        group = np.unique(np.array([str(name) for name in groups]), return_inverse=True)[1].astype(np.int64)
    return graph(
        text,
        Cables(
            np.array(pairs, np.int64).reshape(-1, 2), np.array(cycles, np.int64), np.array(delay, np.int64)
        ),
        nodes_at,
        direct=max(nodes_at) <= 1,
        group=group,
        names=[str(vertex) for vertex in vertices],
    )


def _wired(given: nx.Graph[Any], text: str) -> Graph:
    """Return the network whose links are named with their ports."""
    vertices = list(given.nodes)
    number = {vertex: place for place, vertex in enumerate(vertices)}
    edges = [(number[u], number[v], data) for u, v, data in given.edges(data=True)]
    if not edges:
        return graph(text, Cables.of([]), [1] * len(vertices), direct=True)
    ports = 1 + max(max(int(data["port"]), int(data["entry"])) for _, _, data in edges)
    shape = (len(vertices), ports)
    tables = {key: np.full(shape, value, np.int32) for key, value in (("cycles", 1), ("delay", 0))}
    neighbor, entry = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    entered = np.zeros(shape, bool)
    for u, v, data in edges:
        where = f"{text}: edge {vertices[u]} - {vertices[v]}"
        port, at = _value(data, "port", 0, 0, where), _value(data, "entry", 0, 0, where)
        if u == v or neighbor[u, port] >= 0 or entered[v, at]:
            raise ValueError(f"{where}: port {port} or entry {at} is taken, or it leads to itself")
        neighbor[u, port], entry[u, port], entered[v, at] = v, at, True
        for key, values in tables.items():
            values[u, port] = _value(data, key, int(key == "cycles"), int(key == "cycles"), where)
    first = whole(given.graph.get("first_switch", 0), f"{text}: first_switch", 0)
    nodes = first or sum(_value(data, "nodes", 1, 0, text) for _, data in given.nodes(data=True))
    if not first and nodes < len(vertices):
        raise ValueError(f"{text}: ports are named, which needs a node at every vertex")
    home = neighbor[:first, 0].astype(np.int64) if first else np.arange(nodes)
    if (home < first).any():
        raise ValueError(f"{text}: a vertex below first_switch={first} does not lead to a switch by port 0")
    groups = [data.get("group") for _, data in given.nodes(data=True)][first:]
    group = None if None in groups else np.array([int(name) for name in groups], np.int64)
    made = Graph(
        text,
        nodes,
        len(vertices),
        neighbor,
        entry,
        first_switch=first,
        home=home,
        cycles=tables["cycles"],
        delay=tables["delay"],
        group=group,
    )
    check_connected(made)
    return made


def _cables(given: nx.Graph[Any], text: str) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Return the edges, of a directed graph one for each pair of links there and back."""
    edges = list(given.edges(data=True))
    for u, v, _ in edges:
        if u == v:
            raise ValueError(f"{text}: an edge leads from vertex {u} to itself")
    if not given.is_directed():
        return edges
    there: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for u, v, data in edges:
        there.setdefault((u, v), []).append(data)
    cables = []
    place = {pair: n for n, pair in enumerate(there)}
    for (u, v), links in there.items():
        back = there.get((v, u), [])
        if len(back) != len(links):
            raise ValueError(
                f"{text}: asymmetric, {len(links)} links lead from {u} to {v} and {len(back)} back, "
                "expected as many"
            )
        for one, other in zip(links, back, strict=True):
            for key in ("width", "cycles", "delay"):
                if one.get(key) != other.get(key):
                    raise ValueError(
                        f"{text}: asymmetric, {key} is {one.get(key)} from {u} to {v} "
                        f"and {other.get(key)} back"
                    )
        if place[u, v] < place[v, u]:
            cables += [(u, v, data) for data in links]
    return cables


def _value(data: dict[str, Any], key: str, usually: int, least: int, where: str) -> int:
    return whole(data.get(key, usually), f"{where}: {key}", least)
