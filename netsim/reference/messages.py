"""Messages of jobs, and the control packets of a rendezvous (docs/background/model-tasks.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import simpy

from netplace.netsim.reference.packets import Load

Key = tuple[int, int, int, int, int]


class Owner(Protocol):
    """The message and packet counts of a job."""

    number: int
    identity: int
    in_flight: int
    stopped: bool
    interleaved: bool

    def message_began(self, message: int, now: int) -> None: ...

    def message_ended(self, message: int, began: int, now: int) -> None: ...


class _Place(Protocol):
    """The properties of a node that messages need: its number, its time, and its interface queue."""

    number: int
    env: simpy.Environment

    def owe(self, load: JobLoad, due: int, kind: int, key: Key) -> None: ...


@dataclass(eq=False, repr=False)
class Channel:
    """The messages of a key (job, source task, destination task, tag, packets), and the matching receives.

    Matching counts packets: a receive is complete when the requested number of packets has been consumed,
    from any messages of the key, and each packet counts once. The n-th message of the key ends when n times
    its packets have been consumed.

    Under rendezvous, the n-th reply is due when n requests have been consumed and n receives posted, and it
    sends the n-th message on its way.
    """

    job: Owner
    key: Key
    source: _Place
    destination: _Place
    arrival: simpy.Event | None = None  # for which a task waits
    _consumed: int = 0
    _used: int = 0
    _numbers: deque[int] = field(default_factory=deque)
    _under_way: deque[tuple[int, int]] = field(default_factory=deque)
    _withheld: deque[JobLoad] = field(default_factory=deque)
    _requests: int = 0
    _posts: int = 0
    _replies: int = 0

    def __post_init__(self) -> None:
        self.packets = self.key[-1]

    def eager(self) -> JobLoad:
        """Return a message that waits for nothing."""
        return JobLoad(self, self.destination, self.packets, self._begin, self._packet_consumed)

    def request(self) -> JobLoad:
        """Return the control packet that announces a message and begins it."""
        return JobLoad(self, self.destination, 1, self._begin, self._request_consumed)

    def data(self) -> JobLoad:
        """Return a message that a request has announced."""
        data = JobLoad(self, self.destination, self.packets, None, self._packet_consumed)
        data.takes_turns = self.job.interleaved
        return data

    def number(self, message: int) -> None:
        """Let the channel have a message of that number; messages begin in the order of their numbers."""
        self._numbers.append(message)

    def _begin(self, now: int) -> None:
        message = self._numbers.popleft()
        self._under_way.append((message, now))
        self.job.message_began(message, now)

    def _packet_consumed(self, now: int) -> None:
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

    def withhold(self, data: JobLoad) -> None:
        """Hold the data of a message until its reply arrives."""
        self._withheld.append(data)

    def post(self, now: int) -> None:
        self._posts += 1
        self._reply(now)

    def _request_consumed(self, now: int) -> None:
        """Count a request; it is known from the next cycle on."""
        self._requests += 1
        self._reply(now + 1)

    def _reply_consumed(self, now: int) -> None:
        """Release the next message from the next cycle on."""
        self.source.owe(self._withheld.popleft(), now + 1, 0, self.key)

    def _reply(self, due: int) -> None:
        if min(self._requests, self._posts) > self._replies:
            self._replies += 1
            reply = JobLoad(self, self.source, 1, None, self._reply_consumed)
            self.destination.owe(reply, due, 1, self.key)


class JobLoad(Load):
    """Packets of a message of a channel, or one of its control packets.

    `start` is called when the first is created, and `learn` whenever the tail of one was consumed, each with
    the cycle.
    """

    takes_turns = False  # whether they take turns with those of other messages of the node

    def __init__(
        self,
        channel: Channel,
        destination: _Place,
        packets: int,
        start: Callable[[int], None] | None,
        learn: Callable[[int], None],
    ) -> None:
        super().__init__(channel.source.env, destination.number, packets)
        self.channel = channel
        self.job = channel.job.number
        self._start = start
        self._learn = learn

    def begin(self, now: int) -> None:
        if self._start is not None:
            self._start(now)

    def created(self) -> None:
        self.channel.job.in_flight += 1

    def consumed(self, now: int) -> None:
        self.channel.job.in_flight -= 1
        if not self.channel.job.stopped:
            self._learn(now)

    def thrown_away(self) -> None:
        """Record that one of the packets was lost and discarded."""
        self.channel.job.in_flight -= 1
