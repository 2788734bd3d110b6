"""The kernel's arrays for a network: constants, wiring, tables of routes, empty FIFOs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import delays
from netplace.netsim.config import Config
from netplace.netsim.kernel import state as k
from netplace.netsim.kernel.constants import OPEN
from netplace.netsim.memory import aligned, demand
from netplace.netsim.router_record import router_record, settings_of
from netplace.topologies import Grid, Topology, Tree

__all__ = ["COMPILED_IN", "power_of_two", "setting", "state", "tables_of"]

_LONG_AGO = -(1 << 62)
_LARGE = 2048  # routers from which on asking for memory in advance pays
_AHEAD = 8
# What makes a network a usual one; the other fields of `Config` do not matter to the kernel.
COMPILED_IN = (
    "packet_phits", "queue_packets", "injection_packets", "injectors", "vcs", "policy", "arbiter",
    "consumption", "bubble", "tree_routing", "router_delay", "link_delay",
)  # fmt: skip
_SIZES = {
    "nodes", "routers", "seed", "words", "tops", "links", "tail_words", "arrival_words",
    "magnitudes", "twist", "record", "domains", "box", "spin",
}  # fmt: skip
_SHAPE = {
    "ports", "row", "row_counts", "row_names", "row_bytes", "want", "next", "slope", "fifo", "crossed",
    "load", "time", "place", "link", "turn", "turn_link", "fifo_far", "fed", "slots", "fifos", "policy",
}  # fmt: skip
_ALWAYS = {
    "wide",
    "explain",
    "split",
    "domain",
    "dawdle",
}  # known of any network; domains: not which
_POLICIES = {"smart": k.SMART, "shortest": k.SHORTEST, "random": k.RANDOM, "oblivious": k.OBLIVIOUS}
_ARBITERS = {
    "round-robin": k.ROUND_ROBIN,
    "fifo": k.FIRST_COME,
    "longest": k.LONGEST,
    "random": k.CHANCE,
    "age": k.AGE,
}


def _policy(topology: Topology, config: Config) -> int:
    """Return the kernel's number of the request policy or tree routing."""
    if isinstance(topology, Tree):
        if config.tree_routing == "adaptive":
            return k.TREE_ADAPTIVE
        return k.TREE_FAT if topology.text.startswith("tree:") else k.TREE_THIN
    if config.vcs == 1:
        return k.SHORTEST  # only the escape channel: every policy is DOR, and none has a memory
    return _POLICIES[config.policy]


def _compares_loads(policy: int, config: Config) -> bool:
    """Tell whether requests compare the phits in the FIFOs downstream, which must then be kept."""
    return policy == k.TREE_ADAPTIVE or (policy == k.SHORTEST and config.vcs > 1)


def setting(
    topology: Topology,
    config: Config,
    seed: int,
    recorded: bool,
    tables: dict[str, Any],
    explain: bool = False,
) -> k.Setting:
    """Return the kernel's constants; `tables` are those of `tables_of`."""
    dims = len(topology.sizes) if isinstance(topology, Grid) else 0
    policy = _policy(topology, config)
    loads = _compares_loads(policy, config)
    record = router_record(topology, config, loads)
    words = -(-topology.routers // k.WORD)
    links = int((topology.neighbor >= 0).sum())
    inputs = _check_size(topology, config)
    shift, field, group = tables["shift"], tables["field"], tables["group"]
    exact = config.injectors > 1 or config.arbiter == "longest"
    large = topology.routers >= _LARGE
    by_masks = config.vcs == 1 or (config.vcs == 2 and policy == k.SMART)
    return k.Setting(
        phits=config.packet_phits,
        queue=config.queue_packets,
        buffer=config.injection_packets,
        injectors=config.injectors,
        vcs=config.vcs,
        ports=topology.ports,
        dims=dims,
        nodes=topology.nodes,
        routers=topology.routers,
        policy=policy,
        masks=int(dims > 0 and by_masks),
        arbiter=_ARBITERS[config.arbiter],
        single=int(config.consumption == "single"),
        bubble=config.bubble,
        hop=config.hop_delay,
        seed=seed,
        **settings_of(record),
        fed=topology.ports * config.vcs,
        slots=topology.ports * config.vcs * config.queue_packets
        + config.injectors * (config.queue_packets + config.injection_packets),
        ahead=_AHEAD if large else 0,
        behind=0 if exact or loads or explain or not large else _AHEAD,
        fifos=topology.ports * config.vcs + config.injectors,
        words=words,
        tops=-(-words // k.WORD),
        links=links,
        tail_words=int(inputs.sum()) + topology.nodes * config.injectors,
        tail_cycles=power_of_two(config.packet_phits + 1),
        arrival_words=power_of_two(links * (config.hop_delay // config.packet_phits + 2))
        if config.hop_delay > 1
        else 1,
        arrival_cycles=power_of_two(config.hop_delay + 1),
        magnitudes=int(((field - 1) << shift).sum()),
        x_group=int(group[0]),
        y_group=int(group[1]) if dims > 1 else 0,
        z_group=int(group[2]) if dims > 2 else 0,
        loads=int(loads),
        exact=int(exact),
        twist=topology.twist if isinstance(topology, Grid) else 0,
        record=int(recorded),
        wide=1,
        explain=int(explain),
        split=0,
        domains=1,
        domain=0,
        box=1,
        spin=0,
        dawdle=0,
    )


def known(topology: Topology, config: Config, u: k.Setting) -> tuple[int, ...]:
    """Return the settings that the kernel is compiled for, others being `OPEN`.

    With the default settings of `Config` there is a kernel for each number of dimensions of a mesh or torus,
    and one for trees: constants make it faster. All else shares one kernel that takes them as they come.
    """
    usual = Config()
    if any(getattr(config, name) != getattr(usual, name) for name in COMPILED_IN):
        always = _ALWAYS - {"domain"} if u.split else _ALWAYS
        return tuple(value if name in always else OPEN for name, value in u._asdict().items())
    left = _SIZES if u.dims else _SIZES | _SHAPE
    left = left | {"domain"} if u.split else left
    return tuple(OPEN if name in left else value for name, value in u._asdict().items())


def _check_size(topology: Topology, config: Config) -> NDArray[np.int64]:
    """Return the number of link-fed inputs of every router, if the kernel can hold the network."""
    if not isinstance(topology, Grid | Tree):
        raise ValueError(f"network {topology}: no router for this kind of network, expected a grid or a tree")
    if isinstance(topology, Grid):
        ports = np.full(topology.routers, topology.ports)  # numbered alike also at a mesh's border
    else:
        wired = topology.neighbor >= 0
        ports = np.where(wired.any(axis=1), topology.ports - wired[:, ::-1].argmax(axis=1), 0)
    inputs = ports * config.vcs
    most = int(inputs.max()) + (config.injectors if topology.nodes == topology.routers else 0)
    if max(most, config.vcs + config.injectors) > k.MOST_INPUTS:
        raise ValueError(
            f"{topology}: {topology.ports} ports with {config.vcs} virtual channels and {config.injectors} "
            f"injectors are more inputs than the kernel's {k.MOST_INPUTS} a router; "
            "use fewer VCs or the reference engine"
        )
    if config.queue_packets + config.injection_packets >= 1 << 15:
        raise ValueError(
            f"queue_packets + injection_packets: {config.queue_packets + config.injection_packets} is too "
            f"large, expected less than {1 << 15}"
        )
    slots = int(inputs.sum()) * config.queue_packets + topology.nodes * config.injectors * (
        config.queue_packets + config.injection_packets
    )
    if slots >= 1 << 31:
        raise ValueError(f"{topology}: {slots} places for packets are more than the kernel's {1 << 31}")
    demand(slots * 12 + topology.routers * (400 + 8 * topology.ports), f"{topology} with these buffers")
    return inputs.astype(np.int64)


def power_of_two(n: int) -> int:
    """Return the least power of two that is not below `n`."""
    return 1 << max(0, n - 1).bit_length()


def _queues(fifos: int, u: k.Setting) -> dict[str, Any]:
    """Return the lists and rings of events, empty."""
    return {
        "entering": np.empty(2 * u.links, np.int32),
        "exposed": np.empty(fifos + 1, np.int32),
        "arrival": np.empty(u.arrival_words, np.int32),
        "arrival_count": np.zeros(u.arrival_cycles, np.int32),
        "tail": np.empty(u.tail_words, np.int32),
        "tail_count": np.zeros(u.tail_cycles, np.int32),
    }


def tables_of(topology: Topology, config: Config) -> dict[str, Any]:
    """Return coordinates, fields of a route record and groups of inputs; empty on trees."""
    _check_size(topology, config)
    vcs, injectors = config.vcs, config.injectors
    none = np.zeros(1, np.int32)
    if not isinstance(topology, Grid):
        return {
            "group": none.astype(np.int64), "coordinate": none, "size": none, "shift": none.astype(np.int64),
            "field": none.astype(np.int64), "record_first": none, "record": none,
        }  # fmt: skip
    dims = len(topology.sizes)
    group = np.array([((1 << 2 * vcs) - 1) << 2 * d * vcs for d in range(dims)], np.int64)
    group[0] |= ((1 << injectors) - 1) << 2 * dims * vcs
    most = np.array([max(1, size // 2 if topology.wraps else size - 1) for size in topology.sizes])
    if topology.twist:
        most[:] = topology.diameter
    bits = np.array([int(m).bit_length() + 1 for m in most])
    if bits.sum() > 31:
        raise ValueError(f"{topology}: a route record needs {bits.sum()} bits, the kernel has 31")
    shift = np.concatenate([[0], np.cumsum(bits)[:-1]]).astype(np.int64)
    size = np.array(topology.sizes, np.int32) * (1 if topology.wraps else -1)
    record_first, record = none, none
    if topology.twist:
        rows = [topology.records(0, node) for node in range(topology.nodes)]
        record_first = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        every = np.concatenate(rows)
        record = (((2 * np.abs(every) + (every < 0)) << shift).sum(axis=1)).astype(np.int32)
    return {
        "group": group,
        "coordinate": topology.coordinates(np.arange(topology.nodes)).astype(np.int32).ravel(),
        "size": size,
        "shift": shift,
        "field": (np.int64(1) << bits) - 1,
        "record_first": record_first,
        "record": record,
    }


def _tree_tables(topology: Topology) -> dict[str, Any]:
    """Return the stage and subtree of every router; empty on meshes and tori."""
    if not isinstance(topology, Tree):
        return {
            "stage": np.zeros(1, np.int8), "subtree": np.zeros(1, np.int32),
            "power": np.ones(1, np.int64), "up": np.zeros(3, np.int64),
        }  # fmt: skip
    stage = np.full(topology.routers, -1, np.int8)
    subtree = np.zeros(topology.routers, np.int32)
    begin = topology.nodes
    for s, count in enumerate(topology.switches_per_stage):
        stage[begin : begin + count] = s
        subtree[begin : begin + count] = np.arange(count) // topology.up**s
        begin += count
    return {
        "stage": stage,
        "subtree": subtree,
        "power": np.array([topology.down**s for s in range(topology.stages + 1)], np.int64),
        "up": np.array([topology.down, topology.up, topology.stages], np.int64),
    }


def state(topology: Topology, config: Config, u: k.Setting, tables: dict[str, Any]) -> k.State:
    """Return the arrays of an empty network."""
    inputs = _check_size(topology, config)
    routers, ports, nodes, vcs = topology.routers, topology.ports, topology.nodes, config.vcs
    fifos = int(inputs.sum()) + nodes * config.injectors
    slots = fifos * config.queue_packets + nodes * config.injectors * config.injection_packets
    memory = aligned(routers * u.row_bytes)
    row: Any = memory.view(f"i{u.row_bytes // u.row}").reshape(routers, u.row)
    link: Any = memory.view(np.int32).reshape(routers, -1)
    for port in range(ports):
        there, entry = topology.neighbor[:, port], topology.entry[:, port]
        wired = there >= 0
        name = there.astype(np.int32) << k.NAME_BITS | entry * vcs
        link[:, u.link + port] = name if wired.all() else np.where(wired, name, 0)
        row[:, k.FREE] |= wired * np.array(((1 << vcs) - 1) << port * vcs, row.dtype)
    row[:, k.ROOM] = row[:, k.FREE]
    row[:, k.BUBBLE] = row[:, k.IDLE] = -1
    if u.dims == 0:
        injectors = np.where(np.arange(routers) < nodes, config.injectors, 0)
        places = (inputs + injectors) * config.queue_packets + injectors * config.injection_packets
        row[:, k.INPUTS] = inputs
        link[:, u.place] = np.cumsum(places) - places
    task = np.zeros((nodes, k.TASK_WORDS), np.int32)
    task[:, k.WAITS] = task[:, k.JOB] = task[:, k.FIRST_DUE] = -1
    when = np.zeros((nodes, k.WHEN_WORDS), np.int64)
    when[:, k.SINCE] = when[:, k.NEXT_DRAW] = -1
    clock = np.zeros(k.CLOCK_WORDS, np.int64)
    clock[k.LAST_DELIVERY] = clock[k.WATCHED] = -1
    every = routers * u.fifos
    exact = every if u.exact else 1
    links = routers * (ports + 1) if u.explain else 1
    output = np.arange(64)
    empty = np.zeros(0, np.int64)
    return k.State(
        clock=clock,
        row=row.ravel(),
        counts=memory.view(f"i{u.row_bytes // u.row_counts}"),
        name=link.ravel(),
        byte=memory,
        slot=np.empty(slots * k.SLOT_WORDS, np.int32),
        carry=np.zeros(routers * ports, np.int32),
        homing=np.zeros(routers if u.single else 1, np.int64),
        turn_home=np.zeros(nodes if u.single else 1, np.int8),
        coming=np.zeros(every if u.hop > 1 else 1, np.int32),
        came=np.full(exact, _LONG_AGO, np.int64),
        left=np.full(exact, _LONG_AGO, np.int64),
        since=np.full(every if u.arbiter == k.FIRST_COME else 1, -1, np.int64),
        **_queues(fifos, u),
        todo=np.empty(2 * nodes, np.int32),
        dirty=np.zeros(2 * u.words, np.int64),
        dirty_top=np.zeros(2 * u.tops, np.int64),
        deciding=np.empty(routers, np.int32),
        starting=np.empty(u.links, np.int32),
        timer=np.empty(2 * nodes + 1, np.int64),
        timer_entry=np.empty(2 * nodes + 1, np.int32),
        near=np.full(k.NEAR_CYCLES, -1, np.int32),
        near_next=np.empty(2 * nodes, np.int32),
        task=task.ravel(),
        when=when.ravel(),
        emptied=np.full(nodes * config.injectors, -1, np.int64),
        op=empty,
        key=empty,
        deal=np.zeros(0, np.int32),
        message_start=empty,
        message_end=empty,
        open_start=np.zeros(1, np.int64),
        open_next=np.zeros(1, np.int32),
        job=empty,
        task_end=empty,
        task_lost=empty,
        due_order=np.zeros(1, np.int64),
        due_time=np.zeros(1, np.int64),
        due_next=np.zeros(1, np.int32),
        port_of=(output // vcs).astype(np.int8),
        vc_of=(output % vcs).astype(np.int8),
        **tables,
        **_tree_tables(topology),
        target=np.full(1, -1, np.int32),
        share=np.zeros(2, np.float64),
        hot=np.array([-1, 0, 0, 0, 0], np.int64),
        key_job=np.zeros(1, np.int32),
        stand=np.zeros(k.STAND_SETS * routers if u.explain else 1, np.int64),
        parking=np.zeros(k.PARKING_WORDS * every if u.explain else 1, np.int64),
        way=np.zeros((k.BLAMED + u.wide) * links, np.int64),
        matrix=empty,
        column=np.zeros(0, np.int32),
        watched=np.zeros(1, np.int64),
        packet_delays=np.zeros(delays.BINS, np.int64),
        message_delays=np.zeros(delays.BINS, np.int64),
        asked=np.zeros(64, np.int64),
        step=np.zeros(2 * max(1, u.dims), np.int64),
        owner_of=np.zeros(1, np.int8),
        box=np.zeros(1, np.int64),
        board=np.zeros(1, np.int64),
    )
