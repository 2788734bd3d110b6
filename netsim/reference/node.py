"""A node: its packets to send, and its injectors."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable
from itertools import count
from typing import Protocol

from netplace.netsim.chance import INJECTOR, INJECTOR_OF_FLOW, pick
from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.congestion import (
    FAST_RECOVERY,
    LEAST_RATE,
    LINE_BITS,
    LINE_RATE,
    Control,
    read_congestion,
)
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.messages import Key, Load, Packet
from netplace.netsim.reference.router import Fifo


class Rate:
    """The rate of a pair of nodes, a whole number of 1 / `LINE_RATE` phits per cycle."""

    def __init__(self, control: Control, packet_phits: int) -> None:
        self.due = 0  # first cycle in which the next packet may be created
        self._control = control
        self._phits = packet_phits
        self._current = self._target = control.rate
        self._alpha = LINE_RATE
        self._steps = 0  # since the last notification
        self._next_step: int | None = None  # cycle; None: there was no notification
        self._notified: int | None = None  # cycle of the last notification at the node to which packets go

    def created(self, now: int) -> None:
        self._recover(now)
        self.due = now + -(-(self._phits << LINE_BITS) // self._current)

    def tells(self, now: int) -> bool:
        """Return whether a marked packet consumed in cycle `now` causes a notification."""
        if self._notified is not None and now - self._notified < self._control.every:
            return False
        self._notified = now
        return True

    def notified(self, now: int) -> None:
        self._recover(now)
        self._target = self._current
        self._current -= self._current * self._alpha >> (LINE_BITS + 1)
        self._current = max(self._current, min(LEAST_RATE, self._control.rate))
        self._alpha += LINE_RATE // self._control.gain - self._alpha // self._control.gain
        self._steps = 0
        self._next_step = now + self._control.timer

    def _recover(self, now: int) -> None:
        """Increase the rate at every end of the timer up to cycle `now`."""
        while self._next_step is not None and self._next_step <= now:
            self._next_step += self._control.timer
            self._alpha -= self._alpha // self._control.gain
            self._steps += 1
            if self._steps > FAST_RECOVERY:
                self._target = min(self._target + self._control.step, self._control.rate)
            self._current = (self._target + self._current + 1) >> 1


class _Seated(Protocol):
    """The properties of a task that its node needs."""

    end: int

    def passed_over(self, now: int, own: bool) -> None: ...


class _Injector:
    """A buffer that the node fills and that empties into an injection FIFO."""

    def __init__(self, fifo: Fifo, depth: int) -> None:
        self.fifo = fifo
        self.depth = depth
        self.buffer: deque[Packet] = deque()

    @property
    def open(self) -> bool:
        """Whether the buffer has room for a packet."""
        return len(self.buffer) < self.depth

    def phits(self, packet_phits: int) -> int:
        """Return the phits in buffer and FIFO, without those of the FIFO's head that have left."""
        return len(self.buffer) * packet_phits + self.fifo.present


class Node:
    """Creates at most one packet per cycle.

    Four sources can have packets to create. In each cycle, the first of them that has some is served, and a
    load of several packets that has begun is finished first, unless it takes turns:

    * the interface queue, with the data and replies that a rendezvous owes, by (cycle from which it is due,
      data before replies, key of the message);
    * the program, with one load at a time;
    * loads that take turns: the first of them has a packet created, and is then the last;
    * open-loop traffic, with one packet at a time.
    """

    def __init__(
        self, number: int, fabric: Fabric, clock: Clock, config: Config, rouse: Callable[[Node], None]
    ) -> None:
        self.number = number
        self.env = clock.env
        self._clock = clock
        self.task: _Seated | None = None  # the current or last task on this node
        # Loads of the program and of open-loop traffic that are to be created.
        self.program: Load | None = None
        self.traffic: Load | None = None
        self.created = 0  # packets created
        self.wake = 0  # cycle in which it looks again at what its rate has held back
        # Packets whose arrival it does not know yet, by destination, if these are limited.
        self.under_way: Counter[int] = Counter()
        self.rates: dict[int, Rate] = {}  # rates of packet creation, by destination, if these are limited
        self._control = read_congestion(config.congestion_control)
        self._owed: list[tuple[int, int, Key, int, Load]] = []
        self._order = count()
        self._begun: Load | None = None
        self._turns: deque[Load] = deque()
        self._outstanding: dict[Load, int] = {}
        self._most = config.outstanding_sends, config.outstanding_bytes
        # Occurs when the last packet of a message that took turns has been created.
        self.freed = clock.env.event()
        self._fabric = fabric
        self._rouse = rouse
        self._packet_phits = config.packet_phits
        self._packet_bytes = config.packet_bytes
        self._classes = read_classes(config.traffic_classes)
        self._ordered = config.ordered_flows
        self._queue_packets = config.queue_packets
        fifos = fabric.routers[number].injection
        self._injectors = [_Injector(fifo, config.nic_buffer) for fifo in fifos]

    def owe(self, load: Load, due: int, kind: int, key: Key) -> None:
        heapq.heappush(self._owed, (due, kind, key, next(self._order), load))
        self._rouse(self)

    def submit(self, load: Load) -> None:
        self.program = load
        self._rouse(self)

    def may_post(self, load: Load) -> bool:
        """Return whether the message of `load` may be outstanding beside those that are."""
        messages, most = self._most
        if messages is not None and len(self._outstanding) >= messages:
            return False
        packets = sum(self._outstanding.values()) + load.packets
        return most is None or not self._outstanding or packets * self._packet_bytes <= most

    def post(self, load: Load, message: Load) -> None:
        """Let `load` take turns; `message` is outstanding until its last packet was created."""
        self._join()
        self._turns.append(load)
        self._outstanding[message] = message.packets
        self._rouse(self)

    def offer(self, load: Load) -> None:
        self.traffic = load
        self._rouse(self)

    def drop(self, job: object) -> None:
        if self.program is not None and self.program.job is job:
            self.program = None
        if self._begun is not None and self._begun.job is job:
            self._begun = None
        self._turns = deque(load for load in self._turns if load.job is not job)
        self._outstanding = {
            message: count for message, count in self._outstanding.items() if message.job is not job
        }
        self._owed = [owed for owed in self._owed if owed[-1].job is not job]
        heapq.heapify(self._owed)

    def owes(self, job: object) -> bool:
        """Return whether packets of a job are still to be created."""
        loads = [self._begun, self.program, *self._turns, *(owed[-1] for owed in self._owed)]
        return any(load is not None and load.job is job for load in loads)

    @property
    def active(self) -> bool:
        """Whether there are packets to create or to move to an injection FIFO."""
        return self._next() is not None or any(injector.buffer for injector in self._injectors)

    @property
    def hopeful(self) -> bool:
        """Whether it could do any of this if nothing else moved."""
        load = self._next()
        if (
            load is not None
            and self._within_window(load)
            and any(injector.open for injector in self._of(load))
        ):
            return True
        return any(map(self._can_empty, self._injectors))

    def act(self, now: int) -> None:
        """Execute step 1 of cycle `now`."""
        self._create(now)
        for injector in self._injectors:
            while self._can_empty(injector):
                self._fabric.inject(injector.fifo, injector.buffer.popleft(), now)

    @property
    def buffered(self) -> list[Packet]:
        return [packet for injector in self._injectors for packet in injector.buffer]

    def _next(self) -> Load | None:
        self._join()
        owed = self._owed[0][-1] if self._owed else None
        turn = self._turns[0] if self._turns else None
        return self._begun or owed or self.program or turn or self.traffic

    def _join(self) -> None:
        """Let what has become due and takes turns join those that do."""
        due = [owed for owed in self._owed if owed[-1].takes_turns]
        if due:
            self._owed = [owed for owed in self._owed if not owed[-1].takes_turns]
            heapq.heapify(self._owed)
            self._turns.extend(owed[-1] for owed in sorted(due))

    def _within_window(self, load: Load) -> bool:
        """Return whether the window to the destination of a load has room for another packet."""
        return not 0 < self._control.window <= self.under_way[load.destination]

    def _rate(self, load: Load) -> Rate:
        if load.destination not in self.rates:
            self.rates[load.destination] = Rate(self._control, self._packet_phits)
        return self.rates[load.destination]

    def _may_create(self, load: Load, now: int) -> bool:
        """Return whether congestion control allows another packet to the destination of a load."""
        if self._control.rate and (due := self._rate(load).due) > now:
            self.wake = due if self.wake <= now else self.wake
            return False
        return self._within_window(load)

    def class_of(self, load: Load) -> int:
        """Return the traffic class of a load; open-loop traffic belongs to the last class."""
        if load.job is None:
            return self._classes.count - 1
        return self._classes.of_message(load.job.identity, load.packets, self._packet_bytes)

    def _of(self, load: Load) -> list[_Injector]:
        """Return the injectors of a load's class; the one of its flow if packets keep their order."""
        count = len(self._injectors) // self._classes.count
        first = self.class_of(load) * count
        if self._ordered:
            seed = self._fabric.routing.seed
            first += pick(seed, INJECTOR_OF_FLOW, self.number, load.destination, 0, count)
            count = 1
        return self._injectors[first : first + count]

    def _create(self, now: int) -> None:
        """Create a packet if there is one to create and a buffer had room before cycle `now`."""
        load = self._next()
        if load is None:
            return
        injector = self._emptiest(now, load)
        if not injector.open or not self._may_create(load, now):
            return
        self._clock.stir(now)
        if not load.begun:
            load.begun = True
            load.begin(now)
        if self._fabric.routing.creates(self.number, load.destination):
            hops = self._fabric.routing.hops(self.number, load.destination, now)
            packet = Packet(self.number, load.destination, now, hops, load)
            packet.first_vc = self.class_of(load) * self._fabric.routing.vcs
            injector.buffer.append(packet)
            self.created += 1
            if self._control.window:
                self.under_way[load.destination] += 1
            if self._control.rate:
                self._rate(load).created(now)
            load.created()
        if self.program is not None and self.task is not None:
            self.task.passed_over(now, load is self.program)
        load.left -= 1
        if self._turns and load is self._turns[0]:
            self._turns.rotate(-1)
        else:
            self._begun = load if load.left else None
        if not load.left:
            self._finish(load)

    def _emptiest(self, now: int, load: Load) -> _Injector:
        """Return the injector with the fewest phits, full or not; of equals, the first from a draw on."""
        injectors = self._of(load)
        count = len(injectors)
        begin = pick(self._fabric.routing.seed, INJECTOR, self.number, 0, now, count) if count > 1 else 0
        ahead = injectors[begin:] + injectors[:begin]
        return min(ahead, key=lambda injector: injector.phits(self._packet_phits))

    def _finish(self, load: Load) -> None:
        """Remove a load whose last packet was created."""
        if load is self.program:
            self.program = None
        elif load is self.traffic:
            self.traffic = None
        elif self._turns and load is self._turns[-1]:
            self._turns.pop()
        else:
            heapq.heappop(self._owed)
        load.over.succeed()
        if self._outstanding.pop(load, None) is not None:
            freed, self.freed = self.freed, self.env.event()
            freed.succeed()

    def _can_empty(self, injector: _Injector) -> bool:
        """Return whether a packet can move from the buffer to the injection FIFO."""
        return bool(injector.buffer) and len(injector.fifo.packets) < self._queue_packets
