"""The parts of a router: input FIFOs, waiting headers, outputs, and links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netplace.netsim.classes import Classes, read_classes
from netplace.netsim.config import Config
from netplace.netsim.reference.messages import Packet


class Head:
    """A header that waits at the head of a FIFO, and the outputs that it can request."""

    def __init__(
        self, packet: Packet, since: int, candidates: list[Output], escape: Output | None = None
    ) -> None:
        self.packet = packet
        self.since = since  # cycle from which on it has been at the head of its FIFO here
        self.candidates = candidates  # all outputs that it can request, by increasing (port, VC)
        self.escape = escape  # the escape output among them, on meshes and tori with adaptive channels
        self.turn = 0  # next alternative of policy ``smart``


class Fifo:
    """An input FIFO: of a (port, VC), or of an injector (port -1)."""

    def __init__(self, router: Router, port: int, vc: int, number: int, capacity: int) -> None:
        self.router = router
        # Port of arrival, virtual channel, and number among the router's inputs.
        self.port = port
        self.vc = vc
        self.number = number
        self.capacity = capacity  # in phits
        # Packets whose header has left for this FIFO and whose tail has not left it.
        self.packets: deque[Packet] = deque()
        self.present = 0  # phits that occupy room, including those on the wire
        self.ready = 0  # phits that have arrived and can leave
        self.sent = 0  # phits of the head packet that have left
        # The waiting header; None before it is looked at, and once it is granted.
        self.head: Head | None = None
        self.output: Output | None = None  # output that is reserved for the head packet
        self.lag = 0  # delay in cycles until the previous router knows about room
        # Packets (phits with wormhole switching) that have left and that the previous router does not know
        # about yet.
        self.untold = 0

    @property
    def room(self) -> int:
        """Free room in phits; the part of an incoming packet that has not yet arrived counts as room."""
        return self.capacity - self.present

    def arrived(self, packet_phits: int) -> int:
        """Return the packets whose header has arrived over a link, before one leaves."""
        return -(-self.ready // packet_phits) if self.port >= 0 else 0

    def emit(self) -> None:
        self.ready -= 1
        self.present -= 1
        self.sent += 1

    def release(self) -> Packet:
        """Release the output after the tail has left, and return the packet."""
        self.sent = 0
        self.output = None
        return self.packets.popleft()


class Output:
    """A (port, VC) of a router, which stands for the FIFO at the neighbor, or the consumption."""

    def __init__(self, router: Router, port: int, vc: int, number: int) -> None:
        self.router = router
        # Port, virtual channel, and number among the outputs of the router; the consumption is the last.
        self.port = port
        self.vc = vc
        self.number = number
        self.fifo: Fifo | None = None  # the FIFO downstream; None for the consumption
        self.link: Link | None = None  # the link that the VC shares with others; None for the consumption
        self.ring = False  # whether packets that enter must leave a bubble
        self.shared = False  # whether all requests are granted at once (consumption ``multiple``)
        self.holder: Fifo | None = None  # FIFO for whose head packet it is reserved
        self.pointer = 0  # input at which the next round-robin scan begins
        self.turn = 0  # for the consumption: the turn of the class schedule at which the next choice begins
        self.freed = 0  # for the consumption: the cycle after the last tail has passed

    def in_use(self, now: int) -> bool:
        """Return whether the consumption was in use up to the cycle before `now`."""
        return self.freed == now

    def finish(self, now: int) -> None:
        """Free the consumption after a tail has passed in cycle `now`."""
        self.freed = now + 1
        self.holder = None

    def of_next_class(self, asking: list[Fifo]) -> list[Fifo]:
        """Return the requests of the class that comes next; an output of a link has one class."""
        if self.link is not None:
            return asking
        classes = self.router.classes
        schedule = classes.schedule or tuple(range(classes.count))
        for turn in [*range(self.turn, len(schedule)), *range(self.turn)]:
            of_class = [fifo for fifo in asking if self.router.class_of(fifo) == schedule[turn]]
            if of_class:
                self.turn = (turn + 1) % len(schedule) if classes.weights else 0
                return of_class
        return asking


class Link:
    """The physical link of one port of a router; its virtual channels share it packet by packet."""

    def __init__(self, outputs: list[Output], cycles: int, delay: int, classes: Classes) -> None:
        self.outputs = outputs
        self._weighted = bool(classes.weights)
        self._schedule = classes.schedule or tuple(range(classes.count))
        self.cycles = cycles  # cycles per phit
        self.delay = delay  # cycles from the departure of a header to its first request in the next router
        self.later = cycles, delay  # cycles per phit and delay after the crossing packet has passed
        self.rest = 0  # remaining cycles for which the last phit occupies it
        self.freed = 0  # cycle after the last tail has passed
        self.held = 0  # number of channels that are reserved for a packet
        self.serving: Output | None = None  # channel whose packet is crossing, until the tail has passed
        # For each class, the virtual channel at which the next choice begins: after the one served last or
        # now.
        self.pointers = [0] * classes.count
        self.turn = 0  # turn of the schedule at which the choice of a class begins
        for output in outputs:
            output.link = self

    def choose(self, may_leave: Callable[[Fifo], bool]) -> Output | None:
        """Return the VC to serve: the current one, or the first from the pointer on whose packet can leave.

        The pointer moves to the VC after it at once, which has no effect before the tail has passed.
        """
        if self.serving is None:
            for turn in [*range(self.turn, len(self._schedule)), *range(self.turn)]:
                self.serving = self._of_class(self._schedule[turn], may_leave)
                if self.serving is not None:
                    self.turn = (turn + 1) % len(self._schedule) if self._weighted else 0
                    break
        return self.serving

    def _of_class(self, number: int, may_leave: Callable[[Fifo], bool]) -> Output | None:
        """Return the first held VC of a class from its pointer on whose packet can leave."""
        count = len(self.outputs) // len(self.pointers)
        for n in range(count):
            vc = (self.pointers[number] + n) % count
            output = self.outputs[number * count + vc]
            if output.holder is not None and may_leave(output.holder):
                self.pointers[number] = (vc + 1) % count
                return output
        return None

    def take(self, output: Output, holder: Fifo) -> None:
        output.holder = holder
        self.held += 1

    def pace(self, cycles: int, delay: int) -> None:
        self.later = cycles, delay
        if self.serving is None:
            self.cycles, self.delay = self.later

    def in_use(self, now: int) -> bool:
        """Return whether a packet is crossing, or has crossed up to the cycle before `now`."""
        return self.serving is not None or self.freed == now

    def finish(self, output: Output, now: int) -> None:
        """Free the virtual channel after its tail has passed in cycle `now`."""
        self.freed = now + 1
        output.holder = None
        self.held -= 1
        self.serving = None
        self.cycles, self.delay = self.later


class Router:
    def __init__(self, number: int, ports: int, injectors: int, config: Config) -> None:
        self.number = number
        self.ports = ports
        capacity = config.buffer_phits or config.queue_packets * config.packet_phits
        places = [(port, vc) for port in range(ports) for vc in range(config.vcs)]
        places += [(-1, injector) for injector in range(injectors)]
        # By input number: port by port with all VCs of each, then the injectors.
        self.fifos = [Fifo(self, port, vc, i, capacity) for i, (port, vc) in enumerate(places)]
        # By output number: port by port with all VCs of each. Those of unwired ports have no FIFO downstream.
        self.outputs = [Output(self, port, vc, i) for i, (port, vc) in enumerate(places) if port >= 0]
        self.consumption = Output(self, -1, 0, len(self.outputs))  # output into the node
        self.consumption.shared = config.ejection == "multiple"
        self.classes = read_classes(config.traffic_classes)
        self._class_vcs = config.vcs // self.classes.count

    def class_of(self, fifo: Fifo) -> int:
        """Return the class of the packets of a FIFO that a link feeds."""
        return fifo.vc // self._class_vcs

    @property
    def injection(self) -> list[Fifo]:
        return self.fifos[len(self.outputs) :]
