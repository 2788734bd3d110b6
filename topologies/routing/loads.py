"""What a routing does to links: how much of a traffic crosses each of them, and the load that they allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing.detours import via_of
from netplace.topologies.routing.routes import Routes
from netplace.topologies.routing.switches import Switches

__all__ = ["crossing", "load_bound"]

Floats = NDArray[np.float64]


def crossing(switches: Switches, ports: NDArray[np.int16], traffic: Floats) -> Floats:
    """Return how much of a traffic crosses every link between switches along a table.

    Where a table names several ports, each takes the same share.

    Parameters
    ----------
    ports : ndarray of int16, shape (switches, switches, n)
        The table.
    traffic : ndarray of float64, shape (switches, switches)
        From every switch to every other, in any unit.

    Returns
    -------
    ndarray of float64, shape (switches, ports)
    """
    load = np.zeros(switches.neighbor.shape)
    share = np.maximum(1, (ports >= 0).sum(axis=2))
    here, target = np.nonzero(traffic)
    apart = here != target
    here, target = here[apart], target[apart]
    flow = traffic[here, target]
    while here.size:
        onward = np.zeros(traffic.shape)
        part = flow / share[here, target]
        for n in range(ports.shape[2]):
            port = ports[here, target, n]
            named = port >= 0
            np.add.at(load, (here[named], port[named]), part[named])
            end = switches.neighbor[here[named], port[named]]
            np.add.at(onward, (end, target[named]), part[named])
        np.fill_diagonal(onward, 0)
        here, target = np.nonzero(onward)
        flow = onward[here, target]
    return load


def load_bound(switches: Switches, routes: Routes, traffic: Floats, cycles: NDArray[np.int32]) -> float:
    """Return the largest load, in units of a traffic, that no link between switches prevents.

    Parameters
    ----------
    traffic : ndarray of float64, shape (switches, switches)
        Phits a cycle from every switch to every other, at a load of 1.
    cycles : ndarray of int32, shape (switches, ports)
        Cycles a phit of every link.

    Raises
    ------
    ValueError
        If the routing chooses between ways by how full links are: it has no such bound.
    """
    if routes.choice not in ("table", "valiant"):
        raise ValueError(f"routing {routes.name}: chooses by how full links are, no load is known before")
    if routes.choice == "valiant":
        aside = np.zeros(traffic.shape)
        onward = np.zeros(traffic.shape)
        for switch in range(switches.count):
            via = via_of(switches, routes, switch)
            np.add.at(aside[switch], via, traffic[switch].sum() / len(via))
            np.add.at(onward, via, traffic[switch] / len(via))
        load = crossing(switches, routes.ports, aside) + crossing(switches, routes.ports, onward)
    else:
        load = crossing(switches, routes.ports, traffic)
    most = float((load * cycles).max())
    return np.inf if most == 0 else 1 / most
