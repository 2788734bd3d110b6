"""The settings of the network model (docs/background/model.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from netplace.inputs import MOST, check_choice, check_float, check_int
from netplace.netsim.fabric_texts import read_classes, read_congestion, read_latencies
from netplace.netsim.fault_text import read_faults
from netplace.netsim.presets import FABRICS, fabric_of
from netplace.records import check_fields
from netplace.settings import Setting
from netplace.topologies import Grid, Topology

if TYPE_CHECKING:
    from netplace.apps import Program

__all__ = ["ARBITERS", "EJECTIONS", "SETTINGS", "TREE_ROUTINGS", "VC_POLICIES", "Config"]

VC_POLICIES = {
    "smart": "adaptive VCs in turn, escape channel last; each FIFO remembers its next alternative",
    "shortest": "the productive adaptive VC with the most room; the escape channel only if none has room",
    "random": "a random productive adaptive VC with room; the escape channel only if none has room",
    "oblivious": "dimension-order routing on every VC, each with its own bubble",
}
ARBITERS = {
    "round-robin": "the input after the one granted last",
    "fifo": "the packet that has waited longest at the head of its FIFO",
    "longest": "the fullest input FIFO, round robin among equals",
    "random": "uniform among the requests",
    "age": "the packet created first",
}
EJECTIONS = {
    "multiple": "every input FIFO has its own path into the node",
    "single": "one path into the node, arbitrated like any output",
}
TREE_ROUTINGS = {
    "adaptive": "upward through the port with the most room, random among equals; downward through the only "
    "port",
    "static": "upward through the port given by a digit of the source (fat tree) or destination (thin tree)",
}
NONBLOCKING_SENDS = {
    "by-program": "interleaved for programs from MPI, in order for programs of INSEE or Python",
    "interleaved": "outstanding isends take turns at the injectors, packet by packet; their task continues",
    "in-order": "an isend acts like a send: a task creates the packets of its messages one message after "
    "another",
}
# Settings of which any makes the general router simulate a network; what they are without is None, 0 or "".
_FABRIC = (
    "cable_latency",
    "pipeline",
    "credit_delay",
    "crossbar_speedup",
    "congestion_control",
    "traffic_classes",
    "ordered_flows",
    "buffer_phits",
)


def _setting(
    default: Any, says: str, bounds: tuple[float, float] | None = None, choices: Iterable[str] = ()
) -> Any:
    names = tuple(choices)
    text = f"{says}: {', '.join(names)}." if names else says
    return field(default=default, metadata={"says": text, "bounds": bounds, "choices": names})


# Counts of bytes fit 64 bits: a packet is of less than 2^50 bytes.
_MANY = 1 << 20
_MOST_BYTES = 1 << 30  # of a phit


@dataclass(frozen=True)
class Config:
    """Settings of the network; the defaults are those of the model.

    Each setting is described where it stands, and defined in docs/background/model*.md. If any from
    `cable_latency` to `traffic_classes` is set, or `faults`, the table router also simulates grids and trees.

    Attributes
    ----------
    injectors : int
        A packet goes to the injector with the fewest phits; if several have equally few, to the first of them
        in cyclic order from a randomly drawn injector.
    vc_policy, arbiter, ejection, tree_routing, nonblocking_sends : str
        Keys of `VC_POLICIES`, `ARBITERS`, `EJECTIONS`, `TREE_ROUTINGS` and `NONBLOCKING_SENDS`.
    outstanding_sends, outstanding_bytes : int or None
        Limits of the ``isend`` messages of a node, and of the bytes in them (in whole packets), if sends are
        interleaved; a task waits at an ``isend`` that would exceed them.
    o_send, o_recv, o_byte, o_rendezvous, o_copy, o_reduce, o_memory : float
        See `netplace.netsim.overheads`.
    routing : str
        Table routing on networks with arbitrary wiring; see `netplace.topologies.routing.make_routes`.
        ``"default"`` is the default routing of the network; on grids and trees, `vc_policy` and
        `tree_routing` then apply.
    vc_discipline : str
        Key of `netplace.topologies.routing.DISCIPLINES`; ``"default"`` is the routing's own discipline.
    faults, cable_latency, congestion_control, traffic_classes : str
        See `netplace.netsim.fault_text.read_faults`, and `read_latencies`, `read_congestion` and
        `read_classes` of `netplace.netsim.fabric_texts`. `vcs` and `injectors` count per class.
    credit_delay : int or None
        If None, the previous router knows of room at once or, with `cable_latency`, after only the latency of
        the cable.
    fabric : str
        One of `netplace.netsim.presets.FABRICS`, path of a fabric file (``.toml``), or empty. The fabric's
        settings replace all settings that have their default values. Only the settings of a file are kept.

    Raises
    ------
    ValueError
        If a value is out of range; the message names the value and the expected range.
    """

    packet_phits: int = _setting(16, "Phits per packet.", (1, _MANY))
    phit_bytes: int = _setting(4, "Bytes per phit.", (1, _MOST_BYTES))
    queue_packets: int = _setting(4, "Depth of a transit or injection FIFO, in packets.", (1, _MANY))
    nic_buffer: int = _setting(
        4, "Depth of the buffer between a task and its injection FIFO, in packets.", (1, _MANY)
    )
    injectors: int = _setting(1, "Injectors per node.", (1, 1 << 10))
    vcs: int = _setting(2, "Virtual channels per link.", (1, 1 << 10))
    vc_policy: str = _setting("smart", "VC policy", choices=VC_POLICIES)
    arbiter: str = _setting("round-robin", "Arbiter", choices=ARBITERS)
    ejection: str = _setting("multiple", "Ejection", choices=EJECTIONS)
    bubble: int = _setting(
        2, "Packets of room that must remain free when a packet enters a ring.", (0, _MANY)
    )
    tree_routing: str = _setting("adaptive", "Routing on trees", choices=TREE_ROUTINGS)
    router_delay: int = _setting(0, "Cycles that a header spends in a router after a hop.", (0, _MANY))
    link_delay: int = _setting(1, "Cycles that a header spends on a link.", (1, _MANY))
    eager_limit: int | None = _setting(
        None,
        "Largest message, in bytes, that does not wait for its posted receive. [default: no limit]",
        (0, MOST),
    )
    nonblocking_sends: str = _setting("by-program", "Non-blocking sends", choices=NONBLOCKING_SENDS)
    outstanding_sends: int | None = _setting(
        None, "Largest number of outstanding interleaved sends per node. [default: no limit]", (1, MOST)
    )
    outstanding_bytes: int | None = _setting(
        None,
        "Largest number of bytes in outstanding interleaved sends per node. [default: no limit]",
        (1, MOST),
    )
    o_send: float = _setting(
        0.0, "Nanoseconds that a task computes before each message that it sends.", (0.0, 1e9)
    )
    o_recv: float = _setting(
        0.0, "Nanoseconds that a task computes after each message that it receives.", (0.0, 1e9)
    )
    o_byte: float = _setting(0.0, "Additional nanoseconds per byte of a message, at both ends.", (0.0, 1e6))
    o_rendezvous: float = _setting(
        0.0, "Additional nanoseconds before each message by rendezvous.", (0.0, 1e9)
    )
    o_copy: float = _setting(
        0.0,
        "Nanoseconds per byte that is copied: eager messages at both ends, and buffers of collectives.",
        (0.0, 1e6),
    )
    o_reduce: float = _setting(
        0.0, "Nanoseconds per byte that a processor combines in a reduction.", (0.0, 1e6)
    )
    o_memory: float = _setting(
        0.0, "Additional nanoseconds per byte for data that exceed --cache-bytes.", (0.0, 1e6)
    )
    cache_bytes: int = _setting(0, "Largest number of bytes that fit into a cache.", (0, MOST))
    cycle_ns: float = _setting(3.2, "Length of a cycle in nanoseconds.", (1e-9, 1e12))
    routing: str = _setting(
        "default",
        "Routing algorithm of the table router: minimal, dor, up-down, d-mod-k, adaptive, valiant, "
        "ugal-l:T, ugal-g:T, par:T, "
        "FILE.py:function. On grids and trees, the default is the routing of --vc-policy and --tree-routing.",
    )
    vc_discipline: str = _setting(
        "default", "VC discipline of --routing: hop, group, phase, dateline or none."
    )
    allow_deadlock: bool = _setting(False, "Allow a routing that can deadlock.")
    faults: str = _setting(
        "",
        "Links and routers that fail or become slow at a cycle: at=500,links=0.1,seed=2 or "
        "at=900,link=3-4,router=7,packets=again or at=0,slow=0.2,slow-link=5-6,cycles=4; separate several "
        "with semicolons.",
    )
    cable_latency: str = _setting(
        "",
        "Latency of cables for headers and credits: CYCLES, or by kind, such as "
        "node=2m,local=5m,global=250ns.",
    )
    pipeline: int = _setting(
        0, "Cycles that a header spends in each switch before its first request.", (0, _MANY)
    )
    credit_delay: int | None = _setting(
        None,
        "Cycles until the sender receives a credit, in addition to the cable latency. [default: 0 without "
        "cable latency]",
        (0, _MANY),
    )
    crossbar_speedup: int = _setting(
        0, "Packets that can leave an input port at the same time; 0: one per virtual channel.", (0, 1 << 10)
    )
    congestion_control: str = _setting(
        "",
        "Congestion control of the packets from one node to another: window=PACKETS,ack=CYCLES, rate=SHARE, "
        "or "
        "dcqcn=PACKETS.",
    )
    buffer_phits: int = _setting(
        0,
        "Phits of a transit FIFO under wormhole switching (--engine reference); 0: virtual cut-through.",
        (0, _MANY),
    )
    ordered_flows: bool = _setting(
        False, "Keep the order of packets from one node to another under adaptive routing."
    )
    traffic_classes: str = _setting(
        "",
        "Traffic classes with their own VCs and injectors: count=2 by job, or bytes=4096 by size; "
        "weights=3+1 or strict priority.",
    )
    fabric: str = _setting(
        "", f"Fabric that defines the settings that you do not set: {', '.join(FABRICS)}; or a FILE.toml."
    )

    def __post_init__(self) -> None:
        known = type(self).__dataclass_fields__
        for name, value in self._of_fabric().items():
            check_choice(
                name, [other for other in known if other != "fabric"], f"fabric {self.fabric}: setting"
            )
            if getattr(self, name) == known[name].default:
                object.__setattr__(self, name, value)
        if isinstance(self.fabric, str) and self.fabric.endswith(".toml"):
            object.__setattr__(
                self, "fabric", ""
            )  # the settings hold all of it, whatever becomes of the file
        for item in fields(self):
            value, bounds = getattr(self, item.name), item.metadata["bounds"]
            if bounds and value is not None:
                number = check_float if item.type == "float" else check_int
                object.__setattr__(self, item.name, number(value, item.name, *bounds))
        check_fields(self)
        for item in fields(self):
            if choices := item.metadata["choices"]:
                check_choice(getattr(self, item.name), choices, item.name)
        self._check_together()

    def _check_together(self) -> None:
        """Raise ``ValueError`` if settings exclude each other; this reads all texts."""
        read_latencies(self.cable_latency, self.cycle_ns)
        read_classes(self.traffic_classes)
        control, faults = read_congestion(self.congestion_control), read_faults(self.faults)
        congestion = f"congestion_control {self.congestion_control!r}"
        wormhole = f"buffer_phits: {self.buffer_phits} is wormhole switching, which does not support "
        crossbar = f"crossbar_speedup {self.crossbar_speedup}"
        in_order = self.nonblocking_sends == "in-order"
        limits = "limits interleaved sends, but nonblocking_sends is 'in-order'"
        for wrong, reason in (
            (in_order and self.outstanding_sends, f"outstanding_sends: {self.outstanding_sends} {limits}"),
            (in_order and self.outstanding_bytes, f"outstanding_bytes: {self.outstanding_bytes} {limits}"),
            (self.buffer_phits and faults, f"{wormhole}faults {self.faults!r}"),
            (self.buffer_phits and self.crossbar_speedup, wormhole + crossbar),
            (self.buffer_phits and control.marks, f"{wormhole}{congestion}"),
            (
                (control.window or control.marks) and faults,
                f"{congestion}: expected no faults, because sources do not learn of lost packets",
            ),
            (
                control.marks > self.queue_packets,
                f"{congestion}: dcqcn: the mark threshold of {control.marks} packets exceeds the buffer of "
                f"{self.queue_packets} (queue_packets)",
            ),
            (
                self.ordered_flows and any(fault.cuts for fault in faults),
                f"ordered_flows: expected no faults {self.faults!r}, because in-flight packets change their "
                f"routes when links fail",
            ),
        ):
            if wrong:
                raise ValueError(reason)

    def scaled(self, phit_bytes: int) -> Config:
        """Return the same settings with phits of `phit_bytes` bytes and a proportionally longer cycle."""
        times = check_int(phit_bytes, "bytes_per_phit", 1, _MOST_BYTES) / self.phit_bytes
        return replace(self, phit_bytes=phit_bytes, cycle_ns=self.cycle_ns * times)

    def described(self) -> dict[str, Any]:
        """Return all settings for a content hash; a fabric has no name there, its settings are included."""
        return {name: value for name, value in vars(self).items() if name != "fabric"}

    @property
    def host_rates(self) -> tuple[float, float, float, int]:
        """Cycles per byte to combine, to copy, and in addition beyond the cache of so many bytes."""
        rates = (rate / self.cycle_ns for rate in (self.o_reduce, self.o_copy, self.o_memory))
        return *rates, self.cache_bytes  # type: ignore[return-value]

    def interleaves(self, program: Program) -> bool:
        """Return whether non-blocking sends of a program that are outstanding at the same time take turns."""
        if self.nonblocking_sends == "by-program":
            return program.interleaved
        return self.nonblocking_sends == "interleaved"

    def of_fabric(self, name: str) -> bool:
        """Return whether a setting has the value that the named fabric gives it."""
        settings = self._of_fabric()
        return name in settings and settings[name] == getattr(self, name)

    def _of_fabric(self) -> dict[str, Any]:
        if isinstance(self.fabric, str) and not self.fabric:
            return {}
        return fabric_of(self.fabric).settings

    @property
    def of_all_classes(self) -> Config:
        """The same settings, with the virtual channels and injectors of all classes added up."""
        count = read_classes(self.traffic_classes).count
        return replace(self, vcs=self.vcs * count, injectors=self.injectors * count) if count > 1 else self

    @property
    def overridden(self) -> tuple[str, ...]:
        """Settings whose values differ from those of the named fabric."""
        return tuple(name for name, value in self._of_fabric().items() if getattr(self, name) != value)

    @property
    def fabric_set(self) -> bool:
        """Whether any fabric setting is set, in which case the table router simulates every network."""
        return bool(self.fabric_settings)

    @property
    def fabric_settings(self) -> tuple[str, ...]:
        """The fabric settings that are set."""
        given = (item for item in fields(self) if item.name in _FABRIC)
        return tuple(item.name for item in given if getattr(self, item.name) != item.default)

    def check_bubble(self, topology: Topology) -> None:
        """Raise ``ValueError`` if no packet could ever enter a ring of the network; trees have no rings."""
        if isinstance(topology, Grid) and self.bubble >= self.queue_packets:
            raise ValueError(
                f"bubble: {self.bubble} must be less than queue_packets ({self.queue_packets}) "
                f"on {topology}, otherwise no packet can enter a ring"
            )

    @property
    def packet_bytes(self) -> int:
        """Bytes per packet."""
        return self.packet_phits * self.phit_bytes

    @property
    def hop_delay(self) -> int:
        """Cycles from the departure of a header to its first request in the next router."""
        return self.router_delay + self.link_delay


_KINDS = {"bool": bool, "int": int, "int | None": int, "float": float, "str": str}
_NO_BOUNDS = (-math.inf, math.inf)
SETTINGS = {
    item.name: Setting(
        item.metadata["says"],
        "Network settings",
        minimum=(item.metadata["bounds"] or _NO_BOUNDS)[0],
        maximum=(item.metadata["bounds"] or _NO_BOUNDS)[1],
        choices=item.metadata["choices"],
        kind=_KINDS[str(item.type)],
        default=item.default,
    )
    for item in fields(Config)
}
