"""Routes to and from compute nodes with several tasks, which are connected to one or more planes.

A packet takes any link of its compute node to the network, then the way of the network itself, then any link
to the compute node of its destination: no way leads through another compute node. A routing is therefore
made, and checked for deadlock, on the switches of each plane separately: channels into the network wait for
others, but no channel of the network waits for them, and channels out of it wait only for memory, which never
stops. Planes are identical until something fails in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.routing.routes import Routes, table
from netplace.topologies.routing.switches import Switches


def of_plane(switches: Switches, routes: Routes, number: int) -> tuple[Switches, Routes]:
    """Return a plane without compute nodes, and the part of a routing that applies there."""
    n = switches.of_plane
    here = slice(number * n, (number + 1) * n)
    via = routes.via
    if via is not None and len(via) > 1:
        via = via[here] - np.int32(number * n)
        via = via[:1] if (via == via[:1]).all() else via
    return switches.plane(number), replace(
        routes, ports=routes.ports[here, here],
        escape=None if routes.escape is None else routes.escape[here, here], via=via,
        stride=None if routes.stride is None else routes.stride[here],
    )  # fmt: skip


def with_compute_nodes(switches: Switches, made: Sequence[Routes]) -> Routes:
    """Return the routings of the switches of each plane as the routing of all planes and compute nodes."""
    n, planes = switches.of_plane, switches.planes
    by_plane = [made[min(plane, len(made) - 1)] for plane in range(planes)]
    wires = _wires(switches)
    width = max(*(routes.most_ports for routes in made), wires.shape[1] * wires.shape[2])
    check_memory(switches.text, switches.count**2 * 2 * width, "its table of routes")
    home = switches.above
    every = _entries(switches, [routes.ports for routes in by_plane], wires, width, home)
    escape = None
    if made[0].escape is not None:
        inner = [np.asarray(routes.escape)[:, :, None] for routes in by_plane]
        escape = _entries(switches, inner, wires[:, :, :1], 1, home)[:, :, 0]
    via = None
    if made[0].via is not None:
        rows = _common(switches, [np.asarray(routes.via) for routes in by_plane])
        via = rows[0]
        if planes > 1 or len(via) > 1:  # a row for each switch, of switches in its own plane
            of = switches.host_of(np.arange(n * planes, switches.count))
            via = np.concatenate(
                [np.broadcast_to(row, (n, row.shape[1])) + plane * n for plane, row in enumerate(rows)]
            )
            via = np.concatenate((via, via[home[of]]))
        via = via.astype(np.int32)
    stride = None
    if made[0].stride is not None:
        strides = [np.asarray(routes.stride) for routes in by_plane]
        stride = np.concatenate((*strides, np.ones(switches.compute_nodes, np.int64)))
    discipline = made[0].discipline
    if any(routes.discipline != discipline for routes in made):
        discipline = "hop"  # groups are whole in some planes only
    return replace(made[0], ports=table(every), discipline=discipline, escape=escape, via=via, stride=stride)


def _common(switches: Switches, rows: list[NDArray[np.int32]]) -> list[NDArray[np.int32]]:
    """Return the intermediate switches of planes: by group if all planes have groups, or the common ones."""
    if switches.planes_alike or all(len(row) > 1 for row in rows):
        return rows
    shared = reduce(np.intersect1d, [switches.plane(number).with_nodes for number in range(len(rows))])
    if not shared.size:
        raise ValueError(f"{switches.text}: its planes have no intermediate switch in common")
    return [shared[None, :].astype(np.int32)] * len(rows)


def _wires(switches: Switches) -> NDArray[np.int64]:
    """Return the ports of compute nodes to each plane, shape (compute nodes, planes, rails), or -1."""
    first, n = switches.count - switches.compute_nodes, switches.of_plane
    neighbor = switches.neighbor[first : first + switches.hosts]
    host, port = np.nonzero((neighbor >= 0) & (neighbor < first))
    plane = neighbor[host, port] // n
    key = host * switches.planes + plane
    order = np.argsort(key, kind="stable")
    key, port = key[order], port[order]
    begin = np.flatnonzero(np.diff(key, prepend=-1))
    rank = np.arange(len(key)) - np.repeat(begin, np.diff(np.append(begin, len(key))))
    ports = np.full((switches.hosts * switches.planes, int(rank.max(initial=0)) + 1), -1, np.int64)
    ports[key, rank] = port
    return ports.reshape(switches.hosts, switches.planes, -1)


def _entries(
    switches: Switches, inner: list[NDArray[np.int16]], wires: NDArray[np.int64], width: int,
    home: NDArray[np.int64],
) -> NDArray[Any]:  # fmt: skip
    """Return the table of all switches from those of the planes and the wires of compute nodes."""
    n, planes, hosts = switches.of_plane, switches.planes, switches.hosts
    first = n * planes
    entries = np.full((switches.count, switches.count, width), -1, np.int16)
    for plane, ports in enumerate(inner):
        rows = slice(plane * n, (plane + 1) * n)
        host = np.flatnonzero(switches.joined[:, plane])
        entries[rows, rows, : ports.shape[2]] = ports
        entries[rows, first + host, : ports.shape[2]] = ports[:, home[host]]
        rails = wires[:, plane]
        entries[first : first + hosts, rows, : rails.shape[1]] = rails[:, None]
        back = _far_ports(switches, host, rails)
        entries[plane * n + home[host], first + host] = -1
        entries[plane * n + home[host], first + host, : back.shape[1]] = back
    sockets = first + hosts  # the first of them
    entries[first:sockets, first:sockets] = -1
    for plane in range(planes):  # by the planes to which both are joined
        _add_ports(entries[first:sockets, first:sockets], wires[:, plane], switches.joined[:, plane])
    entries[first + np.arange(hosts), first + np.arange(hosts)] = -1
    if sockets < switches.count:
        _add_sockets(switches, entries, first)
    return entries


def _add_ports(entries: NDArray[np.int16], rails: NDArray[np.int64], joined: NDArray[np.bool_]) -> None:
    """Append the rails of each compute node to the entries for the compute nodes that it can reach."""
    target = np.flatnonzero(joined)
    for host in target.tolist():
        for port in rails[host][rails[host] >= 0].tolist():
            own = entries[host, target]
            held = (own >= 0).sum(axis=1)
            free = held < own.shape[1]
            own[free, held[free]] = port
            entries[host, target] = own


def _add_sockets(switches: Switches, entries: NDArray[np.int16], first: int) -> None:
    """Set the entries from and to sockets: all ways lead through their compute nodes."""
    sockets = np.arange(first + switches.hosts, switches.count)
    host = first + switches.host_of(sockets)
    entries[:, sockets] = entries[:, host]
    entries[sockets] = -1
    socket, up = np.nonzero(switches.neighbor[sockets] == host[:, None])
    entries[sockets[socket], :, 0] = up[:, None]
    entries[sockets, sockets] = -1
    above, down = np.nonzero(switches.neighbor[first : sockets[0]] >= sockets[0])
    below = switches.neighbor[first + above, down]
    entries[first + above, below] = -1
    entries[first + above, below, 0] = down
    bare = np.setdiff1d(sockets, sockets[socket])  # with a failed bus
    entries[:, bare] = -1


def _far_ports(switches: Switches, host: NDArray[np.int64], rails: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ports by which the switch of some compute nodes leads to them, in the order of rails."""
    first = switches.count - switches.compute_nodes
    ports_of = np.full((len(host), rails.shape[1]), -1, np.int64)
    for place, number in enumerate(host.tolist()):
        for rank, port in enumerate(rails[number].tolist()):
            if port >= 0:
                end = int(switches.neighbor[first + number, port])
                ports = np.flatnonzero(switches.neighbor[end] == first + number)
                ports_of[place, rank] = ports[min(rank, len(ports) - 1)]
    return ports_of
