"""Congestion control and traffic classes at the nodes (docs/background/model-fabrics.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from netplace.netsim.chance import INJECTOR_OF_FLOW, pick
from netplace.netsim.fabric_texts import (
    FAST_RECOVERY,
    LEAST_RATE,
    LINE_BITS,
    LINE_RATE,
    Control,
    read_classes,
    read_congestion,
)
from netplace.netsim.reference.graphs import RoutedPacket
from netplace.netsim.reference.interface import Interface
from netplace.netsim.reference.messages import JobLoad
from netplace.netsim.reference.node import Injector, Node
from netplace.netsim.reference.packets import Load
from netplace.netsim.reference.table_fabric import TableFabric


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


class ControlledNode(Interface):
    """A node whose packets wait for windows and rates, and take the injectors of their class and flow."""

    fabric: TableFabric

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wake = 0  # cycle in which it looks again at what its rate has held back
        # Packets whose arrival it does not know yet, by destination, if these are limited.
        self.under_way: Counter[int] = Counter()
        self._rates: dict[int, Rate] = {}  # rates of packet creation, by destination
        self._control = read_congestion(self.config.congestion_control)
        self._classes = read_classes(self.config.traffic_classes)

    def rate(self, destination: int) -> Rate:
        """Return the rate of packet creation for a destination."""
        if destination not in self._rates:
            self._rates[destination] = Rate(self._control, self.config.packet_phits)
        return self._rates[destination]

    def _class_of(self, load: Load) -> int:
        """Return the traffic class of a load; open-loop traffic belongs to the last class."""
        if not isinstance(load, JobLoad):
            return self._classes.count - 1
        channel = load.channel
        return self._classes.of_message(channel.job.identity, channel.packets, self.config.packet_bytes)

    def _injectors_of(self, load: Load) -> list[Injector]:
        """Return the injectors of a load's class; the one of its flow if packets keep their order."""
        count = len(self.injectors) // self._classes.count
        first = self._class_of(load) * count
        if self.config.ordered_flows:
            seed = self.fabric.routing.seed
            first += pick(seed, INJECTOR_OF_FLOW, self.number, load.destination, 0, count)
            count = 1
        return self.injectors[first : first + count]

    def _within_window(self, load: Load) -> bool:
        """Return whether the window to the destination of a load has room for another packet."""
        return not 0 < self._control.window <= self.under_way[load.destination]

    def _has_room(self, load: Load) -> bool:
        return self._within_window(load) and super()._has_room(load)

    def _may_create(self, load: Load, now: int) -> bool:
        """Return whether congestion control allows another packet to the destination of a load."""
        if self._control.rate and (due := self.rate(load.destination).due) > now:
            self.wake = due if self.wake <= now else self.wake
            return False
        return self._within_window(load)

    def _put(self, load: Load, injector: Injector, now: int) -> None:
        """Create a packet, unless it would have no way."""
        if not self.fabric.routing.creates(self.number, load.destination):
            return
        super()._put(load, injector, now)
        if self._control.window:
            self.under_way[load.destination] += 1
        if self._control.rate:
            self.rate(load.destination).created(now)

    def _packet(self, load: Load, now: int) -> RoutedPacket:
        first_vc = self._class_of(load) * self.fabric.routing.vcs
        return RoutedPacket(self.number, load.destination, now, [], load, first_vc)


class Feedback:
    """What sources learn of their packets: that they were consumed, and that they were marked."""

    def __init__(self, nodes: Sequence[Node], control: Control) -> None:
        self._nodes = [node for node in nodes if isinstance(node, ControlledNode)]
        self._control = control
        # Pairs of nodes, by cycle.
        self._acks: dict[int, list[tuple[int, int]]] = {}
        self._notices: dict[int, list[tuple[int, int]]] = {}

    def consumed(self, packet: RoutedPacket, now: int) -> None:
        """Send what the consumption of a packet in cycle `now` tells its source."""
        pair, known = (packet.source, packet.destination), now + 1 + self._control.ack
        if self._control.window:
            self._acks.setdefault(known, []).append(pair)
        if packet.marked and self._nodes[packet.source].rate(packet.destination).tells(now):
            self._notices.setdefault(known, []).append(pair)

    def arrive(self, now: int) -> None:
        """Let the sources know what arrives before cycle `now`."""
        for source, destination in self._acks.pop(now, ()):
            self._nodes[source].under_way[destination] -= 1
        for source, destination in self._notices.pop(now, ()):
            self._nodes[source].rate(destination).notified(now)

    def due(self, now: int) -> bool:
        """Return whether news is under way, or a node looks again after cycle `now`."""
        # A node looks again when its rate allows it, even if what waited has been taken away.
        held_back = self._control.rate and any(node.wake > now + 1 for node in self._nodes)
        return bool(self._acks or self._notices or held_back)
