"""Compute nodes for several tasks, whose cores share memory and interface, and nodes that do not compute."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_int, check_ranges
from netplace.topologies.cables import Cables, graph, with_node_links
from netplace.topologies.graph import Graph
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_CYCLES, MOST_DELAY, check_size
from netplace.topologies.routing.switches import Switches
from netplace.topologies.topology import Topology

Int = NDArray[np.int64]


def compute_nodes(
    of: Topology, tasks: int, *, sockets: int = 1, rails: int = 1, planes: int = 1, nic: int = 1,
    memory: int = 1, latency: int = 0, bus: int = 1, crossing: int = 0,
) -> Graph:  # fmt: skip
    """Return a network in which each node runs several tasks that share its memory and network interface.

    Each node of the given network becomes a **compute node**: a switch between the network and `tasks` places
    for tasks, which are the nodes of the returned network. Place `t` of compute node `n` has number ``n *
    tasks + t``. Messages within a compute node cross only its memory. Messages to other compute nodes share
    the node's links to the network. **(ours)**

    Parameters
    ----------
    sockets : int
        Number of sockets of each compute node, a divisor of `tasks`: place `t` is on socket ``t // (tasks /
        sockets)``. If there are several, each socket is a switch, and a bus connects it to its compute node.
        Messages between tasks of a socket stay in it; messages to another socket or to the network share its
        bus.
    rails : int
        Number of links of each compute node to its switch in each plane.
    planes : int
        Number of copies of the network; each compute node has links to all of them.
    nic, memory, bus : int
        Cycles per phit of a link from a compute node to the network, of a task's own link to the memory, and
        of the bus between a socket and the rest of its compute node.
    latency, crossing : int
        Additional cycles of a header on the way to memory (and the same again on the way back), and on a bus.

    Raises
    ------
    ValueError
        If a number is too small, the sockets do not divide the tasks, the network has compute nodes already,
        or it is too large for memory.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> machine = compute_nodes(parse("torus:4x4"), 16)
    >>> machine.nodes, machine.distance(0, 15).item(), machine.distance(0, 16).item()
    (256, 2, 5)
    """
    given = {
        "tasks": tasks, "sockets": sockets, "rails": rails, "planes": planes, "nic": nic, "memory": memory,
        "latency": latency, "bus": bus, "crossing": crossing,
    }  # fmt: skip
    text = _text(of, given)
    _check(text, given)
    if isinstance(of, Graph) and (of.compute_nodes or of.tasks > 1):
        raise ValueError(f"{text}: {of} already has nodes with several tasks")
    if of.has_given_routes:
        raise ValueError(f"{text}: the routes of {of} are given, and none of more tasks")
    if of.service.size:
        raise ValueError(f"{text}: expected service: before nodes:")
    inner = Switches.of(of)
    hosts, count = of.nodes, inner.count
    own = hosts * sockets if sockets > 1 else 0  # switches of sockets
    check_size(text, hosts * (tasks + 1) + own + planes * count, inner.ports + planes * rails + tasks)
    cables = _cables(of, inner, rails, planes, nic)
    if own:
        cables = _with_buses(cables, planes * count, hosts, sockets, bus, crossing)
    tree = inner.is_tree
    at_sockets = [planes * count + hosts, own] if own else [planes * count, hosts]
    made = graph(
        text, cables, np.repeat([0, tasks // sockets], at_sockets),
        group=_with_compute_nodes(inner.group, inner.home, planes, sockets, apart=True),
        places=_places(inner, planes, sockets, tree),
        default_routing=of.default_routing if isinstance(of, Graph) else ("d-mod-k" if tree else "dor"),
    )  # fmt: skip
    rates = of.rates if isinstance(of, Graph) else None
    made = replace(with_node_links(made, memory, latency), tasks=tasks, sockets=sockets, rates=rates, of=of)
    if not tree:
        made = replace(made, compute_nodes=hosts + own, planes=planes)
    return with_hosts(made, [name for name in of.hosts for _ in range(tasks)])


# A *host* is what a scheduler allocates and an operator names, a *slot* is where one task sits. The nodes of
# a network are slots; without `compute_nodes`, each host has one.


def slots_a_host(machine: Topology) -> int:
    """Return the number of slots of each host."""
    return machine.tasks if isinstance(machine, Graph) else 1


def slots_of(machine: Topology, hosts: Int) -> Int:
    """Return all slots of hosts, host by host."""
    each = slots_a_host(machine)
    return (hosts[:, None] * each + np.arange(each)).ravel()


def network_of_hosts(machine: Topology) -> Topology:
    """Return the network whose nodes are the hosts of a machine; the machine itself if each has one slot."""
    if not isinstance(machine, Graph) or (machine.of is None and machine.tasks == 1):
        return machine
    made = machine.of
    if made is None:
        ends = machine.links()[:, [0, 2]].astype(np.int64) - machine.first_switch
        between = ends[(ends[:, 0] >= 0) & (ends[:, 0] < ends[:, 1])]
        at = np.bincount(machine.home - machine.first_switch, minlength=machine.switches) // machine.tasks
        made = graph(
            machine.text, Cables(between), at, places=machine.places, default_routing=machine.default_routing
        )
        made = with_hosts(made, machine.hosts[:: machine.tasks])
    service = np.unique(machine.service // machine.tasks).tolist()
    return marked(made, machine.text, service) if service else made


USUAL = {
    "sockets": 1, "rails": 1, "planes": 1, "nic": 1, "memory": 1, "latency": 0, "bus": 1, "crossing": 0,
}  # fmt: skip


def _text(of: Topology, given: dict[str, int]) -> str:
    shown = [f"{name}={value}" for name, value in given.items() if value != USUAL.get(name)]
    return f"nodes:{','.join(shown)}/{of.text}"


def _check(text: str, given: dict[str, int]) -> None:
    maximum = {"nic": MOST_CYCLES, "memory": MOST_CYCLES, "bus": MOST_CYCLES}
    maximum.update(latency=MOST_DELAY, crossing=MOST_DELAY)
    for name, value in given.items():
        minimum = 1 if USUAL.get(name, 1) else 0
        if check_int(value, f"{text}: {name}", minimum) > maximum.get(name, value):
            raise ValueError(f"{text}: {name} is {value}, expected {minimum} to {maximum[name]}")
    tasks, sockets = given["tasks"], given["sockets"]
    if tasks % sockets:
        raise ValueError(f"{text}: sockets={sockets} does not divide tasks={tasks}")
    for name in ("bus", "crossing"):
        if sockets == 1 and given[name] != USUAL[name]:
            raise ValueError(f"{text}: {name}={given[name]} without sockets, expected sockets=2 or more")


def _with_buses(cables: Cables, first: int, hosts: int, sockets: int, bus: int, crossing: int) -> Cables:
    """Return the cables with those between compute nodes, the first compute node, and their sockets."""
    host = np.repeat(np.arange(hosts), sockets)
    more = np.stack((first + host, first + hosts + np.arange(hosts * sockets)), axis=1)

    def longer(values: NDArray[Any] | None, of_buses: Any) -> Any:
        return None if values is None else np.concatenate((values, np.full(len(more), of_buses)))

    return Cables(
        np.concatenate((cables.ends, more)), cycles=longer(cables.cycles, bus),
        delay=longer(cables.delay, crossing), axis=longer(cables.axis, -1),
        closes=longer(cables.closes, False),
    )  # fmt: skip


def _cables(of: Topology, inner: Switches, rails: int, planes: int, nic: int) -> Cables:
    """Return the cables of all planes, plane by plane, and then those of compute nodes."""
    links = of.links().astype(np.int64)
    links = links[(links[:, [0, 2]] >= inner.first).all(axis=1)]
    first, second = links[:, 0] * of.ports + links[:, 1], links[:, 2] * of.ports + links[:, 3]
    once = links[first < second]
    switch, port = once[:, 0] - inner.first, once[:, 1]
    count, hosts = inner.count, of.nodes
    plane = np.repeat(np.arange(planes), len(once))
    between = np.stack((np.tile(switch, planes), np.tile(once[:, 2] - inner.first, planes)), axis=1)
    host = np.tile(np.arange(hosts).repeat(rails), planes)
    into = np.repeat(np.arange(planes), hosts * rails)
    wires = np.stack((inner.home[host] + into * count, planes * count + host), axis=1)
    ends = np.concatenate((between + plane[:, None] * count, wires))

    def column(table: NDArray[np.integer] | None, usually: int, of_wires: Int | int) -> Int:
        values = np.full(len(once), usually) if table is None else table[once[:, 0], port].astype(np.int64)
        return np.concatenate((np.tile(values, planes), np.broadcast_to(of_wires, len(wires))))

    is_graph = isinstance(of, Graph)
    cycles, delay = (of.cycles, of.delay) if isinstance(of, Graph) else (None, None)
    own_delay = np.zeros(hosts, np.int64)
    if is_graph and inner.first:
        assert delay is not None
        own_delay = delay[:hosts, 0].astype(np.int64)
    axis = None if inner.axis is None else inner.axis[switch, port]
    closes = None if inner.closes is None else inner.closes[switch, port]
    return Cables(
        ends,
        cycles=column(cycles, 1, nic),
        delay=column(delay, 0, own_delay[host]),
        axis=None if axis is None else np.concatenate((np.tile(axis, planes), np.full(len(wires), -1))),
        closes=None
        if closes is None
        else np.concatenate((np.tile(closes, planes), np.zeros(len(wires), bool))),
    )


def _with_compute_nodes(
    values: Int | None, home: Int, planes: int, sockets: int, apart: bool = False
) -> Int | None:
    """Return switch values for all planes; compute nodes and sockets get those of their first switch."""
    if values is None:
        return None
    step = int(values.max()) + 1 if apart else 0
    hosts = values[home]
    own = hosts.repeat(sockets) if sockets > 1 else hosts[:0]
    return np.concatenate((*(values + n * step for n in range(planes)), hosts, own))


def _places(inner: Switches, planes: int, sockets: int, tree: bool) -> Int | None:
    """Return the places of switches; in a tree, compute nodes and sockets are levels below all others."""
    if inner.places is None:
        return None
    if not tree:
        home = inner.home if sockets == 1 else np.concatenate((inner.home, inner.home.repeat(sockets)))
        return np.concatenate((*([inner.places] * planes), inner.places[home]))
    below = []
    for depth, each in enumerate((1, sockets) if sockets > 1 else (1,), 1):
        level = np.zeros((len(inner.home) * each, inner.places.shape[1]), np.int64)
        level[:, 0] = inner.places[:, 0].min() - depth
        level[:, -1] = np.arange(len(level))
        below.append(level)
    return np.concatenate((*([inner.places] * planes), *below))


Kind = TypeVar("Kind", bound=Topology)


def with_service(of: Topology, nodes: str = "", every: int = 0, first: int = 0) -> Topology:
    """Return a network in which some nodes do not compute: nothing runs on them.

    These nodes keep their numbers and links, and packets can pass through them. No job or task is placed on
    them, and they neither create nor receive open-loop traffic (`Topology.service`).

    Parameters
    ----------
    nodes : str
        Nodes and ranges of nodes, such as ``"0+5-9"``.
    every, first : int
        Every `every`-th node from `first` on, instead of a list or in addition to it.

    Raises
    ------
    ValueError
        If a number is not a node of the network, or no node that computes remains.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> with_service(parse("torus:4x4"), every=8).service.tolist()
    [0, 8]
    """
    parts, chosen = [], set(of.service.tolist())
    if nodes:
        parts.append(f"nodes={nodes}")
        chosen.update(*check_ranges(nodes, f"service:{nodes}: node", of.nodes - 1, "+"))
    every, first = check_int(every, "service: every", 0), check_int(first, "service: first", 0)
    if every:
        parts += [f"every={every}", *([f"first={first}"] if first else [])]
        chosen.update(range(first, of.nodes, every))
    if len(chosen) == of.nodes:
        raise ValueError(f"service:{','.join(parts)}/{of}: no compute node remains")
    return marked(of, f"service:{','.join(parts)}/{of.text}", sorted(chosen))


def marked(of: Kind, text: str, nodes: Sequence[int]) -> Kind:
    """Return the same network with the given text form, in which `nodes` (in order) do not compute."""
    twin = copy.copy(of)
    object.__setattr__(twin, "text", text)
    service = np.array(nodes, np.int64)
    service.setflags(write=False)
    object.__setattr__(twin, "_service", service)
    return twin
