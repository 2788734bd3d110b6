"""Hosts with several GPUs and adapters: the same adapter of all hosts is a rail with switches of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netplace.inputs import check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.hierarchy import numbered
from netplace.topologies.limits import MOST_CYCLES, MOST_WIDTH, check_size


def rail_optimized(
    hosts: int, gpus: int, rails: int | None = None, leaves: int | None = None, spines: int | None = None,
    width: int | None = None, nic: int | None = None,
) -> Graph:  # fmt: skip
    """Return the rail-optimized fat tree of hosts with several GPUs, each of which is a node.

    A host is a switch between its GPUs and its adapters. Adapter `r` of every host is connected to a leaf
    switch of rail `r`, and every leaf to all spines. Packets take the least occupied rail; under the routing
    `d_mod_k`, all packets to GPU `g` take rail ``g mod rails``. NVIDIA, "DGX SuperPOD: Next Generation
    Scalable Infrastructure for AI Leadership", reference architecture, 2023.

    Parameters
    ----------
    gpus, rails : int
        GPUs and adapters of each host; by default, each GPU has an adapter.
    leaves : int, optional
        Leaf switches of each rail (1), among which consecutive hosts are divided.
    spines, width : int, optional
        Spine switches (0: rails meet only in hosts), and cables between a leaf and a spine (1).
    nic : int, optional
        Cycles per phit of all links outside hosts (1), such as the ratio of NVLink to an adapter.

    Raises
    ------
    ValueError
        If a number is out of range, leaves of a rail have no spine, or the network is too large for memory.

    Examples
    --------
    >>> pod = rail_optimized(32, 8, leaves=2, spines=16)
    >>> pod.nodes, pod.distance(0, 7).item(), pod.distance(0, 8).item(), pod.distance(0, 255).item()
    (256, 2, 4, 6)
    """
    given = {
        "hosts": hosts, "gpus": gpus, "rails": rails, "leaves": leaves, "spines": spines, "width": width,
        "nic": nic,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    text = f"rail-optimized:{','.join(f'{name}={value}' for name, value in given.items())}"
    maximum = {"width": MOST_WIDTH, "nic": MOST_CYCLES}
    for name, value in given.items():
        check_int(value, f"{text}: {name}", 0 if name == "spines" else 1, maximum.get(name, 1 << 20))
    k, leaves, spines = rails or gpus, leaves or 1, spines or 0
    if leaves > hosts:
        raise ValueError(f"{text}: {leaves} leaves of a rail, expected at most the {hosts} hosts")
    if leaves > 1 and not spines:
        raise ValueError(f"{text}: {leaves} leaves of a rail without spines, expected spines=1 or more")
    below = -(-hosts // leaves)
    check_size(text, hosts * (gpus + 1) + k * leaves + spines, max(gpus + k, below + spines, k * leaves))
    leaf, first = np.arange(k * leaves), k * leaves + spines
    host, rail = np.divmod(np.arange(hosts * k), k)
    up = [np.stack((leaf, np.full(len(leaf), k * leaves + spine)), axis=1) for spine in range(spines)]
    ends = np.concatenate(
        [np.stack((first + host, rail * leaves + host * leaves // hosts), axis=1), *up * (width or 1)]
    )
    made = graph(
        text, Cables(ends, np.full(len(ends), nic or 1)), np.repeat([0, gpus], [first, hosts]),
        places=numbered(np.repeat([2, 3, 1], [len(leaf), spines, hosts])), default_routing="adaptive",
    )  # fmt: skip
    return replace(made, tasks=gpus)
