"""The parts of a router: input FIFOs, waiting headers, outputs, and links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netplace.netsim.classes import Classes, read_classes
from netplace.netsim.config import Config
from netplace.netsim.reference.packet import Packet

__all__ = ["Fifo", "Head", "Link", "Output", "Router"]


class Head:
    """A header that waits at the head of a FIFO, and the outputs that it can request.

    Attributes
    ----------
    packet : Packet
        The packet whose header it is.
    since : int
        Cycle from which on it has been at the head of its FIFO here.
    candidates : list of Output
        All outputs that it can request, by increasing (port, VC).
    escape : Output or None
        The escape output among them, on meshes and tori with adaptive channels.
    turn : int
        Next alternative of policy ``smart``.
    """

    __slots__ = ("candidates", "escape", "packet", "since", "turn")

    def __init__(
        self, packet: Packet, since: int, candidates: list[Output], escape: Output | None = None
    ) -> None:
        self.packet = packet
        self.since = since
        self.candidates = candidates
        self.escape = escape
        self.turn = 0


class Fifo:
    """An input FIFO: of a (port, VC), or of an injector (port -1).

    Attributes
    ----------
    router : Router
        Its router.
    port, vc, number : int
        Port of arrival, virtual channel, and number among the router's inputs.
    capacity : int
        Capacity in phits.
    packets : deque of Packet
        Packets whose header has left for this FIFO and whose tail has not left it.
    present : int
        Phits that occupy room, including those on the wire.
    ready : int
        Phits that have arrived and can leave.
    sent : int
        Phits of the head packet that have left.
    head : Head or None
        The waiting header; None before it is looked at, and once it is granted.
    output : Output or None
        Output that is reserved for the head packet.
    lag : int
        Delay in cycles until the previous router knows about room.
    untold : int
        Packets (phits with wormhole switching) that have left and that the previous router does not know
        about yet.
    """

    __slots__ = (
        "capacity",
        "head",
        "lag",
        "number",
        "output",
        "packets",
        "port",
        "present",
        "ready",
        "router",
        "sent",
        "untold",
        "vc",
    )

    def __init__(self, router: Router, port: int, vc: int, number: int, capacity: int) -> None:
        self.router = router
        self.port = port
        self.vc = vc
        self.number = number
        self.capacity = capacity
        self.packets: deque[Packet] = deque()
        self.present = 0
        self.ready = 0
        self.sent = 0
        self.head: Head | None = None
        self.output: Output | None = None
        self.lag = 0
        self.untold = 0

    @property
    def room(self) -> int:
        """Free room in phits; the part of an incoming packet that has not yet arrived counts as room."""
        return self.capacity - self.present

    def arrived(self, packet_phits: int) -> int:
        """Return the packets whose header has arrived over a link, before one leaves."""
        return -(-self.ready // packet_phits) if self.port >= 0 else 0

    def emit(self) -> None:
        """Let one phit of the head packet leave."""
        self.ready -= 1
        self.present -= 1
        self.sent += 1

    def release(self) -> Packet:
        """Release the output after the tail has left, and return the packet."""
        self.sent = 0
        self.output = None
        return self.packets.popleft()


class Output:
    """A (port, VC) of a router, which stands for the FIFO of that pair at the neighbor; or the consumption.

    Attributes
    ----------
    router : Router
        Its router.
    port, vc, number : int
        Port, virtual channel, and number among the outputs of the router; the consumption is the last.
    fifo : Fifo or None
        The FIFO downstream; None for the consumption.
    link : Link or None
        The link that the VC shares with others; None for the consumption.
    ring : bool
        Whether packets that enter must leave a bubble.
    shared : bool
        Whether all requests are granted at once (consumption ``multiple``).
    holder : Fifo or None
        FIFO for whose head packet it is reserved.
    pointer : int
        Input at which the next round-robin scan begins.
    turn : int
        For the consumption: the turn of the class schedule at which the next choice begins.
    freed : int
        For the consumption: the cycle after the last tail has passed.
    """

    __slots__ = (
        "fifo",
        "freed",
        "holder",
        "link",
        "number",
        "pointer",
        "port",
        "ring",
        "router",
        "shared",
        "turn",
        "vc",
    )

    def __init__(self, router: Router, port: int, vc: int, number: int) -> None:
        self.router = router
        self.port = port
        self.vc = vc
        self.number = number
        self.fifo: Fifo | None = None
        self.link: Link | None = None
        self.ring = False
        self.shared = False
        self.holder: Fifo | None = None
        self.pointer = 0
        self.turn = 0
        self.freed = 0

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
    """The physical link of one port of a router; its virtual channels share it packet by packet.

    Attributes
    ----------
    outputs : list of Output
        Its virtual channels.
    held : int
        Number of channels that are reserved for a packet.
    serving : Output or None
        Channel whose packet is crossing, until the tail has passed.
    pointers : list of int
        For each class, the virtual channel at which the next choice begins: after the one served last or now.
    turn : int
        Turn of the schedule at which the choice of a class begins.
    cycles : int
        Cycles per phit.
    delay : int
        Cycles from the departure of a header to its first request in the next router.
    freed : int
        Cycle after the last tail has passed.
    rest : int
        Remaining cycles for which the last phit occupies it.
    later : tuple of (int, int)
        Cycles per phit and delay after the crossing packet has passed.
    """

    __slots__ = (
        "_schedule",
        "_weighted",
        "cycles",
        "delay",
        "freed",
        "held",
        "later",
        "outputs",
        "pointers",
        "rest",
        "serving",
        "turn",
    )

    def __init__(self, outputs: list[Output], cycles: int, delay: int, classes: Classes) -> None:
        self.outputs = outputs
        self._weighted = bool(classes.weights)
        self._schedule = classes.schedule or tuple(range(classes.count))
        self.cycles = cycles
        self.delay = delay
        self.later = cycles, delay
        self.rest = 0
        self.freed = 0
        self.held = 0
        self.serving: Output | None = None
        self.pointers = [0] * classes.count
        self.turn = 0
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
        """Reserve a virtual channel for the head packet of `holder`."""
        output.holder = holder
        self.held += 1

    def pace(self, cycles: int, delay: int) -> None:
        """Change the speed for the next packet that begins to cross."""
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
    """The FIFOs and outputs of one router.

    `number`: number of the router. `ports`: number of ports, wired or not. `injectors`: number of injectors;
    0 for a switch. `config`: settings.

    Attributes
    ----------
    fifos : list of Fifo
        By input number: port by port with all VCs of each, then the injectors.
    outputs : list of Output
        By output number: port by port with all VCs of each. Those of unwired ports have no FIFO downstream.
    consumption : Output
        Output into the node.
    classes : Classes
        Traffic classes.
    """

    def __init__(self, number: int, ports: int, injectors: int, config: Config) -> None:
        self.number = number
        self.ports = ports
        capacity = config.buffer_phits or config.queue_packets * config.packet_phits
        places = [(port, vc) for port in range(ports) for vc in range(config.vcs)]
        places += [(-1, injector) for injector in range(injectors)]
        self.fifos = [Fifo(self, port, vc, i, capacity) for i, (port, vc) in enumerate(places)]
        self.outputs = [Output(self, port, vc, i) for i, (port, vc) in enumerate(places) if port >= 0]
        self.consumption = Output(self, -1, 0, len(self.outputs))
        self.consumption.shared = config.ejection == "multiple"
        self.classes = read_classes(config.traffic_classes)
        self._class_vcs = config.vcs // self.classes.count

    def class_of(self, fifo: Fifo) -> int:
        """Return the class of the packets of a FIFO that a link feeds."""
        return fifo.vc // self._class_vcs

    @property
    def injection(self) -> list[Fifo]:
        """The injection FIFOs."""
        return self.fifos[len(self.outputs) :]
