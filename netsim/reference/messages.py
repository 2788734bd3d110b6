"""The loads of packets: messages, control packets of a rendezvous, and open-loop traffic."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import simpy

Key = tuple[int, int, int, int, int]


class Owner(Protocol):
    """The message and packet counts of a job."""

    number: int
    identity: int
    in_flight: int
    stopped: bool
    interleaved: bool

    def message_began(self, message: int, now: int) -> None:
        """Record that a message's first packet was created in cycle `now`."""

    def message_ended(self, message: int, began: int, now: int) -> None:
        """Record that the tail of a message's last packet was consumed in cycle `now`."""


class _Place(Protocol):
    """The properties of a node that messages need: its number, its time, and its interface queue."""

    number: int
    env: simpy.Environment

    def owe(self, load: Load, due: int, kind: int, key: Key) -> None: ...


class Load:
    """Packets that a node creates for one destination; the base class is open-loop traffic."""

    job: Owner | None = None  # owner of the packets; None for open-loop traffic
    packets = 0  # packets of the message to which they belong; 0 for open-loop traffic
    takes_turns = False  # whether they take turns with those of other messages of the node
    begun = False  # whether one was created

    def __init__(self, env: simpy.Environment, destination: int, packets: int) -> None:
        self.destination = destination  # node that consumes them
        self.left = packets  # packets that are still to be created
        self.over = env.event()  # event of the cycle in which the last of them is created

    def created(self) -> None:
        if self.job is not None:
            self.job.in_flight += 1

    def begin(self, now: int) -> None:
        """Record that the first packet was created in cycle `now`."""

    def consumed(self, now: int) -> None:
        """Record that the tail of one of the packets was consumed in cycle `now`."""
        if self.job is not None:
            self.job.in_flight -= 1
            if not self.job.stopped:
                self.learn(now)

    def thrown_away(self) -> None:
        """Record that one of the packets was lost and discarded."""
        if self.job is not None:
            self.job.in_flight -= 1

    def learn(self, now: int) -> None:
        """Notify the job of a packet whose tail was consumed in cycle `now`."""


class Channel:
    """The messages of a key (job, source task, destination task, tag, packets), and the matching receives.

    Matching counts packets: a receive is complete when the requested number of packets has been consumed,
    from any messages of the key, and each packet counts once. The n-th message of the key ends when n times
    its packets have been consumed.

    Under rendezvous, the n-th reply is due when n requests have been consumed and n receives posted, and it
    sends the n-th message on its way.
    """

    def __init__(self, job: Owner, key: Key, source: _Place, destination: _Place) -> None:
        self.key = key
        self.packets = key[-1]
        self.source = source
        self.destination = destination
        self.arrival: simpy.Event | None = None
        self.job = job
        self._consumed = 0
        self._used = 0
        self._numbers: deque[int] = deque()
        self._under_way: deque[tuple[int, int]] = deque()
        self._withheld: deque[Load] = deque()
        self._requests = 0
        self._posts = 0
        self._replies = 0

    def number(self, message: int) -> None:
        """Let the channel have a message of that number; messages begin in the order of their numbers."""
        self._numbers.append(message)

    def begin(self, now: int) -> None:
        message = self._numbers.popleft()
        self._under_way.append((message, now))
        self.job.message_began(message, now)

    def packet_consumed(self, now: int) -> None:
        """Count a data packet, end the message that it completes, and wake the waiting task."""
        self._consumed += 1
        if self._consumed % self.packets == 0:
            message, began = self._under_way.popleft()
            self.job.message_ended(message, began, now)
        if self.arrival is not None and self.complete:
            self.arrival.succeed()
            self.arrival = None

    @property
    def complete(self) -> bool:
        """Whether a receive at the head of its task is complete."""
        return self._consumed - self._used >= self.packets

    def receive(self) -> None:
        self._used += self.packets

    def withhold(self, data: Load) -> None:
        """Hold the data of a message until its reply arrives."""
        self._withheld.append(data)

    def post(self, now: int) -> None:
        self._posts += 1
        self._reply(now)

    def request_consumed(self, now: int) -> None:
        """Count a request; it is known from the next cycle on."""
        self._requests += 1
        self._reply(now + 1)

    def reply_consumed(self, now: int) -> None:
        """Release the next message from the next cycle on."""
        self.source.owe(self._withheld.popleft(), now + 1, 0, self.key)

    def _reply(self, due: int) -> None:
        if min(self._requests, self._posts) > self._replies:
            self._replies += 1
            self.destination.owe(Reply(self), due, 1, self.key)


class Eager(Load):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.source.env, channel.destination.number, channel.packets)
        self.channel = channel
        self.packets = channel.packets
        self.job = channel.job

    def begin(self, now: int) -> None:
        self.channel.begin(now)

    def learn(self, now: int) -> None:
        """Count the packet for the receives."""
        self.channel.packet_consumed(now)


class Data(Eager):
    """A message that a request has announced."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.takes_turns = channel.job.interleaved

    def begin(self, now: int) -> None:
        """Do nothing: the message began with its request."""


class Request(Load):
    """The control packet that announces a message and begins it."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.source.env, channel.destination.number, 1)
        self.channel = channel
        self.packets = channel.packets
        self.job = channel.job

    def begin(self, now: int) -> None:
        self.channel.begin(now)

    def learn(self, now: int) -> None:
        self.channel.request_consumed(now)


class Reply(Load):
    """The control packet that says that the receive is posted."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.source.env, channel.source.number, 1)
        self.channel = channel
        self.packets = channel.packets
        self.job = channel.job

    def learn(self, now: int) -> None:
        self.channel.reply_consumed(now)


class Packet:
    def __init__(self, source: int, destination: int, created: int, hops: list[int], load: Load) -> None:
        # Source node and destination node.
        self.source = source
        self.destination = destination
        self.created = created  # cycle in which the node created it
        self.hops = hops  # remaining signed hops in each dimension of a mesh or torus; empty on a tree
        self.load = load
        self.trip: object = None  # state of a routing in tables; None at first
        self.gone = False  # whether a fault has ended it, so that it is discarded
        self.first_vc = 0  # first virtual channel of its traffic class, on every link
        self.counted = True  # whether it counts as a created packet
        self.marked = False  # whether it was marked when it left a long queue for a contended output

    def cross(self, port: int) -> None:
        if self.hops:
            self.hops[port // 2] -= 1 if port % 2 == 0 else -1
