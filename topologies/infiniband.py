"""InfiniBand fabrics as ``ibnetdiscover`` writes them, with speeds, and hosts of several adapters.

Source: ibnetdiscover(8), "Topology file format".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_int
from netplace.topologies.cables import Cables, graph, with_node_links
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import numbered
from netplace.topologies.host_lists import with_hosts, with_origin
from netplace.topologies.rates import paces_of
from netplace.topologies.text_files import read_text

_OWNER = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
_PORT = re.compile(r'^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')
_SPEED = re.compile(r"\b(\d+)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\s*$")
# Data rate of a lane in Gbit/s (InfiniBand Architecture Specification, Volume 1, "Link Speeds").
_LANES = {
    **{"SDR": 2.0, "DDR": 4.0, "QDR": 8.0, "FDR10": 10.0, "FDR": 13.64, "EDR": 25.0},
    **{"HDR": 50.0, "NDR": 100.0, "XDR": 200.0},
}
_ADAPTER = re.compile(r"(\S+)\s+(?:HCA-?\d+|[a-z]+\d*_\w+|ib\w+)")  # node001 mlx5_0
_AGGREGATION = "Aggregation Node"  # ends the name of an adapter inside a switch, which runs no tasks
_PHIT = 4  # bytes
_Rails = list[tuple[int, float]]  # of a host: switch and bytes per second of each


def ibnetdiscover(path: str, slots: str | int = "") -> Graph:
    """Return the network of a file that ``ibnetdiscover`` wrote.

    Adapters with the same host in their names, such as ``node1 mlx5_0`` and ``node1 mlx5_1``, are the rails
    of one host: a switch with places for `slots` tasks, as many as adapters by default. If all hosts have one
    adapter and no `slots` are given, a host is a node. The adapters with which switches aggregate are left
    out. Several cables between two switches are several links. Speeds such as ``4xNDR`` are those of the
    links, if all have one. If the switches form a tree whose leaves are the switches with nodes, the network
    is a tree with the routing `d_mod_k`, or ``adaptive`` if there are rails; without a tree, every adapter is
    a node.

    Raises
    ------
    ValueError
        If the file cannot be read, or a cable leads to a switch or port that the file does not contain.
    """
    text = f"ibnetdiscover:{path}{f',slots={slots}' if slots else ''}"
    names: dict[str, str] = {}
    joined: list[tuple[int, str, str, str, str]] = []  # line, guid, port, guid, port
    speed: dict[tuple[str, str], float] = {}  # bytes per second, by guid and port of the switch
    owner = kind = ""
    for line, row in enumerate(read_text(path, text).splitlines(), 1):
        if match := _OWNER.match(row):
            kind, owner, name = match.group(1), match.group(2), match.group(3)
            if owner in names:
                raise ValueError(f"{text} line {line}: {owner} appears twice")
            if kind == "Switch" and not owner.startswith("S-"):
                raise ValueError(
                    f"{text} line {line}: switch {abbreviate(owner)}, expected a name that begins with S-"
                )
            names[owner] = name or owner
        elif (cable := _PORT.match(row)) and kind == "Switch":
            joined.append((line, owner, cable.group(1), cable.group(2), cable.group(3)))
            if rate := _SPEED.search(row):
                speed[owner, cable.group(1)] = int(rate[1]) * _LANES[rate[2]] * 1e9 / 8
    switches = {guid: place for place, guid in enumerate(g for g in names if g.startswith("S-"))}
    if not switches:
        raise ValueError(
            f'{text}: no line such as Switch 36 "S-0002c90200404f0e", as in the output of ibnetdiscover'
        )
    aggregating = {guid for guid, name in names.items() if name.endswith(_AGGREGATION)}
    joined = [each for each in joined if each[3] not in aggregating]
    ends = {(guid, port): (other, back) for _, guid, port, other, back in joined}
    adapters = {guid: name for guid, name in names.items() if guid not in switches}
    own = dict(zip(adapters, _unlike(list(adapters.values()), list(adapters)), strict=True))
    host = {guid: m[1] if (m := _ADAPTER.fullmatch(name)) else own[guid] for guid, name in adapters.items()}
    cables: list[tuple[int, int]] = []
    speeds: list[float] = []
    hosts: dict[str, _Rails] = {}
    alone: dict[str, _Rails] = {}  # hosts, if each adapter, or port of one, is a host
    for line, guid, port, other, back in joined:
        rate_of = speed.get((guid, port), 0.0)
        if other not in names:
            raise ValueError(f"{text} line {line}: a cable to {other}, which is not in the file")
        if other not in switches:
            hosts.setdefault(host[other], []).append((switches[guid], rate_of))
            alone[f"{own[other]} {back}" if own[other] in alone else own[other]] = hosts[host[other]][-1:]
            continue
        if ends.get((other, back)) != (guid, port):
            raise ValueError(
                f"{text} line {line}: port {back} of {other} does not lead back to port {port} of {guid}"
            )
        if (guid, port) < (other, back):
            cables.append((switches[guid], switches[other]))
            speeds.append(rate_of)
    labels = _unlike([names[guid] for guid in switches], list(switches))
    notes = [f"{len(aggregating)} aggregation nodes of switches run no tasks"] if aggregating else []
    rails = max(map(len, hosts.values()), default=1)
    each = check_int(slots or rails, f"{text}: slots", 1, 1 << 10)
    first, places = len(labels), None
    if rails > 1 or slots:
        wires = [(at, first + number) for number, its in enumerate(hosts.values()) for at, _ in its]
        nodes_at = np.repeat([0, each], [first, len(hosts)])
        places = _levels(first + len(hosts), cables + wires, nodes_at)
    if places is not None:
        labels += [f"host {name}" for name in hosts]
        cables += wires
        speeds += [rate for its in hosts.values() for _, rate in its]
        of_nodes = [sum(rate for _, rate in its) for its in hosts.values() for _ in range(each)]
        notes.append(
            f"hosts have {each} places for tasks (slots=), each of which is assumed to be as fast as all "
            f"adapters of its host together"
        )
    else:
        if rails > 1 or slots:
            notes.append("the switches form no tree, so every adapter of a host is a node")
            each, hosts = 1, alone
        of_nodes = [its[0][1] for its in hosts.values()]
        nodes_at = np.bincount([its[0][0] for its in hosts.values()], minlength=first)
        places = _levels(first, cables, nodes_at)
    paces = paces_of(text, speeds + of_nodes, _PHIT) if min(speeds + of_nodes, default=0) > 0 else None
    default_routing = "up-down" if places is None else "adaptive" if len(labels) > first else "d-mod-k"
    cycles = None if paces is None else paces.cycles
    made = graph(
        text,
        Cables(np.array(cables, np.int64).reshape(-1, 2), None if cycles is None else cycles[: len(cables)]),
        nodes_at, names=labels, places=places, default_routing=default_routing,
    )  # fmt: skip
    if paces is not None:
        notes.append("latencies are not in the file and are taken as 0")
        made = with_node_links(made, paces.cycles[len(cables) :], 0)
        made = replace(made, rates=paces.rates("ibnetdiscover's fabric", *notes))
    made = with_hosts(replace(made, tasks=each), [name for name in hosts for _ in range(each)])
    return with_origin(made, f"ibnetdiscover's fabric, {len(hosts):,} hosts")


def _levels(
    switches: int, cables: list[tuple[int, int]], nodes_at: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return the levels of the switches, their distance from nodes, if cables connect only adjacent ones."""
    near: list[set[int]] = [set() for _ in range(switches)]
    for a, b in cables:
        near[a].add(b)
        near[b].add(a)
    level = np.where(nodes_at > 0, 1, 0)
    reached = np.flatnonzero(level).tolist()
    for switch in reached:
        for other in sorted(near[switch]):
            if not level[other]:
                level[other] = level[switch] + 1
                reached.append(other)
    if any(abs(int(level[a]) - int(level[b])) != 1 for a, b in cables) or not level.all():
        return None
    return numbered(level)


def _unlike(names: list[str], guids: list[str]) -> list[str]:
    """Return unique names: with the identifier if several have the same name."""
    times = Counter(names)
    return [name if times[name] == 1 else f"{name} {guid}" for name, guid in zip(names, guids, strict=True)]
