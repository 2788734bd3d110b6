"""Networks from NetworkX graphs, GraphML and edge lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.compute_nodes import marked
from netplace.topologies.graph import Graph, check_connected
from netplace.topologies.limits import MOST_WIDTH, check_cables, check_size
from netplace.topologies.rates import SPEEDS, TIMES, Rates, paces_of, read_quantity

if TYPE_CHECKING:
    import networkx as nx


# Attributes of links with named ports: the least value, the default, and the type.
_OF_LINK: dict[str, tuple[int, int, type]] = {
    "axis": (-1, -1, np.int64), "closes": (0, 0, np.bool_), "cycles": (1, 1, np.int32),
    "delay": (0, 0, np.int32),
}  # fmt: skip


_SPEEDS, _TIMES = ("bandwidth", "capacity", "speed"), ("latency", "delay")
_KNOWN = {*_SPEEDS, *_TIMES, "width", "cycles", "port", "entry", "id", "key", "label", "name"}
_ASSUMED = 1.25e9  # bytes per second of links of which only latencies are given: 4 bytes in the default cycle


def from_networkx(given: nx.Graph[Any], text: str = "graph:networkx", phit: int = 4) -> Graph:
    """Return the network of a directed or undirected NetworkX graph; every vertex is a switch.

    Vertices can have the attributes ``nodes`` (number of nodes of the switch, 1 by default), ``group`` and
    ``place`` (coordinates, separated by spaces). Edges can have ``width`` (number of parallel links, 1 by
    default), ``cycles`` (cycles per phit, 1) and ``delay`` (additional cycles of a header, 0), or
    ``bandwidth`` and ``latency`` with units, such as ``100Gbps`` and ``1us``. If no vertex
    has more than one node, a vertex with a node is that node, as on a grid; otherwise each node has its own
    link to its switch, as on a tree. An undirected edge is one link in each direction. In a directed graph,
    every link needs a counterpart in the other direction. If all directed edges have a ``port`` and an
    ``entry``, as `Topology.to_networkx` writes them, links use these ports. Vertices below the
    ``first_switch`` of the graph are then nodes, and all attributes of `Graph.to_networkx` are used. A mesh,
    a torus or a tree becomes a graph with the same wiring.

    Raises
    ------
    ValueError
        If the graph is empty, not connected, or has an edge from a vertex to itself, a directed edge without
        a counterpart, or an attribute out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.petersen_graph()).diameter
    2
    """
    if not hasattr(given, "is_directed"):
        raise ValueError(f"{text}: {abbreviate(given)} is not a graph of NetworkX")
    vertices = list(given.nodes)
    if not vertices:
        raise ValueError(f"{text}: the graph has no vertices")
    made_here = given.number_of_edges() or "first_switch" in given.graph
    ported = all("port" in data and "entry" in data for _, _, data in given.edges(data=True))
    if given.is_directed() and made_here and ported:
        return _wired(given, text)
    number = {vertex: place for place, vertex in enumerate(vertices)}
    pairs: list[tuple[int, int]] = []
    edges = _cables(given, text)
    every, latencies, rates = _timed(edges, text, phit)
    cycles: list[int] = []
    delay: list[int] = []
    for (u, v, data), its, latency in zip(edges, every, latencies, strict=True):
        where = f"{text}: edge {u} - {v}"
        width = check_int(data.get("width", 1), f"{where}: width", 1, MOST_WIDTH)
        check_cables(where, len(pairs) + width)
        pairs += [(number[u], number[v])] * width
        cycles += [its] * width
        delay += [latency] * width
    data_of = dict(given.nodes(data=True))
    nodes_at = [_value(data_of[v], "nodes", 1, 0, f"{text}: vertex {v}") for v in vertices]
    groups = [data_of[v].get("group") for v in vertices]
    group = None
    if all(name is not None for name in groups):
        group = np.unique(np.array([str(name) for name in groups]), return_inverse=True)[1].astype(np.int64)
    made = graph(
        text,
        Cables(
            np.array(pairs, np.int64).reshape(-1, 2), np.array(cycles, np.int64), np.array(delay, np.int64)
        ),
        nodes_at,
        direct=max(nodes_at) <= 1,
        group=group,
        places=_places([data_of[v] for v in vertices], text),
        names=[str(vertex) for vertex in vertices],
    )
    return replace(made, rates=rates)


def _timed(
    edges: Sequence[tuple[Any, Any, dict[str, Any]]], text: str, phit: int
) -> tuple[list[int], list[int], Rates | None]:
    """Return cycles per phit and delay of each edge, and the rates if it has a bandwidth or a latency."""
    names = {str(name).lower() for _, _, data in edges for name in data}
    speeds = [_first(data, _SPEEDS) for _, _, data in edges]
    times = [_first(data, _TIMES) for _, _, data in edges]
    of_edge = [f"{text}: edge {u} - {v}" for u, v, _ in edges]
    in_units = any(not str(time).strip().isdigit() for time in times if time is not None)
    if not any(speeds) and not in_units:
        rows = list(zip(of_edge, edges, strict=True))
        return (
            [_value(data, "cycles", 1, 1, where) for where, (_, _, data) in rows],
            [_value(data, "delay", 0, 0, where) for where, (_, _, data) in rows],
            None,
        )
    if "cycles" in names:
        raise ValueError(
            f"{text}: edges have cycles, and bandwidth or latency with units, expected one of them"
        )
    read = [
        None if speed is None else read_quantity(str(speed), SPEEDS, where, "100Gbps")
        for speed, where in zip(speeds, of_edge, strict=True)
    ]
    known = [speed for speed in read if speed is not None]
    notes = [f"{name} of edges is ignored" for name in sorted(names - _KNOWN)]
    if not known:
        notes.append("no bandwidth is given, so 1.25 GB/s is assumed")
    elif len(known) < len(read):
        notes.append(f"{len(read) - len(known)} edges have no bandwidth, so the largest is assumed")
    if any(str(speed).strip().replace(".", "", 1).isdigit() for speed in speeds if speed is not None):
        notes.append("bandwidths without a unit are taken as bytes per second")
    paces = paces_of(text, [speed or max(known, default=_ASSUMED) for speed in read], phit)
    delays = [
        0 if time is None else paces.delay(read_quantity(str(time), TIMES, where, "1us"))
        for time, where in zip(times, of_edge, strict=True)
    ]
    return paces.cycles.tolist(), delays, paces.rates("a graph with speeds", *notes)


def _first(data: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first of several attributes, in any case of letters, that an edge has."""
    return next((value for name in names for key, value in data.items() if str(key).lower() == name), None)


def _wired(given: nx.Graph[Any], text: str) -> Graph:
    vertices = list(given.nodes)
    number = {vertex: place for place, vertex in enumerate(vertices)}
    edges = [(number[u], number[v], data) for u, v, data in given.edges(data=True)]
    ports = 1 + max(
        (_value(data, end, 0, 0, text) for _, _, data in edges for end in ("port", "entry")), default=0
    )
    check_size(text, len(vertices), ports)
    shape = (len(vertices), ports)
    tables: dict[str, NDArray[Any]] = {
        key: np.full(shape, usually, kind) for key, (_, usually, kind) in _OF_LINK.items()
    }
    neighbor, entry = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    entered = np.zeros(shape, bool)
    for u, v, data in edges:
        where = f"{text}: edge {vertices[u]} - {vertices[v]}"
        port, at = _value(data, "port", 0, 0, where), _value(data, "entry", 0, 0, where)
        if u == v or neighbor[u, port] >= 0 or entered[v, at]:
            raise ValueError(f"{where}: port {port} or entry {at} is in use, or the port leads to itself")
        neighbor[u, port], entry[u, port], entered[v, at] = v, at, True
        for key, (minimum, usually, _) in _OF_LINK.items():
            tables[key][u, port] = _value(data, key, usually, minimum, where)
    first = check_int(given.graph.get("first_switch", 0), f"{text}: first_switch", 0)
    nodes_at = [_value(data, "nodes", 1, 0, text) for _, data in given.nodes(data=True)]
    nodes = first or sum(nodes_at)
    if not first and (max(nodes_at) > 1 or nodes_at != [1] * nodes + [0] * (len(vertices) - nodes)):
        raise ValueError(f"{text}: named ports need all vertices with one node before those without")
    home = neighbor[:first, 0].astype(np.int64) if first else np.arange(nodes)
    if (home < first).any():
        raise ValueError(f"{text}: a vertex below first_switch={first} does not lead to a switch by port 0")
    about = [data for _, data in given.nodes(data=True)]
    groups = [data.get("group") for data in about[first:]]
    names = tuple(str(data["name"]) for data in about[first:] if "name" in data)
    known = {key for _, _, data in edges for key in data}
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
        group=None
        if None in groups
        else np.array([check_int(name, f"{text}: group", 0, 2**62) for name in groups], np.int64),
        places=_places(about[first:], text),
        names=names if len(names) == len(groups) else (),
        closes=tables["closes"] if "closes" in known else None,
        axis=tables["axis"] if "axis" in known else None,
        default_routing=str(given.graph.get("default_routing", "up-down")),
        compute_nodes=check_int(given.graph.get("compute_nodes", 0), f"{text}: compute_nodes", 0),
        planes=check_int(given.graph.get("planes", 1), f"{text}: planes"),
        tasks=check_int(given.graph.get("tasks", 1), f"{text}: tasks"),
        sockets=check_int(given.graph.get("sockets", 1), f"{text}: sockets"),
    )
    check_connected(made)
    idle = [_value(data, "service", 0, 0, text) for data in about[:nodes]]
    return marked(made, text, np.flatnonzero(idle).tolist())


def _places(about: list[dict[str, Any]], text: str) -> NDArray[np.int64] | None:
    """Return the coordinates of switches by their attributes; None if some have none."""
    written = [data.get("place") for data in about]
    if None in written:
        return None
    rows = [str(place).split() for place in written]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{text}: vertices have different numbers of coordinates, expected {len(rows[0])}")
    return np.array([[check_int(word, f"{text}: place", 0) for word in row] for row in rows], np.int64)


def _cables(given: nx.Graph[Any], text: str) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Return the edges; in a directed graph, one for each pair of opposite links."""
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
                f"expected the same number, or an undirected graph with an edge for each cable"
            )
        for link, other in zip(links, back, strict=True):
            for key in ("width", "cycles", "delay"):
                if link.get(key) != other.get(key):
                    raise ValueError(
                        f"{text}: asymmetric, {key} is {link.get(key)} from {u} to {v} "
                        f"and {other.get(key)} back"
                    )
        if place[u, v] < place[v, u]:
            cables += [(u, v, data) for data in links]
    return cables


def _value(data: dict[str, Any], key: str, usually: int, minimum: int, where: str) -> int:
    return check_int(data.get(key, usually), f"{where}: {key}", minimum)
