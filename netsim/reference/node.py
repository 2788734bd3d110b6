"""A node: the packets that it is to create, and its injectors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from netplace.netsim.chance import INJECTOR, pick
from netplace.netsim.config import Config
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.packets import Load, Packet
from netplace.netsim.reference.router import Fifo


@dataclass(eq=False)
class Injector:
    """A buffer that the node fills and that empties into an injection FIFO."""

    fifo: Fifo
    depth: int  # in packets
    buffer: deque[Packet] = field(default_factory=deque)

    @property
    def open(self) -> bool:
        """Whether the buffer has room for a packet."""
        return len(self.buffer) < self.depth

    def phits(self, packet_phits: int) -> int:
        """Return the phits in buffer and FIFO, without those of the FIFO's head that have left."""
        return len(self.buffer) * packet_phits + self.fifo.present


@dataclass(eq=False, repr=False)
class Node:
    """Creates at most one packet per cycle: of its program's load or else of open-loop traffic."""

    number: int
    fabric: Fabric
    clock: Clock
    config: Config
    rouse: Callable[[Node], None]  # asks for step 1 in this cycle and in those that follow
    # Loads of the program and of open-loop traffic that are to be created.
    program: Load | None = None
    traffic: Load | None = None
    created: int = 0  # packets created

    def __post_init__(self) -> None:
        fifos = self.fabric.routers[self.number].injection
        self.injectors = [Injector(fifo, self.config.nic_buffer) for fifo in fifos]

    def submit(self, load: Load) -> None:
        self.program = load
        self.rouse(self)

    def offer(self, load: Load) -> None:
        self.traffic = load
        self.rouse(self)

    @property
    def active(self) -> bool:
        """Whether there are packets to create or to move to an injection FIFO."""
        return self._next() is not None or any(injector.buffer for injector in self.injectors)

    @property
    def hopeful(self) -> bool:
        """Whether it could do any of this if nothing else moved."""
        load = self._next()
        return (load is not None and self._has_room(load)) or any(map(self._can_empty, self.injectors))

    def act(self, now: int) -> None:
        """Execute step 1 of cycle `now`."""
        self._create(now)
        for injector in self.injectors:
            while self._can_empty(injector):
                self.fabric.inject(injector.fifo, injector.buffer.popleft(), now)

    def _next(self) -> Load | None:
        return self.program or self.traffic

    def _create(self, now: int) -> None:
        """Create a packet if there is one to create and a buffer had room before cycle `now`."""
        load = self._next()
        if load is None:
            return
        injector = self._emptiest(now, load)
        if not injector.open or not self._may_create(load, now):
            return
        self.clock.stir(now)
        if not load.begun:
            load.begun = True
            load.begin(now)
        self._put(load, injector, now)
        load.left -= 1
        self._served(load, now)
        if not load.left:
            self._finish(load)

    def _injectors_of(self, load: Load) -> list[Injector]:
        """Return the injectors that packets of `load` can take."""
        return self.injectors

    def _has_room(self, load: Load) -> bool:
        return any(injector.open for injector in self._injectors_of(load))

    def _may_create(self, load: Load, now: int) -> bool:
        """Return whether a packet may be created for which there is room."""
        return True

    def _emptiest(self, now: int, load: Load) -> Injector:
        """Return the injector with the fewest phits, full or not; of equals, the first from a draw on."""
        injectors = self._injectors_of(load)
        count = len(injectors)
        begin = pick(self.fabric.routing.seed, INJECTOR, self.number, 0, now, count) if count > 1 else 0
        ahead = injectors[begin:] + injectors[:begin]
        return min(ahead, key=lambda injector: injector.phits(self.config.packet_phits))

    def _put(self, load: Load, injector: Injector, now: int) -> None:
        """Create a packet of `load` in the buffer of an injector."""
        injector.buffer.append(self._packet(load, now))
        self.created += 1
        load.created()

    def _packet(self, load: Load, now: int) -> Packet:
        hops = self.fabric.routing.hops(self.number, load.destination, now)
        return Packet(self.number, load.destination, now, hops, load)

    def _served(self, load: Load, now: int) -> None:
        """Record that a packet of `load` was created in cycle `now`, and no other."""

    def _finish(self, load: Load) -> None:
        """Remove a load whose last packet was created."""
        if load is self.program:
            self.program = None
        elif load is self.traffic:
            self.traffic = None
        load.over.succeed()

    def _can_empty(self, injector: Injector) -> bool:
        """Return whether a packet can move from the buffer to the injection FIFO."""
        return bool(injector.buffer) and len(injector.fifo.packets) < self.config.queue_packets
