"""Open-loop traffic: patterns of destinations, and measurement of accepted load and delay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_int, check_steps
from netplace.netsim.config import Config
from netplace.netsim.engine import Traffic
from netplace.netsim.network import Network
from netplace.netsim.rate_table import rate_table
from netplace.netsim.result import Delay
from netplace.registry import Registry
from netplace.topologies import Graph, Grid, Topology

Target = NDArray[np.int64]


def _bits(topology: Topology, name: str) -> int:
    """Return the bits of a node number, for patterns that need a power of two."""
    bits = topology.nodes.bit_length() - 1
    if 1 << bits != topology.nodes:
        raise ValueError(f"--traffic {name}: needs a power of two of nodes, {topology} has {topology.nodes}")
    return bits


def _uniform(topology: Topology) -> Target:
    """Any other node, with equal probability."""
    return np.full(topology.nodes, -1)


def _hot_spot(topology: Topology) -> Target:
    """Hot node for a share of the packets; for the others, any other node, with equal probability."""
    return _uniform(topology)


def _transpose(topology: Topology) -> Target:
    """Node with reversed coordinates; on other networks, with swapped halves of the node number."""
    node = np.arange(topology.nodes)
    if isinstance(topology, Grid):
        if len(set(topology.sizes)) > 1:
            raise ValueError(f"--traffic transpose: needs equal sides, {topology} has {topology.sizes}")
        return np.asarray(topology.node(topology.coordinates(node)[:, ::-1]), np.int64)
    half, odd = divmod(_bits(topology, "transpose"), 2)
    if odd:
        raise ValueError(
            f"--traffic transpose: needs an even number of address bits, {topology} has {2 * half + 1}"
        )
    return node >> half | (node & ((1 << half) - 1)) << half


def _tornado(topology: Topology) -> Target:
    """Node at half a ring minus one in every dimension (Dally and Towles, table 3.1)."""
    if not isinstance(topology, Grid):
        raise ValueError(f"--traffic tornado: is defined on meshes and tori, not on {topology}")
    sizes = np.array(topology.sizes)
    place = (topology.coordinates(np.arange(topology.nodes)) + (sizes + 1) // 2 - 1) % sizes
    return np.asarray(topology.node(place), np.int64)


def _bit_complement(topology: Topology) -> Target:
    """Node with all address bits inverted."""
    return np.arange(topology.nodes) ^ ((1 << _bits(topology, "bit-complement")) - 1)


def _bit_reversal(topology: Topology) -> Target:
    """Node with its address bits in reverse order."""
    node = np.arange(topology.nodes)
    bits = _bits(topology, "bit-reversal")
    return sum(((node >> b & 1) << (bits - 1 - b) for b in range(bits)), np.zeros_like(node))


def _shuffle(topology: Topology) -> Target:
    """Node with its address bits rotated left by one."""
    node = np.arange(topology.nodes)
    bits = _bits(topology, "shuffle")
    return node if bits == 0 else (node << 1 | node >> (bits - 1)) & ((1 << bits) - 1)


def _neighbour(topology: Topology) -> Target:
    """Next node in every dimension; on other networks, the node with the next number."""
    node = np.arange(topology.nodes)
    if isinstance(topology, Grid):
        return np.asarray(topology.node((topology.coordinates(node) + 1) % topology.sizes), np.int64)
    return (node + 1) % topology.nodes


def _adversarial(topology: Topology) -> Target:
    """Node of the same rank in the next group; at the next switch if there are no groups."""
    if not isinstance(topology, Graph):
        raise ValueError(f"--traffic adversarial: needs groups or switches with nodes, {topology} has none")
    at = topology.home - topology.first_switch
    owner = at if topology.group is None else topology.group[at]
    members, size = np.unique(owner, return_counts=True)
    if size.min() != size.max():
        raise ValueError(
            f"--traffic adversarial: needs groups of one size, {topology} has some of {size.min()} "
            f"and some of {size.max()} nodes"
        )
    inside = np.argsort(owner, kind="stable").reshape(len(members), -1)
    target = np.empty(topology.nodes, np.int64)
    target[inside] = np.roll(inside, -1, axis=0)
    return target


def _table(topology: Topology) -> Target:
    """Rates of pairs of nodes in a file, table:FILE (CSV or a matrix), in proportion to the offered load."""
    return _uniform(topology)


_PATTERNS: dict[str, Callable[[Topology], Target]] = {
    "uniform": _uniform,
    "transpose": _transpose,
    "tornado": _tornado,
    "bit-complement": _bit_complement,
    "bit-reversal": _bit_reversal,
    "shuffle": _shuffle,
    "neighbour": _neighbour,
    "adversarial": _adversarial,
    "hot-spot": _hot_spot,
    "table": _table,
}

PATTERNS: Registry[Callable[[Topology], Target]] = Registry("traffic", "netplace.traffic", None, _PATTERNS)


def _targets(text: str, topology: Topology) -> Target:
    """Return the destination of each node's packets under a pattern; -1: any other node."""
    function, option = PATTERNS.find(text, "--traffic")
    if bool(option) != (function is _table):
        expected = "a file, table:FILE" if not option else f"no option, but {option!r} was given"
        raise ValueError(f"--traffic {text}: takes {expected}")
    targets = np.asarray(function(topology))
    if targets.shape != (topology.nodes,) or not np.issubdtype(targets.dtype, np.integer):
        raise ValueError(
            f"--traffic {text}: returns {targets.dtype} of shape {targets.shape}, expected a whole number "
            f"for each of the {topology.nodes} nodes of {topology}"
        )
    wrong = targets[(targets < -1) | (targets >= topology.nodes)]
    if len(wrong):
        raise ValueError(f"--traffic {text}: node {wrong[0]} is not in 0..{topology.nodes - 1} of {topology}")
    return targets


def pattern(
    name: str,
    topology: Topology,
    chance: float,
    *,
    hot_node: int | None = None,
    hot_share: float = 0.1,
    without: ArrayLike = (),
) -> Traffic:
    """Return the open-loop traffic with the given name.

    Parameters
    ----------
    name : str
        Key of `PATTERNS`, or your own pattern as ``"file.py:function"``: a function that takes the topology
        and returns the destination of the packets of each node, or -1 for any node. A node that is its own
        destination creates no packets. ``"hot-spot"`` is uniform, except that `hot_share` of the packets go
        to `hot_node` (by default, the node in the middle of the numbering). Nodes that do not compute
        (`Topology.service`) neither create nor receive packets: destinations are drawn among the other nodes,
        and a node whose destination does not compute creates no packets; see `left_out`. ``"table:FILE"``
        takes the rates of `netplace.netsim.rate_table`, times a factor that makes `chance` the mean.
    chance : float
        Probability that a node creates a packet in a cycle.
    without : array_like of int
        Further nodes that neither create nor receive packets, such as those of `Network.cut`.

    Raises
    ------
    ValueError
        If the name is unknown, the pattern is not defined on the network, or no node is left.
    """
    targets = _targets(name, topology)
    every = np.arange(topology.nodes)
    silent = np.zeros(topology.nodes, bool)
    silent[topology.service] = silent[topology.check_nodes(without)] = True
    active = every[~silent]
    if not len(active):
        raise ValueError(f"--traffic {name}: no node of {topology} creates packets")
    targets = np.where(silent | silent[targets], every, targets)
    if len(active) == 1:
        targets[active] = active
    if path := file_of(name):
        rates = rate_table(path, topology, set(every[silent].tolist()))
        sums = rates.sum(axis=1)
        if (most := chance * sums.max()) > 1:
            expected = "expected at most 1; rates without a unit are in phits per cycle"
            raise ValueError(
                f"{path}: node {sums.argmax()} would create {most:g} packets a cycle, {expected}"
            )
        return Traffic(chance, np.where(sums > 0, -1, every).astype(np.int32), rates=rates)
    among = active.astype(np.int32) if len(active) < len(every) else None
    if name != "hot-spot":
        return Traffic(chance, targets.astype(np.int32), among=among)
    node = int(active[len(active) // 2]) if hot_node is None else check_int(hot_node, "--hot-node", 0)
    if node >= topology.nodes:
        raise ValueError(f"--hot-node: node {node} is not in 0..{topology.nodes - 1} of {topology}")
    if silent[node]:
        raise ValueError(f"--hot-node: node {node} of {topology} does not compute or is cut off")
    if not 0 <= hot_share <= 1:
        raise ValueError(f"--hot-share: {hot_share} is not in 0..1")
    return Traffic(chance, targets.astype(np.int32), node, hot_share, among)


def file_of(name: str) -> str:
    """Return the file of a pattern ``table:FILE``; empty for others."""
    return name.removeprefix("table:") if name.startswith("table:") else ""


def left_out(name: str, topology: Topology) -> Target:
    """Return the computing nodes that create no packets because their destination does not compute."""
    lost = np.isin(_targets(name, topology), topology.service)
    lost[topology.service] = False
    return np.flatnonzero(lost)


_BATCHES = 20  # of a measurement


@dataclass(frozen=True)
class LoadPoint:
    """One point of a latency-throughput curve.

    Attributes
    ----------
    offered, accepted : float
        Offered and accepted load in phits per node and cycle; the accepted load is measured after the
        warm-up.
    delay : Delay
        Delays of the packets ejected in the measurement, from creation to the ejection of the tail.
    cycles, drained_cycles : int
        Cycles of the measurement alone, and together with the warm-up.
    packets, packet_hops, events : int
        Numbers of packets ejected, links crossed and state changes in the measurement.
    cpu_seconds : float
        CPU time of the measurement.
    batches : tuple of float
        Accepted load in each of up to 20 equal parts of the measurement, for batch means.
    """

    offered: float
    accepted: float
    delay: Delay
    cycles: int
    drained_cycles: int
    packets: int
    packet_hops: int
    cpu_seconds: float
    seed: int
    events: int
    batches: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form."""
        return {**self.__dict__, "delay": self.delay.to_dict(), "mean_delay": self.delay.to_dict()["mean"]}


def default_measure(nodes: int) -> int:
    """Return the cycles of a measurement unless they are given."""
    return max(2000, 8_000_000 // nodes)


def measure_load(
    topology: Topology,
    offered: float,
    *,
    traffic: str = "uniform",
    config: Config | None = None,
    engine: str = "kernel",
    seed: int = 0,
    warmup: int = 1000,
    measure: int | None = None,
    hot_node: int | None = None,
    hot_share: float = 0.1,
    threads: int | str = 1,
) -> LoadPoint:
    """Run open-loop traffic on a network, and measure the accepted load and the delay.

    Parameters
    ----------
    offered : float
        Offered load in phits per node and cycle: greater than 0 and at most `packet_phits`.
    warmup, measure : int
        Cycles of the warm-up and of the measurement. By default, the measurement covers 8 million node-cycles
        and at least 2000 cycles. Close to saturation, a large network needs a longer warm-up to become
        steady.
    threads : int or str
        Number of threads that simulate the network together, as in `Network`.

    Raises
    ------
    ValueError
        If a value is out of range or the pattern is not defined on the network.
    """
    config = config or Config()
    if not 0 < offered <= config.packet_phits:
        raise ValueError(
            f"--offered: {offered} is out of range, expected more than 0 and at most {config.packet_phits} "
            f"phits per node and cycle"
        )
    check_int(warmup, "--warmup", 0)
    if measure is None:
        measure = default_measure(topology.nodes)
    check_int(measure, "--measure", 1)
    check_steps(topology.nodes * (warmup + measure), "cycles of nodes", "--warmup and --measure")
    network = Network(topology, config, engine=engine, seed=seed, threads=threads)
    chance = offered / config.packet_phits
    network.apply_faults()  # faults from the start cut nodes off before any packet is drawn
    cut = np.flatnonzero(network.cut)
    network.generate(pattern(traffic, topology, chance, hot_node=hot_node, hot_share=hot_share, without=cut))
    network.advance(warmup)
    network.reset_counters()
    before = network.cpu_seconds
    ends = sorted({measure * part // _BATCHES for part in range(_BATCHES + 1)})
    delivered = [0]
    for end in ends[1:]:
        network.advance(warmup + end)
        delivered.append(network.counters().delivered)
    counters = network.counters()
    phits = config.packet_phits / topology.nodes
    return LoadPoint(
        offered=offered,
        accepted=counters.delivered * config.packet_phits / (topology.nodes * measure),
        delay=Delay.of(counters.packet_delays, counters.packet_delay_sum),
        cycles=measure,
        drained_cycles=warmup + measure,
        packets=counters.delivered,
        packet_hops=int(counters.link_packets.sum()),
        cpu_seconds=network.cpu_seconds - before,
        seed=seed,
        events=counters.events,
        batches=tuple((np.diff(delivered) / np.diff(ends) * phits).tolist()),
    )
