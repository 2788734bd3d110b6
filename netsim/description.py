"""The description of a network in plain numbers for the compiled kernel: settings, wiring, routing tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import threads as domains
from netplace.netsim.config import ARBITERS, VC_POLICIES, Config
from netplace.netsim.fabric_texts import read_classes, read_congestion
from netplace.netsim.lower import demand
from netplace.netsim.table_router import TableRouter, ports_of
from netplace.records import integers_as
from netplace.topologies import Grid, Topology, Tree

Arrays = dict[str, NDArray[np.int32]]
Numbers = dict[str, int]

# Numbers in the kernel (kernel/plan.hpp), which are places in these and in `VC_POLICIES` and `ARBITERS`.
_TREE_ADAPTIVE, _TREE_FAT, _TREE_THIN, _TABLE = range(4, 8)
_CHOICES = ("table", "valiant", "ugal-l", "ugal-g", "par")
_SPREADS = ("least", "destination", "flow")
_MOST_INPUTS = 62  # of a router of a grid or a tree
_MOST_GRAPH_INPUTS = 1023


def _numbers(values: Any) -> NDArray[np.int32]:
    return np.ascontiguousarray(values, np.int32).ravel()


def numbers_of(arrays: dict[str, Any]) -> Arrays:
    return {name: _numbers(values) for name, values in arrays.items()}


def described(
    topology: Topology,
    config: Config,
    seed: int,
    record: bool,
    explain: bool,
    table: TableRouter | None,
    threads: int = 1,
) -> tuple[Numbers, Arrays]:
    """Return the settings and arrays of a network; `table` is that of the table router.

    With several threads, each of them simulates one domain.
    """
    ports = ports_of(topology) if table is None else table.ports
    _check_size(topology, config, ports, table)
    settings = {
        "phits": config.packet_phits,
        "queue": config.queue_packets,
        "buffer": config.nic_buffer,
        "injectors": config.injectors,
        "vcs": config.vcs,
        "ports": topology.ports,
        "nodes": topology.nodes,
        "routers": topology.routers,
        "hop": config.hop_delay,
        "single": int(config.ejection == "single"),
        "policy": _TABLE if table is not None else _policy(topology, config),
        "arbiter": list(ARBITERS).index(config.arbiter),
        "bubble": config.bubble,
        "seed": seed if seed < 1 << 63 else seed - (1 << 64),
        "record": int(record),
        "rendezvous": int(config.eager_limit is not None),
        "outstanding": config.outstanding_sends or 0,
        "outstanding_packets": max(1, config.outstanding_bytes // config.packet_bytes)
        if config.outstanding_bytes
        else 0,
        "explain": int(explain),
        "domains": threads,
        "dawdle": domains.DAWDLE,
    }
    arrays = {
        "neighbor": _numbers(topology.neighbor),
        "entry": _numbers(topology.entry),
        "ports_of": _numbers(ports),
    }
    if threads > 1:
        arrays["owner"] = _numbers(domains.cut(topology, threads))
    if table is not None:
        more = _table(topology, config, table)
    elif isinstance(topology, Grid):
        more = _grid(topology)
    else:
        assert isinstance(topology, Tree)
        more = _tree(topology)
    return settings | more[0], arrays | more[1]


def _policy(topology: Topology, config: Config) -> int:
    if isinstance(topology, Tree):
        if config.tree_routing == "adaptive":
            return _TREE_ADAPTIVE
        return _TREE_FAT if topology.up == topology.down else _TREE_THIN
    # With only the escape channel every policy is dimension order, and none has a memory.
    return list(VC_POLICIES).index("shortest" if config.vcs == 1 else config.vc_policy)


def _check_size(
    topology: Topology, config: Config, ports: NDArray[np.int64], table: TableRouter | None
) -> None:
    if table is None and not isinstance(topology, Grid | Tree):
        raise ValueError(f"network {topology}: no router for this kind of network, expected a grid or a tree")
    inputs = ports * config.vcs
    inputs[: topology.nodes] += config.injectors
    limit = _MOST_INPUTS if table is None else _MOST_GRAPH_INPUTS
    if inputs.max() > limit:
        raise ValueError(
            f"{topology}: {topology.ports} ports with {config.vcs} virtual channels and {config.injectors} "
            f"injectors are more inputs than the kernel's {limit} per router; "
            "use fewer VCs or the reference engine"
        )
    packets = config.queue_packets + config.nic_buffer
    if packets >= 1 << 15:
        raise ValueError(f"queue_packets + nic_buffer: {packets} is too large, expected less than {1 << 15}")
    if table is not None:
        most = (1 << 20) - 1 if table.routes.choice == "table" else (1 << 15) - 1
        if topology.routers >= 1 << 20 or table.switches.count > most:
            raise ValueError(
                f"{topology}: {topology.routers} routers with {table.switches.count} switches are more than "
                f"the general router's {(1 << 20) - 1} and, with routing {table.routes.name}, {most}"
            )
    slots = int(inputs.sum()) * config.queue_packets + topology.nodes * config.injectors * config.nic_buffer
    if slots >= 1 << 31:
        raise ValueError(f"{topology}: {slots} places for packets are more than the kernel's {1 << 31}")
    needed = slots * 12 + topology.routers * (400 + 8 * topology.ports)
    if table is not None:
        pairs = _pair_bytes(topology, config)
        needed = slots * 17 + int(inputs.sum()) * 100 + _entry_bytes(table) + pairs
    demand(needed, f"{topology} with these buffers")


def _entry_bytes(table: TableRouter) -> int:
    """Return the bytes of a routing table that are held at once: two copies of 32 bits and the kernel's."""
    routes = table.routes
    bytes_each = 2 * 4 + 2
    if routes.choice in ("ugal-l", "par"):
        return bytes_each * (routes.ports.size + table.switches.count**2)  # with the hops
    if routes.escape is not None:  # which is joined to the ports first
        return (bytes_each + 2) * (routes.ports.size + routes.escape.size)
    return bytes_each * (routes.ports.size if routes.tree is None else routes.tree.ports.size)


def _pair_bytes(topology: Topology, config: Config) -> int:
    """Return the bytes of state per pair of nodes and per ordered flow."""
    control, pairs = read_congestion(config.congestion_control), topology.nodes**2
    if control.by_pair and pairs >= 1 << 31:
        raise ValueError(
            f"congestion_control: {topology} has {pairs} pairs of nodes, more than the kernel's {1 << 31}"
        )
    flows = 8 * pairs * read_classes(config.traffic_classes).count if config.ordered_flows else 0
    return flows + pairs * (2 * int(control.window > 0) + 64 * int(control.rate > 0))


def _grid(grid: Grid) -> tuple[Numbers, Arrays]:
    """Return the fields of a route record: hops and sign of each dimension."""
    maximum = np.array([max(1, size // 2 if grid.wraps else size - 1) for size in grid.sizes])
    if grid.twist:
        maximum[:] = grid.diameter
    bits = np.array([int(m).bit_length() + 1 for m in maximum])
    if bits.sum() > 31:
        raise ValueError(f"{grid}: a route record needs {bits.sum()} bits, the kernel has 31")
    shift = np.concatenate([[0], np.cumsum(bits)[:-1]])
    arrays = {
        "size": _numbers(np.array(grid.sizes) * (1 if grid.wraps else -1)),
        "coordinate": _numbers(grid.coordinates(np.arange(grid.nodes))),
        "shift": _numbers(shift),
        "field": _numbers((1 << bits) - 1),
    }
    if grid.twist:
        rows = [grid.records(0, node) for node in range(grid.nodes)]
        every = np.concatenate(rows)
        arrays["record_first"] = _numbers(np.cumsum([0, *map(len, rows)]))
        arrays["record"] = _numbers(((2 * np.abs(every) + (every < 0)) << shift).sum(axis=1))
    return {"dims": len(grid.sizes), "twist": grid.twist}, arrays


def _tree(tree: Tree) -> tuple[Numbers, Arrays]:
    """Return the stage of every router, and the number of the subtree below it."""
    stage, subtree = np.full(tree.routers, -1), np.zeros(tree.routers, np.int64)
    begin = tree.nodes
    for s, count in enumerate(tree.switches_per_stage):
        stage[begin : begin + count] = s
        subtree[begin : begin + count] = np.arange(count) // tree.up**s
        begin += count
    settings = {"down": tree.down, "up": tree.up, "stages": tree.stages}
    return settings, {"stage": _numbers(stage), "subtree": _numbers(subtree)}


def _table(topology: Topology, config: Config, table: TableRouter) -> tuple[Numbers, Arrays]:
    """Return the arrays of the table router: links, routing, settings of a fabric."""
    classes, control = read_classes(config.traffic_classes), read_congestion(config.congestion_control)
    settings = {
        "injected": table.injected,
        "fabric": int(config.fabric_set),
        "crossbar": config.crossbar_speedup,
        "classes": classes.count,
        "ordered": int(config.ordered_flows),
        "increase": control.step,
    } | {
        name: getattr(control, name) for name in ("window", "ack", "rate", "marks", "every", "timer", "gain")
    }
    arrays = links_described(table.cycles, table.delay) | {"lag": _numbers(table.lag)}
    if classes.schedule:
        arrays["schedule"] = _numbers(classes.schedule)
    routing = routing_described(table)
    return settings | routing[0], arrays | routing[1]


def links_described(cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> Arrays:
    """Return the cycles per phit of each link, and the cycles from departure to the first request."""
    given = {"cycles": cycles, "delay": delay}
    return {name: integers_as(np.int32, np.ravel(values), name) for name, values in given.items()}


def routing_described(table: TableRouter) -> tuple[Numbers, Arrays]:
    switches, routes = table.switches, table.routes
    settings = {
        "first_switch": switches.first,
        "switches": switches.count,
        "compute_from": switches.count - switches.compute_nodes,
        "plane": switches.of_plane,
        "most": routes.most_ports,
        "base": table.base,
        "anew": int(table.anew),
        "escapes": int(routes.escape is not None),
        "choice": _CHOICES.index(routes.choice),
        "threshold": routes.threshold,
        "spread": _SPREADS.index(table.spread),
        "via_row": table.via.shape[1] if len(table.via) > 1 else 0,
        "via_count": table.via.shape[1],
    }
    computed = {}
    if routes.grid is not None:
        size = np.array(routes.grid.sizes) * (1 if routes.grid.wraps else -1)
        computed = {"size": _numbers(size), "coordinate": _numbers(switches.places)}
    if routes.tree is not None:
        computed = {"below": _numbers(routes.tree.below)}
    ports = routes.ports if routes.tree is None else routes.tree.ports  # large: not copied without need
    if routes.escape is not None:
        ports = np.concatenate((ports, routes.escape[:, :, None]), axis=2)
    arrays = computed | {
        "table": _numbers(ports),
        "rise": _numbers(np.where(switches.neighbor >= 0, table.step, -1)),
        "kind": _numbers(table.kind),
        "end": _numbers(switches.neighbor),
        "via": _numbers(table.via),
        "low": _numbers(table.low),
        "high": _numbers(table.high),
        "home": _numbers(switches.home),
        "gate": _numbers(table.gate),
        "node_port": _numbers(table.node_port),
        "place": _numbers(table.place),
        "stride": _numbers(np.ones(switches.count) if routes.stride is None else routes.stride),
        "kin": _numbers(np.zeros(switches.count) if switches.group is None else switches.group),
    }
    if routes.choice in ("ugal-l", "par"):
        arrays["far_hops"] = _numbers(table.hops)
    return settings, arrays
