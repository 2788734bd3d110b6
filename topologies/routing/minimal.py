"""Minimal routing: all ports that lead closer, or one of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.limits import check_memory
from netplace.topologies.routing.routes import by_destination, table
from netplace.topologies.routing.switches import Switches


def dimension_order(switches: Switches, balanced: bool = True) -> NDArray[np.int16]:
    """Return the table that corrects X first, then Y, and so on, each dimension by a shortest route.

    Across half of an even ring, the route leads to higher coordinates from even ones and to lower coordinates
    from odd ones, so that both directions have the same load. If the other coordinates of the destination
    have an odd sum, it is the other way round, except in twisted rings. **(ours)** If not `balanced`, the
    route always leads to higher coordinates.
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
        upward = ((place[:, None, d] + others[None, :]) % 2 == 0) | (not balanced)
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
