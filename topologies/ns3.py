"""Topologies of ns-3 as HPCC and SimAI write them.

Sources: ``simulation/mix`` of github.com/alibaba-edu/High-Precision-Congestion-Control, and
``astra-sim-alibabacloud/inputs/topo`` of github.com/aliyun/SimAI.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from netplace.inputs import abbreviate, check_int
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.graph import Graph

if TYPE_CHECKING:
    import networkx as nx


def ns3(content: str, text: str, phit: int) -> Graph:
    """Return the network of a file: its first line has numbers, its second line the switches.

    HPCC's numbers are those of vertices, switches and links; SimAI's those of vertices, GPUs of a server,
    NVSwitches, switches and links, and a kind of GPU. Each further line is a link ``0 8 100Gbps 1us 0``, with
    its rate, latency and error rate. Vertices that are not switches are nodes.
    """
    import networkx as nx

    rows = [(line, row.split()) for line, row in enumerate(content.splitlines(), 1) if row.strip()]
    numbers = [check_int(word, f"{text} line 1", 0) for word in rows[0][1][:5]]
    if len(numbers) not in (3, 5):
        raise ValueError(f"{text} line 1: {len(numbers)} numbers, expected 3 of HPCC or 5 of SimAI")
    count = numbers[0]
    told, links = sum(numbers[-3:-1]) if len(numbers) == 5 else numbers[1], numbers[-1]
    switches = {check_int(word, f"{text} line 2: switch", 0, count - 1) for word in rows[1][1]}
    if len(switches) != told or len(rows) - 2 < links:
        raise ValueError(
            f"{text}: {len(switches)} switches and {len(rows) - 2} links, expected {told} and {links} as "
            f"line 1 says"
        )
    network: nx.MultiGraph[Any] = nx.MultiGraph()
    network.add_nodes_from((vertex, {"nodes": int(vertex not in switches)}) for vertex in range(count))
    for line, words in rows[2 : 2 + links]:
        where = f"{text} line {line}"
        if len(words) != 5:
            raise ValueError(
                f"{where}: {abbreviate(' '.join(words))}, expected a form such as 0 8 100Gbps 1us 0"
            )
        a, b = (check_int(word, f"{where}: vertex", 0, count - 1) for word in words[:2])
        lossy = {} if words[4].strip("0.") == "" else {"error rate": words[4]}
        network.add_edge(a, b, bandwidth=words[2], latency=words[3], **lossy)
    made = from_networkx(network, text, phit)
    if not (left := len(rows) - 2 - links) or made.rates is None:
        return made
    note = f"{left} lines after the {links} links that line 1 counts are ignored, as in ns-3"
    return replace(made, rates=replace(made.rates, notes=(*made.rates.notes, note)))
