"""The kernel's arrays for the general router: constants, wiring, tables, empty FIFOs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import delays
from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.general import General
from netplace.netsim.graph_congestion import (
    congestion_arrays,
    congestion_bytes,
    congestion_setting,
    events_to_come,
    longest_wait,
)
from netplace.netsim.graph_tables import routing_setting, routing_tables, table_bytes
from netplace.netsim.graph_times import (
    credit_times,
    credits_under_way,
    header_times,
    link_times,
    ring_setting,
    under_way,
)
from netplace.netsim.kernel import graph_state as g
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel.constants import OPEN
from netplace.netsim.layout import COMPILED_IN
from netplace.netsim.memory import demand
from netplace.topologies import Topology

__all__ = ["graph_known", "graph_setting", "graph_state"]

_ARBITERS = {
    "round-robin": k.ROUND_ROBIN,
    "fifo": k.FIRST_COME,
    "longest": k.LONGEST,
    "random": k.CHANCE,
    "age": k.AGE,
}
_KNOWN = {
    "wide",
    "phits",
    "queue",
    "buffer",
    "injectors",
    "arbiter",
    "single",
    "hop",
    "exact",
    "row",
    "name_bits",
}
Int = NDArray[np.int64]
_AHEAD = 8  # heads by which the way of a packet is asked for in advance,
_NEAR = 1 << 16  # where its table has more bytes than a cache that is near


def _injectors(topology: Topology, config: Config) -> Int:
    """Return the injectors of every router."""
    return np.where(np.arange(topology.routers) < topology.nodes, config.injectors, 0)


def _check_size(topology: Topology, config: Config, table: General) -> None:
    """Raise ValueError if the kernel cannot hold the network."""
    most = int(table.ports.max()) * config.vcs + config.injectors
    if most >= g.MOST_INPUTS or topology.routers >= 1 << 20:
        raise ValueError(
            f"{topology}: {most} inputs of a router and {topology.routers} routers are more than the general "
            f"router's {g.MOST_INPUTS - 1} and {(1 << 20) - 1}; use fewer VCs or the reference engine"
        )
    if table.switches.count >= g.MOST_SWITCHES:
        raise ValueError(
            f"{topology}: {table.switches.count} switches are more than the general router's "
            f"{g.MOST_SWITCHES - 1}"
        )
    fifos = _all_fifos(topology, config, table)
    slots = fifos * config.queue_packets + topology.nodes * config.injectors * config.injection_packets
    if slots * g.SLOT_WORDS >= 1 << 31:
        raise ValueError(
            f"{topology}: {slots} places for packets are more than the kernel's {(1 << 31) // g.SLOT_WORDS}"
        )
    wide = -(-(most + 1) // 64)
    pairs = congestion_bytes(topology, config, fifos)
    demand(
        slots * 17 + fifos * (62 + 16 * wide) + table.routes.ports.nbytes + pairs,
        f"{topology} with these buffers",
    )


def graph_setting(
    topology: Topology, config: Config, seed: int, record: bool, table: General, explain: bool = False
) -> Any:
    """Return the kernel's constants."""
    _check_size(topology, config, table)
    most = int(table.ports.max()) * config.vcs + config.injectors
    words = -(-topology.routers // k.WORD)
    classes = read_classes(config.traffic_classes)
    values = dict.fromkeys(g.GraphSetting._fields, 0)
    values.update(
        phits=config.packet_phits,
        queue=config.queue_packets,
        buffer=config.injection_packets,
        injectors=config.injectors,
        vcs=config.vcs,
        ports=topology.ports,
        nodes=topology.nodes,
        routers=topology.routers,
        arbiter=_ARBITERS[config.arbiter],
        single=int(config.consumption == "single"),
        hop=config.hop_delay,
        seed=seed,
        row=g.ROW_WORDS,
        words=words,
        tops=-(-words // k.WORD),
        links=int((topology.neighbor >= 0).sum()),
        exact=int(config.injectors > 1),
        record=int(record),
        explain=int(explain),
        domains=1,
        ahead=_AHEAD if table_bytes(table, config.vcs) > _NEAR else 0,
        name_bits=g.MOST_INPUTS.bit_length() - 1,
        wide=-(-(most + 1) // 64),
        fabric=int(config.fabric_set),
        crossbar=config.crossbar,
        classes=classes.count,
        own=config.vcs // classes.count,
        turns=len(classes.schedule),
        **congestion_setting(config),
        all_fifos=_all_fifos(topology, config, table),
        injected=table.injected,
        **routing_setting(table, config.vcs),
        **ring_setting(table.cycles, table.delay, config, _longest(config, table)),
    )
    return g.GraphSetting(**values)


def graph_known(config: Config, u: Any) -> tuple[int, ...]:
    """Return the settings that the general router is compiled for, others being `OPEN`.

    With the default settings of `Config`, virtual channels aside, and at most 64 inputs a router there is a
    kernel of its own; all else shares one, and all with settings of a fabric another one.
    """
    usual = replace(Config(), vcs=config.vcs)
    compiled_in = all(getattr(config, name) == getattr(usual, name) for name in COMPILED_IN)
    names = {"explain", "fabric", "split", "dawdle"} | (set() if u.split else {"domain"})
    names |= _KNOWN if compiled_in and u.wide == 1 and not u.fabric else set()
    return tuple(value if name in names else OPEN for name, value in u._asdict().items())


def _longest(config: Config, table: General) -> int:
    """Return after how many cycles at most what is no header falls due."""
    return max(table.injected, int(table.lag.max()), longest_wait(config))


def _all_fifos(topology: Topology, config: Config, table: General) -> int:
    return int((table.ports * config.vcs).sum()) + topology.nodes * config.injectors


def graph_state(topology: Topology, config: Config, u: Any, table: General) -> Any:
    """Return the arrays of an empty network."""
    arrays: dict[str, Any] = dict.fromkeys(g.GraphState._fields, None)
    inputs = table.ports * config.vcs
    injectors = _injectors(topology, config)
    first = np.concatenate([[0], np.cumsum(inputs + injectors)])
    slots = (inputs + injectors) * config.queue_packets + injectors * config.injection_packets
    place = np.concatenate([[0], np.cumsum(slots)])
    arrays |= _nodes(topology, config)
    arrays |= _events(topology, config, u, table, int(first[-1]))
    arrays |= _wiring(topology, config, u, table, first)
    arrays |= _sets(topology, u, int(first[-1]), arrays["beyond"], first, inputs)
    arrays |= routing_tables(table, u)
    arrays |= congestion_arrays(topology, u, int(place[-1]))
    row = np.zeros((topology.routers, g.ROW_WORDS), np.int64)
    row[:, g.FIRST], row[:, g.PLACE], row[:, g.INPUTS] = first[:-1], place[:-1], inputs
    arrays |= {
        "row": row.ravel(),
        "deciding": np.zeros(topology.routers, np.int32),
        "slot": np.zeros(int(place[-1]) * g.SLOT_WORDS, np.int32),
        "since": np.zeros(int(first[-1]) if u.arbiter == k.FIRST_COME else 1, np.int64),
        "left": np.full(int(first[-1]) if u.exact else 1, g.LONG_AGO, np.int64),
        "takes": np.ones(int(first[-1]) if u.exact else 1, np.int32),
    }
    if u.explain:
        arrays |= _waiting(topology, u, int(first[-1]))
    unused = np.zeros(1, np.int64)
    return g.GraphState(**{name: unused if array is None else array for name, array in arrays.items()})


def _waiting(topology: Topology, u: Any, fifos: int) -> dict[str, Any]:
    """Return what is kept of heads that wait."""
    return {
        "stand": np.zeros(k.STAND_SETS * topology.routers * u.wide, np.int64),
        "parking": np.zeros(k.PARKING_WORDS * fifos, np.int64),
        "way": np.zeros(topology.routers * (topology.ports + 1) * (k.BLAMED + u.wide), np.int64),
        "matrix": np.zeros(0, np.int64),
        "column": np.zeros(0, np.int32),
        "watched": np.zeros(1, np.int64),
    }


def _nodes(topology: Topology, config: Config) -> dict[str, Any]:
    """Return what tasks, nodes and counters need."""
    nodes = topology.nodes
    task = np.zeros((nodes, k.TASK_WORDS), np.int32)
    task[:, [k.WAITS, k.JOB, k.FIRST_DUE]] = -1
    when = np.zeros((nodes, k.WHEN_WORDS), np.int64)
    when[:, [k.SINCE, k.NEXT_DRAW]] = -1
    clock = np.zeros(k.CLOCK_WORDS, np.int64)
    clock[k.LAST_DELIVERY] = clock[k.WATCHED] = -1
    return {
        "clock": clock,
        "task": task.ravel(),
        "when": when.ravel(),
        "emptied": np.full(nodes * config.injectors, -1, np.int64),
        "turn_home": np.zeros(nodes * (1 + int(config.fabric_set)), np.int16),  # the second: of schedules
        "home_free": np.ones(nodes, np.int8),
        "timer": np.empty(2 * nodes + 1, np.int64),
        "timer_entry": np.empty(2 * nodes + 1, np.int32),
        "near": np.full(k.NEAR_CYCLES, -1, np.int32),
        "near_next": np.empty(2 * nodes, np.int32),
        "todo": np.empty(2 * nodes, np.int32),
        "target": np.full(1, -1, np.int32),
        "share": np.zeros(2, np.float64),
        "hot": np.array([-1, 0, 0, 0, 0], np.int64),
        "packet_delays": np.zeros(delays.BINS, np.int64),
        "message_delays": np.zeros(delays.BINS, np.int64),
    }


def _events(topology: Topology, config: Config, u: Any, table: General, fifos: int) -> dict[str, Any]:
    """Return the lists and rings of events, empty."""
    wired = topology.neighbor >= 0
    pool = under_way(table.cycles[wired], table.delay[wired], config)
    pool += credits_under_way(table.lag[wired], config)
    pool += (
        topology.nodes
        * config.injectors
        * min(table.injected, config.queue_packets + config.injection_packets)
    )
    pool += events_to_come(topology, u, int((table.ports[: topology.nodes] * config.vcs).sum()))
    spare = np.append(np.arange(1, pool + 1), -1).astype(np.int32)
    return {
        "entering": np.empty(2 * u.links, np.int32),
        "exposed": np.empty(fifos, np.int32),
        "starting": np.empty(u.links, np.int32),
        "dirty": np.zeros(2 * u.words, np.int64),
        "dirty_top": np.zeros(2 * u.tops, np.int64),
        "tail_at": np.full(u.tail_ring, -1, np.int32),
        "tail_next": np.zeros(fifos, np.int32),
        "head_at": np.full(u.head_ring, -1, np.int32),
        "head_next": spare,
        "head_fifo": np.zeros(pool + 1, np.int32),
        "tally": np.zeros(g.TALLY_WORDS, np.int64),
    }


def _wiring(topology: Topology, config: Config, u: Any, table: General, first: Int) -> dict[str, Any]:
    """Return which output feeds which FIFO, and what links take."""
    vcs, fifos = config.vcs, int(first[-1])
    beyond, feeder = np.full(fifos, -1, np.int32), np.full(fifos, -1, np.int32)
    router, port, end, entry = topology.links().T.astype(np.int64)
    for vc in range(vcs):
        output, fifo = first[router] + port * vcs + vc, first[end] + entry * vcs + vc
        beyond[output], feeder[fifo] = fifo, output
    output = np.arange(max(1, topology.ports) * vcs)
    return {
        "beyond": beyond,
        "feeder": feeder,
        "far": header_times(topology, config, table.delay, first),
        "lag": credit_times(topology, config, table.lag, first) if config.fabric_set else None,
        "key_class": np.zeros(1, np.int32),
        "schedule": np.array(read_classes(config.traffic_classes).schedule or (0,), np.int8),
        "leaving": np.zeros(topology.routers * (topology.ports + config.injectors), np.int16),
        "owner": np.repeat(np.arange(topology.routers), np.diff(first)).astype(np.int32),
        "lasts": link_times(table.cycles, config),
        "busy": np.zeros(topology.neighbor.size, np.int8),
        "crossed": np.zeros(topology.neighbor.size, np.int64),
        "port_of": (output // vcs).astype(np.int16),
        "vc_of": (output % vcs).astype(np.int16),
    }


def _sets(
    topology: Topology, u: Any, fifos: int, beyond: NDArray[np.int32], first: Int, inputs: Int
) -> dict[str, Any]:
    """Return the sets of inputs and outputs of every router: all wired outputs are ready."""
    ready = np.zeros(topology.routers * u.wide, np.uint64)
    output = np.flatnonzero(beyond >= 0)
    router = np.searchsorted(first, output, side="right") - 1
    number = output - first[router]
    bits = np.left_shift(np.uint64(1), (number & 63).astype(np.uint64))
    np.bitwise_or.at(ready, router * u.wide + (number >> 6), bits)
    most = int(inputs.max()) + u.injectors
    empty = ("wanted", "several", "held", "homing", "waiting")
    return {name: np.zeros(topology.routers * u.wide, np.int64) for name in empty} | {
        "ready": ready.view(np.int64),
        "want": np.zeros(fifos * u.wide, np.int64),
        "downstream": np.zeros(fifos, np.int32),
        "fifo": np.zeros(fifos, np.int64),
        "turn": np.zeros(fifos, np.int16),
        "turn_link": np.zeros(topology.neighbor.size * (1 if u.classes == 1 else u.classes + 1), np.int8),
        "asked": np.zeros((most + 1) * u.wide, np.int64),
        "step": np.zeros(u.wide, np.int64),
        "may": np.zeros(fifos * u.wide, np.int64),
        "last_resort": np.full(fifos, -1, np.int16),
    }
