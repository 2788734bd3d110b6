"""The order of the ranks of a job on the nodes that Slurm has given it."""

from __future__ import annotations

import re

import numpy as np

from netplace.inputs import abbreviate
from netplace.live.searches import rank_order
from netplace.live.state import host_names
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import network_of_hosts
from netplace.topologies.host_lists import expand


def rank_hosts(topology: Topology, hosts: str, counts: str, mapping: str, app: str = "") -> list[str]:
    """Return the node of each rank of a job; the ranks on a node are consecutive.

    `hosts` and `counts` are as in SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE: ``2(x3),1`` is 2, 2, 2 and 1
    ranks. The mapping orders the nodes by the traffic of the application between them.
    """
    names = list(expand(hosts, "SLURM_JOB_NODELIST"))
    if not re.fullmatch(r"([0-9]{1,6}(\(x[0-9]{1,6}\))?(,|$))+", counts):
        raise ValueError(f"SLURM_TASKS_PER_NODE: {abbreviate(counts)}, expected counts such as 2(x3),1")
    parts = re.findall(r"([0-9]+)(?:\(x([0-9]+)\))?", counts)
    ranks = [int(count) for count, nodes in parts for _ in range(int(nodes or 1))]
    topology = network_of_hosts(topology)
    number = {name: node for node, name in enumerate(host_names(topology))}
    if unknown := [name for name in names if name not in number]:
        raise ValueError(f"{topology}: has no node {abbreviate(unknown[0])}")
    if len(ranks) != len(names):
        raise ValueError(f"SLURM_TASKS_PER_NODE: counts for {len(ranks)} nodes, expected {len(names)}")
    on = dict(zip(names, ranks, strict=True))
    nodes = np.array([number[name] for name in names])
    by_number = dict(zip(nodes.tolist(), names, strict=True))
    order = [by_number[node] for node in rank_order(topology, mapping, app, nodes, len(names), 0)]
    return [name for name in order for _ in range(on[name])]
