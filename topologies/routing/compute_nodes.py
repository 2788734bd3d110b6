"""Routes to and from compute nodes of several tasks, which hang at the switches of one or several planes.

A packet takes any link of its compute node to the network, then the way of the network itself, then any
link to the compute node of its destination: no way leads through another. So a routing is made, and checked
for deadlock, on the switches of one plane alone: channels into the network wait for others, but none of the
network's waits for them, and those out of it wait for memory only, which never stops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.routing.routes import Routes, table
from netplace.topologies.routing.switches import Switches

__all__ = ["one_plane", "with_compute_nodes"]


def one_plane(switches: Switches, routes: Routes) -> tuple[Switches, Routes]:
    """Return the first plane without compute nodes, and of a routing what holds there."""
    inner = switches.without_compute_nodes()
    n = inner.count
    via = routes.via
    if via is not None and len(via) > 1:
        via = via[:n]
    return inner, replace(
        routes,
        ports=routes.ports[:n, :n],
        escape=None if routes.escape is None else routes.escape[:n, :n],
        via=via,
        stride=None if routes.stride is None else routes.stride[:n],
    )


def with_compute_nodes(switches: Switches, routes: Routes) -> Routes:
    """Return a routing of the first plane's switches for all planes and compute nodes.

    Raises
    ------
    ValueError
        If the table would not fit into memory.
    """
    n, planes = switches.of_plane, switches.planes
    wires = _wires(switches)
    width = max(routes.most_ports, wires.shape[1] * wires.shape[2])
    check_memory(switches.text, switches.count**2 * 2 * width, "its table of routes")
    home = _check_planes(switches, wires)
    every = _entries(switches, routes.ports, wires, width, home)
    of = switches.host_of(np.arange(n * planes, switches.count))
    escape = None
    if routes.escape is not None:
        escape = _entries(switches, routes.escape[:, :, None], wires[:, :, :1], 1, home)[:, :, 0]
    via = routes.via
    if via is not None:
        if planes > 1 or len(via) > 1:  # a row for each switch, of switches in its own plane
            rows = np.broadcast_to(via, (n, via.shape[1]))
            via = np.concatenate((*(rows + plane * n for plane in range(planes)), rows[home][of]))
        via = via.astype(np.int32)
    stride = routes.stride
    if stride is not None:
        stride = np.concatenate((*([stride] * planes), np.ones(switches.compute_nodes, np.int64)))
    return replace(routes, ports=table(every), escape=escape, via=via, stride=stride)


def _check_planes(switches: Switches, wires: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the switch of every compute node in the first plane; -1: it has been cut off.

    Raises
    ------
    ValueError
        If planes differ, as they do where something has failed.
    """
    n, planes = switches.of_plane, switches.planes
    first = n * planes
    inside = switches.neighbor[:first].reshape(planes, n, -1)
    shift = np.arange(planes)[:, None, None] * n
    alike = np.where((inside >= 0) & (inside < first), inside - shift, -1)
    joined = (wires >= 0).sum(axis=2)
    if (alike != alike[:1]).any() or (joined != joined[:, :1]).any():
        raise ValueError(f"{switches.text}: planes that differ, as where links have failed, have no routes")
    near = switches.neighbor[first : first + switches.hosts]
    above = np.where(near < first, near, -1).max(axis=1)
    return np.where(above >= 0, above % n, -1)


def _wires(switches: Switches) -> NDArray[np.int64]:
    """Return the ports of compute nodes to each plane, shape (compute nodes, planes, rails); -1: none."""
    first, n = switches.count - switches.compute_nodes, switches.of_plane
    neighbor = switches.neighbor[first : first + switches.hosts]
    host, port = np.nonzero((neighbor >= 0) & (neighbor < first))
    plane = neighbor[host, port] // n
    key = host * switches.planes + plane
    order = np.argsort(key, kind="stable")
    key, port = key[order], port[order]
    begin = np.flatnonzero(np.diff(key, prepend=-1))
    rank = np.arange(len(key)) - np.repeat(begin, np.diff(np.append(begin, len(key))))
    found = np.full((switches.hosts * switches.planes, int(rank.max(initial=0)) + 1), -1, np.int64)
    found[key, rank] = port
    return found.reshape(switches.hosts, switches.planes, -1)


def _entries(
    switches: Switches,
    inner: NDArray[np.int16],
    wires: NDArray[np.int64],
    width: int,
    home: NDArray[np.int64],
) -> NDArray[Any]:
    """Return the table of all switches from that of a plane and the wires of compute nodes."""
    n, planes, hosts = switches.of_plane, switches.planes, switches.hosts
    first = n * planes
    found = np.full((switches.count, switches.count, width), -1, np.int16)
    joined = home >= 0
    host = np.flatnonzero(joined)
    for plane in range(planes):
        rows = slice(plane * n, (plane + 1) * n)
        found[rows, rows, : inner.shape[2]] = inner
        found[rows, first + host, : inner.shape[2]] = inner[:, home[host]]
        rails = wires[:, plane]
        found[first : first + hosts, rows, : rails.shape[1]] = rails[:, None]
        back = _far_ports(switches, host, rails)
        found[plane * n + home[host], first + host] = -1
        found[plane * n + home[host], first + host, : back.shape[1]] = back
    every = wires.reshape(hosts, -1)[:, :width]
    every = np.take_along_axis(every, np.argsort(every < 0, axis=1, kind="stable"), axis=1)
    sockets = first + hosts  # the first of them
    found[first:sockets, first:sockets] = -1
    found[first:sockets, first:sockets, : every.shape[1]] = every[:, None]
    found[first + np.arange(hosts), first + np.arange(hosts)] = -1
    found[first:sockets, first + np.flatnonzero(~joined)] = -1
    if sockets < switches.count:
        _add_sockets(switches, found, first)
    return found


def _add_sockets(switches: Switches, found: NDArray[np.int16], first: int) -> None:
    """Set the entries from and to sockets: all ways lead by their compute nodes."""
    sockets = np.arange(first + switches.hosts, switches.count)
    host = first + switches.host_of(sockets)
    found[:, sockets] = found[:, host]
    up = np.nonzero(switches.neighbor[sockets] == host[:, None])[1]
    found[sockets] = -1
    found[sockets, :, 0] = up[:, None]
    found[sockets, sockets] = -1
    above, down = np.nonzero(switches.neighbor[first : sockets[0]] >= sockets[0])
    found[first + above, switches.neighbor[first + above, down]] = -1
    found[first + above, switches.neighbor[first + above, down], 0] = down


def _far_ports(switches: Switches, host: NDArray[np.int64], rails: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ports by which the switch of some compute nodes leads to them, in the order of rails."""
    first = switches.count - switches.compute_nodes
    found = np.full((len(host), rails.shape[1]), -1, np.int64)
    for place, number in enumerate(host.tolist()):
        for rank, port in enumerate(rails[number].tolist()):
            if port >= 0:
                end = int(switches.neighbor[first + number, port])
                ports = np.flatnonzero(switches.neighbor[end] == first + number)
                found[place, rank] = ports[min(rank, len(ports) - 1)]
    return found
