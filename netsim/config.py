"""What a user may set of the network model (docs/background/model.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from netplace.checks import one_of, real, whole
from netplace.checks.calls import check_fields, checked
from netplace.netsim.fault_text import read_faults
from netplace.topologies import Grid, Topology

__all__ = ["ARBITERS", "CONSUMPTIONS", "POLICIES", "TREE_ROUTINGS", "Config"]

POLICIES = {
    "smart": "adaptive VCs in turn, escape last; each FIFO remembers which alternative is next",
    "shortest": "the profitable adaptive VC with most room; escape only if none has room",
    "random": "a random profitable adaptive VC with room; escape only if none has room",
    "oblivious": "dimension-order routing on every VC, each with its own bubble",
}
ARBITERS = {
    "round-robin": "the input after the one granted last",
    "fifo": "the packet that has stood longest at the head of its FIFO",
    "longest": "the fullest input FIFO, round robin among equals",
    "random": "uniform among the requests",
    "age": "the packet created first",
}
CONSUMPTIONS = {
    "multiple": "every input FIFO has its own path into the node",
    "single": "one path into the node, arbitrated like any output",
}
TREE_ROUTINGS = {
    "adaptive": "up the port with most room, random among equals; down the forced port",
    "static": "up the port that the source (fat tree) or destination (thin tree) digit names",
}
_ALIASES = {"arbiter": {"rr": "round-robin"}}
# Least and most of each number. A packet is of less than 2^50 bytes, so that counts of bytes fit 64 bits.
_BOUNDS = {
    "packet_phits": (1, 1 << 20),
    "phit_bytes": (1, 1 << 30),
    "queue_packets": (1, 1 << 20),
    "injection_packets": (1, 1 << 20),
    "injectors": (1, 1 << 10),
    "vcs": (1, 1 << 10),
    "link_delay": (1, 1 << 20),
    "bubble": (0, 1 << 20),
    "router_delay": (0, 1 << 20),
}
_CYCLE_NS = (1e-9, 1e12)
_OVERHEADS = {"o_send": 1e9, "o_recv": 1e9, "o_byte": 1e6}  # with the most nanoseconds


@dataclass(frozen=True)
class Config:
    """Settings of the network; the defaults are the model's.

    Attributes
    ----------
    packet_phits : int
        Phits in a packet.
    phit_bytes : int
        Bytes in a phit.
    queue_packets : int
        Depth of a transit or injection FIFO, in packets.
    injection_packets : int
        Depth of the buffer between a task and its injection FIFO, in packets.
    injectors : int
        Injectors in a node. A packet goes to the one that holds fewest phits: of equals the first,
        cyclically, from one that is drawn.
    vcs : int
        Virtual channels of a link. VC 0 is the escape channel, the others are adaptive.
    policy : str
        Request policy on meshes and tori, a key of `POLICIES`.
    arbiter : str
        Arbiter of an output, a key of `ARBITERS`.
    consumption : str
        Key of `CONSUMPTIONS`.
    bubble : int
        Packets of room that a packet must leave behind itself when it enters a ring (meshes and tori).
    tree_routing : str
        Routing on trees, a key of `TREE_ROUTINGS`.
    router_delay, link_delay : int
        Cycles that a header spends in a router before its first request there after a hop, and on a link.
        A hop costs their sum.
    rendezvous : int or None
        Messages of more bytes than this wait for the posted receive; None: never.
    o_send, o_recv : float
        Nanoseconds that a task computes before each message that it sends, and after each that it receives,
        see `netplace.netsim.overheads`.
    o_byte : float
        Nanoseconds more for each byte of the message, at both ends.
    cycle_ns : float
        Length of a cycle in nanoseconds, to turn cycles into seconds.
    routing : str
        Routing in tables on networks of any wiring, see `netplace.topologies.routing.make_routes`;
        ``"usual"``: the one that is usual on the network, which on grids and trees is that of `policy` and
        `tree_routing`.
    vc_discipline : str
        How virtual channels go up along a route, a key of `netplace.topologies.routing.DISCIPLINES`;
        ``"usual"``: that of the routing.
    allow_deadlock : bool
        Whether a routing is run under which packets could wait for each other in a circle.
    faults : str
        Links and routers that go down at a cycle, see `netplace.netsim.fault_text.read_faults`; empty: none.
        With faults grids and trees are simulated by the general router, under their usual routing in tables.

    Raises
    ------
    ValueError
        If a value is out of range, naming it and what was expected.
    """

    packet_phits: int = 16
    phit_bytes: int = 4
    queue_packets: int = 4
    injection_packets: int = 4
    injectors: int = 1
    vcs: int = 2
    policy: str = "smart"
    arbiter: str = "round-robin"
    consumption: str = "multiple"
    bubble: int = 2
    tree_routing: str = "adaptive"
    router_delay: int = 0
    link_delay: int = 1
    rendezvous: int | None = None
    o_send: float = 0.0
    o_recv: float = 0.0
    o_byte: float = 0.0
    cycle_ns: float = 3.2
    routing: str = "usual"
    vc_discipline: str = "usual"
    allow_deadlock: bool = False
    faults: str = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, str) and value in _ALIASES.get(item.name, {}):
                object.__setattr__(self, item.name, _ALIASES[item.name][value])
        for name, (least, most) in _BOUNDS.items():
            object.__setattr__(self, name, whole(getattr(self, name), name, least, most))
        if self.rendezvous is not None:
            object.__setattr__(self, "rendezvous", whole(self.rendezvous, "rendezvous", 0))
        object.__setattr__(self, "cycle_ns", real(self.cycle_ns, "cycle_ns", *_CYCLE_NS))
        for name, nanoseconds in _OVERHEADS.items():
            object.__setattr__(self, name, real(getattr(self, name), name, 0.0, nanoseconds))
        check_fields(self)
        one_of(self.policy, POLICIES, "policy")
        one_of(self.arbiter, ARBITERS, "arbiter")
        one_of(self.consumption, CONSUMPTIONS, "consumption")
        one_of(self.tree_routing, TREE_ROUTINGS, "tree_routing")
        read_faults(self.faults)

    @checked
    def scaled(self, phit_bytes: int) -> Config:
        """Return the same network with phits of so many bytes, and cycles as many times as long."""
        times = whole(phit_bytes, "bytes_per_phit", *_BOUNDS["phit_bytes"]) / self.phit_bytes
        return replace(self, phit_bytes=phit_bytes, cycle_ns=self.cycle_ns * times)

    def described(self) -> dict[str, Any]:
        """Return all settings for a content hash; overheads of 0 are left out, as results are older."""
        plain = asdict(self)
        return {name: value for name, value in plain.items() if value or name not in _OVERHEADS}

    @checked
    def check_bubble(self, topology: Topology) -> None:
        """Raise ``ValueError`` if no packet could ever enter a ring of the network; trees have none."""
        if isinstance(topology, Grid) and self.bubble >= self.queue_packets:
            raise ValueError(
                f"bubble: {self.bubble} must be less than queue_packets ({self.queue_packets}) "
                f"on {topology}, or no packet could ever enter a ring"
            )

    @property
    def packet_bytes(self) -> int:
        """Bytes in a packet."""
        return self.packet_phits * self.phit_bytes

    @property
    def hop_delay(self) -> int:
        """Cycles from the departure of a header to its first request in the next router."""
        return self.router_delay + self.link_delay
