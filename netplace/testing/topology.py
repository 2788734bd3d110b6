"""The check of a network."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np

from netplace.apps import application
from netplace.netsim import ENGINES, simulate
from netplace.testing.demand import demand
from netplace.topologies import Topology, parse

_MOST = 600  # routers: all of it is looked at


def check_topology(network: str | Topology, *, simulated: bool = True) -> None:
    """Check the links and distances of a network, and that both engines give equal results for it.

    With `simulated`, messages from each node to all others are simulated.
    """
    topology = parse(network) if isinstance(network, str) else network
    demand(topology.routers <= _MOST, f"{topology}: {topology.routers} routers, expected at most {_MOST}")
    demand(1 <= topology.nodes <= topology.routers, f"{topology}: {topology.nodes} nodes, expected 1 or more")
    _check_wires(topology)
    _check_distances(topology)
    _check_copies(topology, isinstance(network, str))
    if simulated:
        program = application("all-to-all", min(topology.nodes, 16))
        cycles = {engine: simulate(topology, program, engine=engine).cycles for engine in ENGINES}
        demand(len(set(cycles.values())) == 1, f"{topology}: engines disagree on cycles, {cycles}")


def _check_wires(topology: Topology) -> None:
    neighbor, entry = topology.neighbor, topology.entry
    demand(neighbor.shape == entry.shape, f"{topology}: neighbor and entry have different shapes")
    demand(len(neighbor) == topology.routers, f"{topology}: {len(neighbor)} rows of neighbours")
    demand(
        not neighbor.flags.writeable and not entry.flags.writeable, f"{topology}: its arrays can be changed"
    )
    wired = neighbor >= 0
    demand(np.array_equal(wired, entry >= 0), f"{topology}: a link without an entry, or an entry without one")
    demand((neighbor < topology.routers).all(), f"{topology}: a link leads to a router that does not exist")
    demand((entry < topology.ports).all(), f"{topology}: a link enters by a port that does not exist")
    ends = np.stack([neighbor[wired], entry[wired]])
    demand(
        len(np.unique(ends, axis=1).T) == ends.shape[1],
        f"{topology}: two links enter a router by the same port",
    )
    there = nx.MultiDiGraph(topology.to_networkx())
    back = there.reverse()
    demand(
        all(there.number_of_edges(*edge) == back.number_of_edges(*edge) for edge in set(there.edges())),
        f"{topology}: a link has no link in the opposite direction",
    )


def _check_distances(topology: Topology) -> None:
    hops = dict(nx.all_pairs_shortest_path_length(topology.to_networkx()))
    nodes = range(topology.nodes)
    lost = [(a, b) for a in nodes for b in nodes if b not in hops[a]]
    demand(not lost, f"{topology}: no route between nodes {lost[0] if lost else ()}")
    shortest = np.array([[hops[a][b] for b in nodes] for a in nodes])
    wrong = np.argwhere(topology.distances() != shortest)
    if len(wrong):
        a, b = wrong[0].tolist()
        distance = topology.distances()[a, b]
        raise AssertionError(
            f"{topology}: distance of nodes {a} and {b} is {distance}, by its links {shortest[a, b]}"
        )
    every = np.arange(topology.nodes)
    same = np.array_equal(topology.distance(every[:, None], every), shortest)
    demand(same, f"{topology}: distance and distances differ")
    demand(topology.diameter == shortest.max(), f"{topology}: its diameter is {shortest.max()} by its links")
    if topology.nodes > 1:
        mean = shortest.sum() / (topology.nodes * (topology.nodes - 1))
        demand(np.isclose(topology.average_distance, mean), f"{topology}: its average distance is {mean}")


def _check_copies(topology: Topology, parsed: bool) -> None:
    copies = [("a pickled copy", pickle.loads(pickle.dumps(topology)))]  # noqa: S301 (made here)
    if parsed:
        copies.append(("the network that its text form describes", parse(topology.text)))
    for label, copy in copies:
        same = np.array_equal(copy.neighbor, topology.neighbor) and np.array_equal(copy.entry, topology.entry)
        demand(same and copy.text == topology.text, f"{topology}: {label} is a different network")
