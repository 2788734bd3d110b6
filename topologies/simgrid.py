"""SimGrid XML platforms as networks.

Source: "XML Reference" and "Platform Examples" of SimGrid 3.35 (simgrid.org/doc/latest/XML_reference.html).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_choice, check_int, check_ranges, check_size
from netplace.topologies.cables import Cables, graph, with_node_links
from netplace.topologies.dimensional import Dimension, dimensional
from netplace.topologies.fat_trees import xgft
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import numbered
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import check_cables
from netplace.topologies.rates import SPEEDS, TIMES, paces_of, read_quantity
from netplace.topologies.simgrid_zones import Platform

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_BYTES_PER_HOST = 300
_HOSTS = ("host", "cabinet", "peer")  # elements beside clusters
_IGNORED = ("speeds of hosts and loopback links are ignored",)
_MOST_BELOW = 256  # hosts of one switch: engines have at most 1023 inputs a switch
_MOST = 1 << 12  # of each number of a dragonfly


def simgrid(root: Element, text: str, phit: int, part: str = "") -> Graph:
    """Return the network of a platform's routes, or of a ``<cluster>``: flat, torus, fat tree or dragonfly.

    The network includes neither the computation of hosts nor loopback links.
    """
    clusters = {entry.get("id", ""): entry for entry in root.iter("cluster")}
    others = [entry for entry in root.iter() if entry.tag in _HOSTS]
    if not part and (len(clusters) != 1 or others):
        return Platform(root, text).network(phit)
    chosen = clusters[check_choice(part, clusters, f"{text}: cluster") if part else next(iter(clusters))]
    given = chosen.attrib
    flat = given.get("topology", "FLAT").upper() == "FLAT"
    if flat and (given.keys() & {"bb_bw", "limiter_link"} or given.get("sharing_policy") == "SHARED"):
        return Platform([chosen], text).network(phit)
    return _cluster(given, f"{text}: cluster {chosen.get('id')}", text, phit)


def _cluster(given: Mapping[str, str], where: str, text: str, phit: int) -> Graph:
    hosts = _numbers(given.get("radical", ""), where)
    policy = given.get("sharing_policy", "SPLITDUPLEX").upper()
    check_choice(policy, ("SPLITDUPLEX", "FULLDUPLEX"), f"{where}: sharing_policy")
    if "limiter_link" in given:
        raise ValueError(f"{where}: limiter_link, which netplace reads only with topology FLAT")
    speed = read_quantity(given.get("bw", ""), SPEEDS, f"{where}: bw", "125MBps")
    kind = given.get("topology", "FLAT").upper()
    check_choice(kind, ("FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"), f"{where}: topology")
    below = math.isqrt(len(hosts) - 1) + 1 if kind == "FLAT" and len(hosts) > _MOST_BELOW else 1
    paces = paces_of(where, [speed * below, speed], phit)
    delay = paces.delay(read_quantity(given.get("lat", ""), TIMES, f"{where}: lat", "50us"))
    notes = list(_IGNORED)
    parts = given.get("topo_parameters", "")
    if kind == "FLAT":
        made = _crossbar(text, len(hosts), below, given.get("router_id") or "switch")
        made = with_node_links(made, paces.cycles[1], delay)
        if below > 1:
            notes.append(
                f"the switch is {made.switches - 1} switches of up to {below} hosts, each with a cable as "
                f"fast as all of them to one more switch"
            )
    elif kind == "TORUS":
        sides = [check_int(side, f"{where}: topo_parameters") for side in parts.split(",")]
        made = dimensional(text, [Dimension("ring", side, delay=delay) for side in sides])
    elif kind == "FAT_TREE":
        made = _fat_tree(parts, delay, where, text)
    else:
        made = _dragonfly(parts, delay, where, text)
    if made.nodes != len(hosts):
        raise ValueError(
            f"{where}: topo_parameters {parts} are for {made.nodes} hosts, and radical has {len(hosts)}"
        )
    rates = paces.rates(f"cluster {given.get('id')} of SimGrid's platform", *notes)
    names = [f"{given.get('prefix', '')}{host}{given.get('suffix', '')}" for host in hosts]
    return with_hosts(replace(made, rates=rates), names)


def _crossbar(text: str, hosts: int, below: int, name: str) -> Graph:
    """Return a switch of all hosts, or one above switches of so many hosts, which needs fewer ports."""
    if below == 1:
        return graph(text, Cables.of([]), [hosts], names=[name])
    leaves = -(-hosts // below)
    at = np.diff([*range(0, hosts, below), hosts])
    cables = Cables(np.stack((np.arange(leaves), np.full(leaves, leaves)), axis=1))
    names = [f"{name}-{leaf}" for leaf in range(leaves)] + [name]
    places = numbered(np.repeat([1, 2], [leaves, 1]))
    return graph(text, cables, [*at, 0], names=names, places=places, default_routing="adaptive")


def _fat_tree(parts: str, delay: int, where: str, text: str) -> Graph:
    """Return the fat tree of ``levels;children;parents;cables``, each from the leaves up."""
    words = [word.split(",") for word in parts.split(";")]
    if len(words) != 4 or len(words[0]) != 1:
        raise ValueError(
            f"{where}: topo_parameters {abbreviate(parts)}, expected a form such as 2;4,4;1,2;1,2"
        )
    levels, down, up, width = ([check_int(n, f"{where}: topo_parameters") for n in row] for row in words)
    if not len(down) == len(up) == len(width) == levels[0]:
        raise ValueError(
            f"{where}: topo_parameters {parts}: not {levels[0]} numbers for children, parents and cables"
        )
    made = xgft(down, up, width)
    return replace(made, text=text, delay=np.full(made.neighbor.shape, delay, np.int32))


def _dragonfly(parts: str, delay: int, where: str, text: str) -> Graph:
    """Return the dragonfly of groups of chassis of routers: ``3,4;3,2;3,1;2``, numbers and cables of each."""
    # Routers of a chassis are all joined, and those at the same place of the chassis of a group; router j of
    # group i is joined to router i of group j.
    words = [word.split(",") for word in parts.split(";")]
    if [len(word) for word in words] != [2, 2, 2, 1]:
        raise ValueError(
            f"{where}: topo_parameters {abbreviate(parts)}, expected a form such as 3,4;3,2;3,1;2"
        )
    (groups, blue), (chassis, black), (routers, green), (hosts,) = (
        [check_int(n, f"{where}: topo_parameters", 1, _MOST) for n in row] for row in words
    )
    of_group = chassis * routers
    if groups > of_group:
        raise ValueError(
            f"{where}: {groups} groups, expected no more than a group's {of_group} routers, with a cable "
            f"for each"
        )
    inside = chassis * math.comb(routers, 2) * green + routers * math.comb(chassis, 2) * black
    check_cables(text, groups * inside + math.comb(groups, 2) * blue + groups * of_group * hosts)
    number = np.arange(groups * of_group).reshape(groups, chassis, routers)
    pairs = [
        (_pairs(number.reshape(-1, routers)), green),
        (_pairs(number.transpose(0, 2, 1).reshape(-1, chassis)), black),
        ([(i * of_group + j, j * of_group + i) for i, j in itertools.combinations(range(groups), 2)], blue),
    ]
    ends = [pair for some, width in pairs for pair in some for _ in range(width)]
    cables = Cables(np.array(ends, np.int64).reshape(-1, 2), delay=np.full(len(ends), delay, np.int64))
    switch = np.arange(groups * of_group)
    made = graph(
        text, cables, np.full(len(switch), hosts), group=switch // of_group, default_routing="adaptive",
        places=np.stack((switch // of_group, switch // routers % chassis, switch % routers), axis=1),
    )  # fmt: skip
    return with_node_links(made, 1, delay)


def _pairs(rows: NDArray[np.int64]) -> list[tuple[int, int]]:
    return [pair for row in rows.tolist() for pair in itertools.combinations(row, 2)]


def _numbers(radical: str, where: str) -> list[int]:
    """Return the numbers of a radical such as ``0-9,12``."""
    spans = check_ranges(radical, f"{where}: radical")
    check_size(sum(span.stop - span.start for span in spans), _BYTES_PER_HOST, "hosts", where)
    return [number for span in spans for number in span]
