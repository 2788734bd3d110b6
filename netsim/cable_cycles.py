"""Latencies of cables, pipelines and credits of a network, in cycles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.fabric_texts import KINDS, read_latencies
from netplace.topologies import Graph, Topology, Tree

Int = NDArray[np.int64]


def first_switch(topology: Topology) -> int:
    """Return the number of the first router that is not just the end of a link."""
    if isinstance(topology, Graph):
        return topology.first_switch
    return topology.nodes if isinstance(topology, Tree) else 0


def _first_compute_node(topology: Topology) -> int:
    """Return the number of the first switch that is a compute node with several tasks."""
    return topology.routers - (topology.compute_nodes if isinstance(topology, Graph) else 0)


def kinds_of_links(topology: Topology) -> dict[str, NDArray[np.bool_]]:
    """Return the links of each kind of cable, shape (routers, ports), without those in compute nodes."""
    first, last = first_switch(topology), _first_compute_node(topology)
    here = np.arange(topology.routers)[:, None]
    there = topology.neighbor.astype(np.int64)
    wired = there >= 0
    between = wired & (here >= first) & (there >= first) & (here < last) & (there < last)
    inside = wired & ((here < first) | (there < first)) if last < topology.routers else np.zeros_like(wired)
    away = np.zeros_like(wired)
    group = topology.group if isinstance(topology, Graph) else None
    if group is not None:
        number = np.concatenate((np.full(first, -1), group))
        away = between & (number[here] != number[np.maximum(there, 0)])
    return {"node": wired & ~between & ~inside, "local": between & ~away, "global": away}


def check_kinds(topology: Topology, config: Config) -> None:
    """Raise ``ValueError`` if a latency is given for a kind of cable that the network does not have.

    A named fabric can have kinds of cables that the network does not use.
    """
    if "=" not in config.cable_latency or (config.fabric and "cable_latency" not in config.overridden):
        return
    groups = isinstance(topology, Graph) and topology.group is not None
    has = {
        "node": first_switch(topology) > 0 or _first_compute_node(topology) < topology.routers,
        "local": True,
        "global": groups,
    }
    there = [kind for kind in KINDS if has[kind]]
    for kind in read_latencies(config.cable_latency, config.cycle_ns):
        if kind not in there:
            raise ValueError(
                f"cable_latency {config.cable_latency!r}: {kind}: {topology} has no {KINDS[kind]}, "
                f"expected {' or '.join(there)}"
            )


def further_cycles(topology: Topology, config: Config) -> Int:
    """Return the cycles of a phit on each link beyond `Config.link_delay`, shape (routers, ports)."""
    cycles = np.zeros(topology.neighbor.shape, np.int64)
    if isinstance(topology, Graph):
        cycles += topology.delay
        if topology.rates is not None:  # a cycle is as long as a phit takes
            cycles = -(-cycles * topology.rates.phit_bytes // config.phit_bytes)
    if config.cable_latency:
        links = kinds_of_links(topology)
        for kind, latency in read_latencies(config.cable_latency, config.cycle_ns).items():
            cycles += latency * links[kind]
    return cycles


def pipeline_cycles(topology: Topology, config: Config) -> Int:
    """Return the pipeline cycles of the router at the end of each link, shape (routers, ports)."""
    there = topology.neighbor
    switch = (there >= first_switch(topology)) & (there < _first_compute_node(topology))
    return np.where(switch, config.pipeline, 0)


def credit_lags(topology: Topology, config: Config) -> Int:
    """Return the delay in cycles until room beyond each link is known, shape (routers, ports)."""
    if config.credit_delay is None and not config.cable_latency:
        return np.zeros(topology.neighbor.shape, np.int64)
    wire = config.link_delay - 1 + further_cycles(topology, config)
    return np.where(topology.neighbor >= 0, wire + (config.credit_delay or 0), 0)
