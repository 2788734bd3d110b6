"""InfiniBand fabrics in the format of ``ibnetdiscover``."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from netplace.checks import abbreviate
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import numbered
from netplace.topologies.text_files import read_text

Int = NDArray[np.int64]
_OWNER = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
_PORT = re.compile(r'^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')


def ibnetdiscover(path: str) -> Graph:
    """Return the network of a file that ``ibnetdiscover`` wrote (ibnetdiscover(8), "Topology file format").

    Every port of a channel adapter that is connected to a switch is a node. Several cables between two
    switches are several links. If the switches form a tree whose leaves are the switches with nodes, the
    network is a tree with the routing `d_mod_k`. Nodes are in the order of the file.

    Raises
    ------
    ValueError
        If the file cannot be read, or a cable leads to a switch or port that the file does not contain.
    """
    text = f"ibnetdiscover:{path}"
    lines = read_text(path, text).splitlines()
    names: dict[str, str] = {}
    joined: list[tuple[int, str, str, str, str]] = []  # line, guid, port, guid, port
    owner = kind = ""
    for line, row in enumerate(lines, 1):
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
    switches = {guid: place for place, guid in enumerate(g for g in names if g.startswith("S-"))}
    if not switches:
        raise ValueError(
            f'{text}: no line such as Switch 36 "S-0002c90200404f0e", as in the output of ibnetdiscover'
        )
    nodes_at = np.zeros(len(switches), np.int64)
    ends = {(guid, port): (other, back) for _, guid, port, other, back in joined}
    cables = []
    for line, guid, port, other, back in joined:
        if other not in names:
            raise ValueError(f"{text} line {line}: a cable to {other}, which is not in the file")
        if other not in switches:
            nodes_at[switches[guid]] += 1
            continue
        if ends.get((other, back)) != (guid, port):
            raise ValueError(
                f"{text} line {line}: port {back} of {other} does not lead back to port {port} of {guid}"
            )
        if (guid, port) < (other, back):
            cables.append((switches[guid], switches[other]))
    places = _levels(len(switches), cables, nodes_at)
    labels = _unlike([names[guid] for guid in switches], list(switches))
    return graph(
        text, Cables.of(cables), nodes_at, names=labels, places=places,
        usual="up-down" if places is None else "d-mod-k",
    )  # fmt: skip


def _levels(switches: int, cables: list[tuple[int, int]], nodes_at: Int) -> Int | None:
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
    """Return unique names: with the identifier if several switches have the same name."""
    times = Counter(names)
    return [name if times[name] == 1 else f"{name} {guid}" for name, guid in zip(names, guids, strict=True)]
