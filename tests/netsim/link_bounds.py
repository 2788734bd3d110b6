"""Theory beside which loads are measured: the share of the traffic on each link, and what links allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.routing import Routes, Switches

Floats = NDArray[np.float64]


def via_of(switches: Switches, routes: Routes, switch: int) -> NDArray[np.int64]:
    """Return the intermediate switches of packets from a switch."""
    if routes.via is None:
        return np.arange(switches.count)
    return np.asarray(routes.via[switch if len(routes.via) > 1 else 0], np.int64)


def crossing(switches: Switches, ports: NDArray[np.int16], traffic: Floats) -> Floats:
    """Return the traffic on each link between switches under a routing table, shape (switches, ports).

    If a table lists several ports, each takes the same share. `ports` is the table, shape (switches,
    switches, n); `traffic` is from every switch to every other, shape (switches, switches), in any unit.
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
    """Return the largest factor for `traffic` at which no link between switches is overloaded.

    `traffic`: phits per cycle from every switch to every other at a load of 1, shape (switches, switches).
    `cycles`: cycles per phit of every link, shape (switches, ports).
    """
    if routes.choice not in ("table", "valiant"):
        raise ValueError(
            f"routing {routes.name}: chooses by the occupancy of links, so loads cannot be computed in "
            f"advance"
        )
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


def shares(switches: Switches, routes: Routes) -> Floats:
    """Return the share of the packets between each pair of nodes on each link, shape (nodes, nodes, links).

    Links between switches are numbered in the order in which `numpy.nonzero` lists the ports that lead to
    switches. If a packet chooses among several ports by occupancy, each port counts as chosen equally often.
    """
    if routes.choice not in ("table", "valiant") or routes.spread == "flow":
        raise ValueError(
            f"routing {routes.name}: chooses by the occupancy of links or by a hash, so loads cannot be "
            f"computed in advance"
        )
    home, count = switches.home, switches.count
    number = np.cumsum(switches.neighbor >= 0).reshape(switches.neighbor.shape) - 1
    links = int(number.max()) + 1
    if routes.choice == "table":
        return _from_switches(switches, routes, number, home, np.arange(len(home)))[home]
    between = _from_switches(switches, routes, number, np.arange(count), np.zeros(count, np.int64))
    loads = np.empty((len(home), len(home), links))
    for node, switch in enumerate(home):
        via = via_of(switches, routes, int(switch))
        loads[node] = between[switch, via].mean(axis=0) + between[via][:, home].mean(axis=0)
        loads[node, home == switch] = 0
    return loads


def _from_switches(
    switches: Switches,
    routes: Routes,
    number: NDArray[np.int64],
    home: NDArray[np.int64],
    node: NDArray[np.int64],
) -> Floats:
    """Return the share of a packet from every switch to every destination on each link."""
    ports = routes.ports[:, home].astype(np.int64)
    named = (ports >= 0) & (np.arange(switches.count)[:, None] != home)[:, :, None]
    if routes.spread == "destination":
        stride = 1 if routes.stride is None else routes.stride[:, None]
        own = node[None, :] // stride % np.maximum(1, (ports >= 0).sum(axis=2))
        named &= np.arange(ports.shape[2]) == own[:, :, None]
    part = named / np.maximum(1, named.sum(axis=2))[:, :, None]
    loads = np.zeros((switches.count, len(home), int(number.max()) + 1))
    x, d, n = np.nonzero(named)
    port = ports[x, d, n]
    end, weight = switches.neighbor[x, port], part[x, d, n]
    while True:
        step = np.zeros_like(loads)
        np.add.at(step, (x, d), weight[:, None] * loads[end, d])
        np.add.at(step, (x, d, number[x, port]), weight)
        if np.allclose(step, loads):
            return step
        loads = step


def most_accepted(share: Floats, traffic: Floats, offered: float = 1.0) -> float:
    """Return the largest mean load per node that the links can carry, without regard to fairness.

    Each node offers up to `offered` phits per cycle (at most 1) to the others, in the proportions of its row
    of `traffic`. The amounts that nodes actually send are chosen so that their sum is largest and no link
    carries more than one phit per cycle.

    Parameters
    ----------
    share : ndarray of float64, shape (nodes, nodes, links)
        The result of `shares`.
    traffic : ndarray of float64, shape (nodes, nodes)
        Share of the packets of each node that goes to every other node; nodes with rows of 0 send nothing.
    """
    import scipy.optimize

    load = np.einsum("sd,sdl->ls", traffic, share)
    into = traffic.T  # the link to a node carries a phit a cycle as well
    sends = traffic.sum(axis=1) > 0
    bounds = [(0, offered if does_send else 0) for does_send in sends]
    optimum = scipy.optimize.linprog(
        -np.ones(len(traffic)), np.concatenate((load, into)), np.ones(len(load) + len(into)), bounds=bounds
    )
    return float(-optimum.fun) / len(traffic)


def worst_permutation(share: Floats) -> NDArray[np.int64]:
    """Return the destination of each node in a permutation that maximizes the load of some link.

    B. Towles and W. J. Dally, "Worst-case traffic for oblivious routing functions", SPAA 2002: for every
    link, the permutation with the highest load is an assignment of destinations to sources. Nodes that do not
    contribute to the load send to distant nodes. `share` is the result of `shares`.
    """
    import scipy.optimize

    worst, most = np.arange(len(share)), -1.0
    far = share.sum(axis=2)
    far /= 1e6 * max(1.0, float(far.max()) * len(share))
    for link in range(share.shape[2]):
        weight = share[:, :, link]
        if min(weight.max(axis=1).sum(), weight.max(axis=0).sum()) <= most:
            continue  # no permutation can bring more to it
        source, target = scipy.optimize.linear_sum_assignment(weight + far, maximize=True)
        if weight[source, target].sum() > most:
            worst, most = target, float(weight[source, target].sum())
    return np.asarray(worst, np.int64)
