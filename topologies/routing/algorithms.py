"""Minimal routing, up*/down*, which needs a single virtual channel on any network, and d-mod-k of trees."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.limits import check_memory
from netplace.topologies.routing.routes import Routes, by_destination, table
from netplace.topologies.routing.switches import Switches


def dimension_order(switches: Switches) -> NDArray[np.int16]:
    """Return the table that corrects X first, then Y, and so on, each dimension by a shortest route.

    Across half of an even ring, the route leads to higher coordinates from even ones and to lower coordinates
    from odd ones, so that both directions have the same load. If the other coordinates of the destination
    have an odd sum, it is the other way round, except in twisted rings. **(ours)**
    """
    place, count = switches.places, switches.count
    if switches.axis is None or place is None or not _is_grid(place):
        raise ValueError(f"{switches.text}: switches form no grid, which routing dor needs")
    hops = switches.hops
    ports = np.full((count, count), -1, np.int16)
    for d in range(place.shape[1] - 1, -1, -1):
        # On the way to the switch that differs from this one in dimension d alone, any shortest way is along
        # d.
        differs = place[:, None, d] != place[None, :, d]
        stop = _at(place, d)
        best = np.full((count, count), -1, np.int16)
        others = (place.sum(axis=1) - place[:, d]) * (not _is_twisted(switches, d))
        upward = (place[:, None, d] + others[None, :]) % 2 == 0
        for port in np.flatnonzero((switches.axis == d).any(axis=0)):
            usable = (switches.axis[:, port] == d) & (switches.neighbor[:, port] >= 0)
            end = np.maximum(switches.neighbor[:, port], 0)
            goal = stop[np.arange(count)[:, None], place[None, :, d]]
            nearer = usable[:, None] & (
                np.take_along_axis(hops[end], goal, axis=1) == np.take_along_axis(hops, goal, axis=1) - 1
            )
            higher = place[end, d] > place[:, d]
            if switches.closes is not None:
                higher = higher ^ switches.closes[:, port]
            best = np.where(nearer & ((best < 0) | (higher[:, None] == upward)), np.int16(port), best)
        ports = np.where(differs, best, ports)
    return table(ports)


def _is_grid(place: NDArray[np.int64]) -> bool:
    """Return whether there is exactly one switch at every place up to the largest coordinates."""
    if place.min() < 0 or place.max() >= len(place):
        return False
    whole = math.prod(int(side) + 1 for side in place.max(axis=0)) == len(place)
    return whole and len(np.unique(place, axis=0)) == len(place)


def _is_twisted(switches: Switches, d: int) -> bool:
    """Return whether some link of dimension d also leads to another coordinate than d."""
    assert switches.axis is not None
    assert switches.places is not None
    here, port = np.nonzero((switches.axis == d) & (switches.neighbor >= 0))
    moved = switches.places[here] != switches.places[switches.neighbor[here, port]]
    return bool(np.delete(moved, d, axis=1).any())


def _at(place: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    """Return, for each switch, the switches at every coordinate of dimension d, shape (switches, size)."""
    sizes = place.max(axis=0) + 1
    strides = np.cumprod([1, *sizes[:-1]])
    number = np.empty(int(sizes.prod()), np.int64)
    number[place @ strides] = np.arange(len(place))
    base = place @ strides - place[:, d] * strides[d]
    return np.asarray(number[base[:, None] + np.arange(sizes[d]) * strides[d]])


def costs(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the least sum of link weights from each switch to each other; huge if there is no way."""
    if weight is None:
        return np.where(switches.hops < 0, 1 << 30, switches.hops.astype(np.int64))
    return topologies.least_costs(switches.neighbor, weight).reshape(switches.count, switches.count)


def all_minimal(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int16]:
    """Return, for each pair of switches, all ports of the first that lead closer to the second.

    The total of `weight`, shape (switches, ports), is minimized; by default, the number of hops.
    """
    count, ports = switches.count, switches.ports
    check_memory(switches.text, count**2 * (2 * ports + (4 if weight is None else 24)), "its table of routes")
    cost = switches.hops if weight is None else costs(switches, weight)
    found, width = topologies.closer_ports(switches.neighbor, weight, cost)
    return table(found.reshape(count, count, width))


def first_minimal(switches: Switches, weight: NDArray[np.int64] | None = None) -> NDArray[np.int16]:
    """Return, for each pair of switches, one port that leads closer; the ports are spread over destinations.

    Of n such ports, in order, the port with the number (destination mod n) is used.
    """
    return by_destination(all_minimal(switches, weight))


_FAR = np.int32(1 << 28)


def up_down(switches: Switches) -> NDArray[np.int16]:
    """Return the table, with one port per entry, in which no packet goes up after it has gone down.

    Of the n ports in `all_up_down`, the port with the number (destination mod n) is used.
    """
    return by_destination(all_up_down(switches))


def all_up_down(switches: Switches) -> NDArray[np.int16]:
    """Return the table of all ports on shortest routes in which no packet goes up after it has gone down.

    M. D. Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point
    links", IEEE J. Sel. Areas Commun. 9 (1991) 1318-1335. Up is towards the root, which is the top of a tree,
    and otherwise the switch closest to all others. Between two switches at the same distance from the root,
    up is towards the lower number. If a packet can reach its destination by going down only, it takes a
    shortest such route. Otherwise, it goes up, through a port on a shortest complete route.
    """
    count = switches.count
    check_memory(switches.text, 2 * count**2 * switches.ports, "its table of routes")
    hops = switches.hops
    ends = switches.neighbor
    wired = ends >= 0
    rank = _rank(switches)
    upward = wired & (rank[ends] < rank[:, None])
    downward = wired & (rank[ends] > rank[:, None])
    below, whole = _lengths(ends, rank, upward, downward)
    rows = []
    for switch in range(count):
        ports = np.flatnonzero(wired[switch])
        after = ends[switch, ports]
        goes_down = below[switch] < _FAR
        down = downward[switch, ports][:, None]
        length = np.where(
            down, np.where(goes_down, below[after], _FAR), np.where(goes_down, _FAR, whole[after])
        )
        good = (length == length.min(axis=0, initial=_FAR)) & (length < _FAR) & (hops[switch] >= 0)
        good[:, switch] = False
        rank_of = np.cumsum(good, axis=0) - 1
        row = np.full((count, max(1, int(good.sum(axis=0).max(initial=0)))), -1, np.int16)
        port, target = np.nonzero(good)
        row[target, rank_of[port, target]] = ports[port]
        rows.append(row)
    maximum = max(row.shape[1] for row in rows)
    every = np.full((count, count, maximum), -1, np.int16)
    for switch, row in enumerate(rows):
        every[switch, :, : row.shape[1]] = row
    every.setflags(write=False)
    return every


def _lengths(
    ends: NDArray[np.int64], rank: NDArray[np.int64], upward: NDArray[np.bool_], downward: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the length of the shortest way down between all switches, and of the chosen way."""
    count = len(ends)
    below = np.full((count, count), _FAR, np.int32)
    np.fill_diagonal(below, 0)
    order = np.argsort(rank)
    for switch in order[::-1]:  # the lowest first, so that everything below is known
        under = ends[switch, downward[switch]]
        if under.size:
            below[switch] = np.minimum(below[switch], below[under].min(axis=0) + 1)
    whole = below.copy()
    for switch in order:  # the highest first
        over = ends[switch, upward[switch]]
        if over.size:
            whole[switch] = np.where(below[switch] < _FAR, below[switch], whole[over].min(axis=0) + 1)
    return below, whole


def _rank(switches: Switches) -> NDArray[np.int64]:
    """Return the rank of each switch, all different; up is towards a lower one."""
    number = np.arange(switches.count)
    if switches.is_tree:
        assert switches.places is not None
        level = -switches.places[:, 0]  # a tree: its top is up
    else:
        hops = switches.hops.astype(np.int64)
        reach = np.where(hops < 0, switches.count, hops)
        root = int(np.lexsort((number, reach.sum(axis=1), reach.max(axis=1)))[0])
        level = reach[root]
    rank = np.empty(switches.count, np.int64)
    rank[np.lexsort((number, level))] = number
    return rank


def d_mod_k(switches: Switches) -> Routes:
    """Return the routing that goes up by port ⌊destination node / parents below⌋ mod ports up.

    E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
    collectives", J. Parallel Distrib. Comput. 72 (2012) 1423-1432; the fat-tree routing of InfiniBand's
    subnet manager is based on it. "Parents below" is the product of the numbers of parents of a switch at
    each level below. Ports are numbered parent by parent and, within a parent, cable by cable. On the way
    down, the same rule selects among parallel cables. Where several ways down lead to a host with several
    adapters, the number itself selects among them, as it does in a host that sends. **(ours)**
    """
    if not switches.is_tree:
        raise ValueError(f"{switches.text}: no levels, which routing d-mod-k needs; use up-down")
    ports = _parent_by_parent(switches, all_up_down(switches))
    return Routes("d-mod-k", ports, "none", spread="destination", stride=strides(switches, ports))


def _parent_by_parent(switches: Switches, ports: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return a table with the first cable to each switch before the second cable to any."""
    made = np.empty_like(ports)
    for switch, row in enumerate(ports):  # one by one: keys take four times the memory of ports
        key = np.where(row < 0, switches.ports**2, switches.turn[switch][row])
        made[switch] = np.take_along_axis(row, np.argsort(key, axis=1), axis=1)
    made.setflags(write=False)
    return made


def strides(switches: Switches, ports: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the product of the numbers of parents at the levels below each switch; 1 above several rails."""
    assert switches.places is not None
    level = switches.places[:, 0] - switches.places[:, 0].min()
    parents = np.ones(int(level.max()) + 1, np.int64)
    for switch, row in enumerate(switches.neighbor):
        above = np.unique(row[(row >= 0) & (level[row] > level[switch])])
        parents[level[switch]] = max(parents[level[switch]], len(above))
    made: NDArray[np.int64] = np.cumprod(np.concatenate(([1], parents)))[level]
    lowest = np.flatnonzero(level == 0)
    if parents[0] > 1 and ports.shape[2] > 1:
        for switch in np.flatnonzero(level > 1).tolist():
            end = switches.neighbor[switch, ports[switch, lowest]]  # of two ports each
            end = np.where((ports[switch, lowest] >= 0) & (level[end] < level[switch]), end, -1)
            if ((end != end[:, :1]) & (end >= 0)).any():
                made[switch] = 1
    return made
