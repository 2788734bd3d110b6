"""The parts of a router: input FIFOs, waiting headers, outputs, and links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from netplace.netsim.config import Config
from netplace.netsim.reference.packets import Packet
from netplace.topologies import Topology


@dataclass(eq=False, repr=False)
class Head:
    """A header that waits at the head of a FIFO, and the outputs that it can request."""

    since: int  # cycle from which on it has been at the head of its FIFO here
    candidates: list[Output]  # all outputs that it can request, by increasing (port, VC)
    escape: Output | None = None  # the escape output among them, if packets have others to choose from
    turn: int = 0  # next alternative of policy ``smart``


@dataclass(eq=False, repr=False)
class Fifo:
    """An input FIFO: of a (port, VC), or of an injector (port -1)."""

    router: Router
    port: int  # port of arrival
    vc: int  # virtual channel, or number of the injector
    number: int  # among the router's inputs
    capacity: int  # in phits
    # Packets whose header has left for this FIFO and whose tail has not left it.
    packets: deque[Packet] = field(default_factory=deque)
    present: int = 0  # phits that occupy room, including those on the wire
    ready: int = 0  # phits that have arrived and can leave
    sent: int = 0  # phits of the head packet that have left
    head: Head | None = None  # the waiting header; None before it is looked at, and once it is granted
    output: Output | None = None  # output that is reserved for the head packet

    @property
    def room(self) -> int:
        """Free room in phits; the part of an incoming packet that has not yet arrived counts as room."""
        return self.capacity - self.present

    def release(self) -> Packet:
        """Release the output after the tail has left, and return the packet."""
        self.sent = 0
        self.output = None
        return self.packets.popleft()


@dataclass(eq=False, repr=False)
class Output:
    """A (port, VC) of a router, which stands for the FIFO at the neighbor, or the consumption."""

    router: Router
    port: int  # -1 for the consumption
    vc: int
    number: int  # among the router's outputs; the consumption is the last
    shared: bool = False  # whether all requests are granted at once (consumption ``multiple``)
    # The FIFO downstream, and the link that the VC shares with others; None for the consumption.
    fifo: Fifo | None = None
    link: Link | None = None
    holder: Fifo | None = None  # FIFO for whose head packet it is reserved
    pointer: int = 0  # input at which the next round-robin scan begins


class Link:
    """The physical link of one port of a router; its virtual channels share it packet by packet."""

    def __init__(self, outputs: list[Output], delay: int) -> None:
        self.outputs = outputs
        self.delay = delay  # cycles from the departure of a header to its first request in the next router
        self.place = outputs[0].router.number, outputs[0].port
        self.held = 0  # number of channels that are reserved for a packet
        self.serving: Output | None = None  # channel whose packet is crossing, until the tail has passed
        self.pointer = 0  # channel at which the next choice begins
        for output in outputs:
            output.link = self

    @property
    def state(self) -> list[int]:
        """The pointers, which outlast all packets."""
        return [self.pointer]

    @state.setter
    def state(self, state: list[int]) -> None:
        (self.pointer,) = state

    def choose(self) -> Output | None:
        """Return the channel to serve: the current one, or the first held one from the pointer on.

        The pointer moves to the channel after it at once, which has no effect before the tail has passed.
        """
        count = len(self.outputs)
        for vc in [*range(self.pointer, count), *range(self.pointer)]:
            if self.serving is None and self.outputs[vc].holder is not None:
                self.serving = self.outputs[vc]
                self.pointer = (vc + 1) % count
        return self.serving

    def arrival(self, now: int, phit: int) -> int:
        """Return the cycle from which on a phit that leaves in cycle `now` can leave the next router."""
        return now + self.delay

    def take(self, output: Output, holder: Fifo) -> None:
        output.holder = holder
        self.held += 1

    def finish(self, output: Output) -> None:
        """Free the virtual channel after its tail has passed."""
        output.holder = None
        self.held -= 1
        self.serving = None


class Router:
    def __init__(self, number: int, ports: int, injectors: int, config: Config) -> None:
        self.number = number
        self.ports = ports
        capacity = config.queue_packets * config.packet_phits
        places = [(port, vc) for port in range(ports) for vc in range(config.vcs)]
        places += [(-1, injector) for injector in range(injectors)]
        # By input number: port by port with all VCs of each, then the injectors.
        self.fifos = [Fifo(self, port, vc, i, capacity) for i, (port, vc) in enumerate(places)]
        # By output number: port by port with all VCs of each. Those of unwired ports have no FIFO downstream.
        self.outputs = [Output(self, port, vc, i) for i, (port, vc) in enumerate(places) if port >= 0]
        shared = config.ejection == "multiple"
        self.consumption = Output(self, -1, 0, len(self.outputs), shared)  # output into the node

    @property
    def injection(self) -> list[Fifo]:
        return self.fifos[len(self.outputs) :]


def make_routers(
    topology: Topology, config: Config, ports: list[int], link: Callable[[list[Output]], Link]
) -> list[Router]:
    """Return the wired routers of a network with these numbers of ports; `link` makes the link of a port."""
    routers = [
        Router(number, count, config.injectors if number < topology.nodes else 0, config)
        for number, count in enumerate(ports)
    ]
    for number, port in np.argwhere(topology.neighbor >= 0).tolist():
        neighbor = routers[topology.neighbor[number, port]]
        entry = int(topology.entry[number, port]) * config.vcs
        outputs = routers[number].outputs[port * config.vcs : (port + 1) * config.vcs]
        for output in outputs:
            output.fifo = neighbor.fifos[entry + output.vc]
        link(outputs)
    return routers
