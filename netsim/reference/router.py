"""What a router is made of: input FIFOs, the headers that wait in them, outputs, and the links they share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netplace.netsim.classes import Classes, read_classes
from netplace.netsim.config import Config
from netplace.netsim.reference.packet import Packet

__all__ = ["Fifo", "Head", "Link", "Output", "Router"]


class Head:
    """A header that waits at the head of a FIFO, and what it may ask for here.

    Attributes
    ----------
    packet : Packet
        The packet whose header it is.
    since : int
        Cycle from which on it has stood at the head of its FIFO here.
    candidates : list of Output
        Every output for which it could ever ask, by increasing (port, VC).
    escape : Output or None
        The escape output among them, on meshes and tori with adaptive channels.
    turn : int
        Which alternative of policy ``smart`` is next.
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
        Where it stands.
    port, vc, number : int
        Port of arrival, virtual channel, and number among the router's inputs.
    capacity : int
        Phits that fit.
    packets : deque of Packet
        Packets of which at least the header has set out for this FIFO and the tail has not left it.
    present : int
        Phits that take up room, those still on the wire included.
    ready : int
        Phits that have arrived and may leave.
    sent : int
        Phits of the head packet that have left.
    head : Head or None
        The waiting header; None before it is looked at, and once it is granted.
    output : Output or None
        The output to which the head packet is tied.
    lag : int
        Cycles later than at once that the router before knows of room.
    untold : int
        Packets, or phits under wormhole switching, that have left and of which it does not know yet.
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
        """Phits that still fit; what has not yet arrived of a packet being received counts as room."""
        return self.capacity - self.present

    def arrived(self, packet_phits: int) -> int:
        """Return the packets of which the header has come by a link, before one leaves."""
        return -(-self.ready // packet_phits) if self.port >= 0 else 0

    def emit(self) -> None:
        """Let one phit of the head packet leave."""
        self.ready -= 1
        self.present -= 1
        self.sent += 1

    def release(self) -> Packet:
        """Untie the output after the tail has left; return the packet that is gone."""
        self.sent = 0
        self.output = None
        return self.packets.popleft()


class Output:
    """A (port, VC) of a router, standing for the FIFO of that pair at the neighbor; or the consumption.

    Attributes
    ----------
    router : Router
        Where it leaves.
    port, vc, number : int
        Port, virtual channel, and number among the router's outputs; the consumption comes after all of them.
    fifo : Fifo or None
        The FIFO downstream; None for the consumption.
    link : Link or None
        The link that the VC shares with others; None for the consumption.
    ring : bool
        Whether packets that enter must leave a bubble.
    shared : bool
        Whether all that ask are granted at once (consumption ``multiple``).
    holder : Fifo or None
        The FIFO whose head packet is tied to it.
    pointer : int
        Input at which the next round-robin scan begins.
    turn : int
        Of the consumption: the turn of the schedule of classes at which the choice of one begins.
    freed : int
        Of the consumption: cycle after that in which the last tail has passed.
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
        """Tell of the consumption whether a packet was consumed up to the cycle before `now`."""
        return self.freed == now

    def finish(self, now: int) -> None:
        """Free the consumption, by which a tail has passed in cycle `now`."""
        self.freed = now + 1
        self.holder = None

    def of_next_class(self, asking: list[Fifo]) -> list[Fifo]:
        """Return those who ask that are of the class that comes next; an output of a link has one class."""
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
    """The physical link that leaves a router through one port; its virtual channels share it by packets.

    Attributes
    ----------
    outputs : list of Output
        Its virtual channels.
    held : int
        How many of them are tied to a packet.
    serving : Output or None
        The one whose packet is crossing; it is kept until the tail has passed.
    pointers : list of int
        By class, the virtual channel in it at which the next choice begins: after the one served last, or
        being served.
    turn : int
        The turn of the schedule at which the choice of a class begins.
    cycles : int
        Cycles that it takes for a phit.
    delay : int
        Cycles from the departure of a header to its first request in the next router.
    freed : int
        Cycle after that in which the last tail has passed.
    rest : int
        Cycles for which the last phit still occupies it.
    later : tuple of (int, int)
        Cycles and delay that it has once the packet has passed that is crossing.
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
        """Return the VC to serve: the one in hand, else the first from the pointer on whose packet may leave.

        The pointer turns to the VC after it at once, though nobody sees that before the tail has passed.
        """
        if self.serving is None:
            for turn in [*range(self.turn, len(self._schedule)), *range(self.turn)]:
                self.serving = self._of_class(self._schedule[turn], may_leave)
                if self.serving is not None:
                    self.turn = (turn + 1) % len(self._schedule) if self._weighted else 0
                    break
        return self.serving

    def _of_class(self, number: int, may_leave: Callable[[Fifo], bool]) -> Output | None:
        """Return the first VC of a class from its pointer on that is held and whose packet may leave."""
        count = len(self.outputs) // len(self.pointers)
        for n in range(count):
            vc = (self.pointers[number] + n) % count
            output = self.outputs[number * count + vc]
            if output.holder is not None and may_leave(output.holder):
                self.pointers[number] = (vc + 1) % count
                return output
        return None

    def take(self, output: Output, holder: Fifo) -> None:
        """Tie a virtual channel to the head packet of `holder`."""
        output.holder = holder
        self.held += 1

    def pace(self, cycles: int, delay: int) -> None:
        """Have another speed from the next packet on that begins to cross."""
        self.later = cycles, delay
        if self.serving is None:
            self.cycles, self.delay = self.later

    def in_use(self, now: int) -> bool:
        """Return whether a packet is crossing, or one has crossed up to the cycle before `now`."""
        return self.serving is not None or self.freed == now

    def finish(self, output: Output, now: int) -> None:
        """Free the virtual channel whose tail has passed in cycle `now`."""
        self.freed = now + 1
        output.holder = None
        self.held -= 1
        self.serving = None
        self.cycles, self.delay = self.later


class Router:
    """The FIFOs and outputs of one router.

    Parameters
    ----------
    number : int
        Number of the router.
    ports : int
        Its own ports, wired or not.
    injectors : int
        Its injectors; 0 for a switch.
    config : Config
        Settings.

    Attributes
    ----------
    fifos : list of Fifo
        By input number: port by port with all VCs of each, then the injectors.
    outputs : list of Output
        By output number: port by port with all VCs of each. Those of unwired ports have no FIFO downstream.
    consumption : Output
        The way into the node.
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
        self.consumption.shared = config.consumption == "multiple"
        self.classes = read_classes(config.traffic_classes)
        self._class_vcs = config.vcs // self.classes.count

    def class_of(self, fifo: Fifo) -> int:
        """Return the class of the packets of a FIFO that a link feeds."""
        return fifo.vc // self._class_vcs

    @property
    def injection(self) -> list[Fifo]:
        """The injection FIFOs."""
        return self.fifos[len(self.outputs) :]
