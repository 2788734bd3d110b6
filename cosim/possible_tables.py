"""Possible links with routing in tables: the allowed ports, destination by destination."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing import Routes, Switches

_LEAST = 1 / (1 << 20)  # of a packet: on a port that is possible, whatever is expected there


def in_tables(
    switches: Switches,
    routes: Routes,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    packets: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the expected packets on each port of each switch, in equal parts on all allowed ports.

    It is over 0 exactly on possible ports, including those of escape channels.
    """
    amounts = np.zeros(switches.neighbor.shape)
    begin, end = switches.home[sources], switches.home[targets]
    for target in np.unique(end):
        there = end == target
        _mark(amounts, switches, routes, np.unique(begin[there]), target)
        flow = np.bincount(begin[there], packets[there], switches.count).astype(float)
        _spread(amounts, switches, routes, flow, target)
    return amounts.ravel()


def _mark(
    amounts: NDArray[np.float64], switches: Switches, routes: Routes, fresh: NDArray[np.int64], target: int
) -> None:
    """Give the least amount to every port that a packet from one of the switches `fresh` may ever take."""
    seen = np.zeros(switches.count, bool)
    while len(fresh):
        seen[fresh] = True
        ports = routes.ports[fresh, target]
        if routes.escape is not None:
            ports = np.column_stack([ports, routes.escape[fresh, target]])
        place, column = np.nonzero((ports >= 0) & (fresh != target)[:, None])
        at, out = fresh[place], ports[place, column]
        amounts[at, out] = np.maximum(amounts[at, out], _LEAST)
        beyond = np.unique(switches.neighbor[at, out])
        fresh = beyond[~seen[beyond]]


def _spread(
    amounts: NDArray[np.float64], switches: Switches, routes: Routes, flow: NDArray[np.float64], target: int
) -> None:
    """Add what flows to `target` from each switch, step by step, to the ports that it takes."""
    for _ in range(switches.count):
        flow[target] = 0
        at = np.flatnonzero(flow)
        usable = routes.ports[at, target] >= 0
        place, column = np.nonzero(usable)
        if not len(place):
            return
        at, part = at[place], (flow[at] / np.maximum(1, usable.sum(axis=1)))[place]
        out = routes.ports[at, target, column]
        np.add.at(amounts, (at, out), part)
        flow = np.bincount(switches.neighbor[at, out], part, switches.count).astype(float)
