"""A job: the tasks of a program on their nodes, each a SimPy process, and their record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.events import ProcessGenerator

from netplace.apps import Op, Program
from netplace.netsim.config import Config
from netplace.netsim.engine import JobRecord
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.interface import Interface
from netplace.netsim.reference.messages import Channel, JobLoad


@dataclass(eq=False)
class Step:
    """A step of a task that takes time: an action of `Task` with its arguments."""

    operation: int  # index of the operation in its job's program
    action: Callable[..., ProcessGenerator]
    given: tuple[Any, ...]


@dataclass(eq=False, repr=False)
class Task:
    """A task of a job on its node.

    Steps that take no time follow one another in the same cycle. A task that completes its last step in cycle
    t ends at t + 1. If the last step is a computation, the task ends when the computation ends. A task
    without steps ends at its start.
    """

    number: int
    node: Interface
    steps: list[Step]
    clock: Clock
    ended: Callable[[Task], None]
    # ``"receive"``, ``"injector"``, ``"rendezvous"`` or ``"outstanding"`` while it waits for this, otherwise
    # ``"compute"``.
    waits_for: str = "compute"
    end: int = -1  # cycle of its end, or -1
    _blocked: int = 0
    _since: int = 0

    def start(self, cycle: int) -> None:
        self.step = self.steps[0]  # current step; the first one before the start
        self.clock.runnable += 1
        self._process = self.clock.env.process(self._life(cycle))

    def stop(self, now: int) -> None:
        """Do nothing from cycle `now` on."""
        self._blocked = self.injection_blocked(now)
        self.clock.runnable -= self.waits_for == "compute"
        self.end = now
        self._process.interrupt()

    def _wait(self, event: simpy.Event, reason: str, last: bool = False) -> ProcessGenerator:
        """Wait for an event and, unless this is the last step, for the cycle after it."""
        self.waits_for = reason
        self.clock.runnable -= 1
        yield event
        self.clock.runnable += 1
        self.waits_for = "compute"
        if not last:
            yield self.clock.env.timeout(1)

    def passed_over(self, now: int, own: bool) -> None:
        """Record that a packet was created in cycle `now` while this task had one to create."""
        if own:
            self._blocked += now - self._since
            self._since = now + 1
        else:
            self._since += 1

    def injection_blocked(self, now: int) -> int:
        """Return the cycles before `now` in which it had a packet to create and no room for it."""
        if self.node.task is self and self.node.program is not None:
            return self._blocked + max(0, now - self._since)
        return self._blocked

    def _life(self, start: int) -> ProcessGenerator:
        try:
            yield self.clock.until(start)
            for place, step in enumerate(self.steps, 1):
                self.step = step
                yield from step.action(self, *step.given, last=place == len(self.steps))
        except simpy.Interrupt:
            return  # stopped
        self.clock.runnable -= 1
        self.clock.stir(self.clock.now)
        self.end = self.clock.now + 1
        self.ended(self)

    # The actions of steps return in the cycle in which the task reaches its next step or ends.

    def compute(self, cycles: int, last: bool) -> ProcessGenerator:
        """Let the cycles pass; a final computation ends the task without another cycle."""
        self.clock.stir(self.clock.now)
        yield self.clock.env.timeout(cycles - last)
        self.clock.stir(self.clock.now - 1)

    def send(self, load: JobLoad, last: bool) -> ProcessGenerator:
        """Create the packets of a message, or of the request that announces it.

        The step ends in the cycle in which the last packet is created; the next step follows one cycle later.
        """
        self._since = self.clock.now
        self.node.submit(load)
        yield from self._wait(load.over, "injector", last)

    def announce(self, request: JobLoad, data: JobLoad, blocking: bool, last: bool) -> ProcessGenerator:
        """Create the request of a message, and wait until its data have been created if the send blocks."""
        request.channel.withhold(data)
        yield from self.send(request, last or blocking)
        if blocking:
            yield from self._wait(data.over, "rendezvous", last)
            self.clock.stir(self.clock.now)

    def begin(self, load: JobLoad, message: JobLoad, last: bool) -> ProcessGenerator:
        """Post a non-blocking send that takes turns, once no more sends are outstanding than may be."""
        while not self.node.may_post(load):
            yield from self._wait(self.node.freed, "outstanding")
        if message is not load:
            load.channel.withhold(message)
        self.node.post(load, message)
        self.clock.stir(self.clock.now)

    def complete(self, message: JobLoad, reason: str, last: bool) -> ProcessGenerator:
        """Wait until all packets of a non-blocking send have been created, and for the cycle after it."""
        if not message.over.triggered:
            yield from self._wait(message.over, reason)
        self.clock.stir(self.clock.now)

    def post(self, channel: Channel, last: bool) -> ProcessGenerator:
        """Post a receive."""
        channel.post(self.clock.now)
        self.clock.stir(self.clock.now)
        yield from ()

    def receive(self, channel: Channel, last: bool) -> ProcessGenerator:
        """Retire a receive in the cycle after its last tail was consumed, or at once."""
        if not channel.complete:
            channel.arrival = self.clock.env.event()
            yield from self._wait(channel.arrival, "receive")
        channel.receive()
        self.clock.stir(self.clock.now)


@dataclass(eq=False, repr=False)
class Job:
    """One run of a program.

    Operations without effect are omitted: messages of a task to itself and their receives, ``compute(0)``,
    the irecv of a message without rendezvous and, unless isends are interleaved, the wait for its isend.
    """

    number: int
    identity: int  # by which its traffic class is given
    program: Program
    nodes: list[Interface]
    clock: Clock
    config: Config
    start: int
    message_delivered: Callable[[int], None]
    job_ended: Callable[[], None]
    records: bool  # whether it records the times of messages
    end: int = -1
    stopped: bool = False
    in_flight: int = 0  # packets

    def __post_init__(self) -> None:
        self.interleaved = self.config.interleaves(self.program)
        self._channels: dict[tuple[int, int, int, int], Channel] = {}
        self._messages = 0
        self.tasks = [
            Task(i, node, list(filter(None, self._steps(i))), self.clock, self._task_ended)
            for i, node in enumerate(self.nodes)
        ]
        # Start and end of each message.
        self._times: NDArray[np.int64] = np.full((2, self._messages if self.records else 0), -1, np.int64)
        self._running = sum(bool(task.steps) for task in self.tasks)
        for task in self.tasks:
            if task.steps:
                task.node.task = task
                task.start(self.start)
            else:
                task.end = self.start
        if not self._running:
            self.end = self.start
            self.job_ended()

    def record(self, now: int) -> JobRecord:
        """Return the record before cycle `now`."""
        return JobRecord(
            start=self.start,
            end=self.end,
            task_end=np.array([task.end for task in self.tasks], np.int64),
            injection_blocked=np.array([task.injection_blocked(now) for task in self.tasks], np.int64),
            message_start=self._times[0].copy() if self.records else None,
            message_end=self._times[1].copy() if self.records else None,
            stopped=self.stopped,
        )

    def stop(self, now: int) -> None:
        """Stop its tasks from cycle `now` on; packets in flight have no effect on them."""
        self.stopped = True
        self.end = now
        for task in self.tasks:
            if task.end < 0:
                task.stop(now)
            task.node.drop(self.number)

    def message_began(self, message: int, now: int) -> None:
        """Record that a message's first packet was created in cycle `now`."""
        if self.records:
            self._times[0, message] = now

    def message_ended(self, message: int, began: int, now: int) -> None:
        """Record that the tail of a message's last packet was consumed in cycle `now`."""
        self.message_delivered(now - began)
        if self.records:
            self._times[1, message] = now

    def _task_ended(self, task: Task) -> None:
        self._running -= 1
        if not self._running:
            self.end = max(task.end for task in self.tasks)
            self.job_ended()

    def _steps(self, task: int) -> Iterator[Step | None]:
        """Yield the steps of a task, and None for operations that have none."""
        program = self.program
        here = slice(program.first[task], program.first[task + 1])
        columns = (program.kind, program.peer, program.size, program.tag, program.request)
        rows = zip(*(column[here].tolist() for column in columns), strict=True)
        requests: dict[int, Step | None] = {}
        for operation, (kind, peer, size, tag, request) in enumerate(rows, int(program.first[task])):
            wait: Step | None = None
            if kind == Op.WAIT:
                wait = requests.pop(request)
                if wait is not None:
                    wait.operation = operation  # there the task stands, not where it was opened
                yield wait
            elif kind == Op.COMPUTE:
                yield Step(operation, Task.compute, (size,)) if size else None
            elif peer != task:
                if kind in (Op.SEND, Op.ISEND):
                    channel = self._channel(task, peer, tag, size)
                    step, wait = self._send(operation, channel, size, kind == Op.SEND)
                    yield step
                else:
                    channel = self._channel(peer, task, tag, size)
                    yield Step(operation, Task.post, (channel,)) if self._by_rendezvous(size) else None
                    wait = Step(operation, Task.receive, (channel,))
                    if kind == Op.RECV:
                        yield wait
            if kind in (Op.ISEND, Op.IRECV):
                requests[request] = wait

    def _send(self, operation: int, channel: Channel, size: int, blocking: bool) -> tuple[Step, Step | None]:
        """Return the step of a send, and that of the wait of an isend."""
        channel.number(self._messages)
        self._messages += 1
        by_rendezvous = self._by_rendezvous(size)
        message = channel.data() if by_rendezvous else channel.eager()
        load = channel.request() if by_rendezvous else message
        reason = "rendezvous" if by_rendezvous else "injector"
        wait = Step(operation, Task.complete, (message, reason))
        if self.interleaved and not blocking:
            return Step(operation, Task.begin, (load, message)), wait
        if by_rendezvous:
            return Step(operation, Task.announce, (load, message, blocking)), wait
        return Step(operation, Task.send, (load,)), None

    def _by_rendezvous(self, size: int) -> bool:
        return self.config.eager_limit is not None and size > self.config.eager_limit

    def _channel(self, source: int, destination: int, tag: int, size: int) -> Channel:
        packets = max(1, -(-size // self.config.packet_bytes))
        place = (source, destination, tag, packets)
        if place not in self._channels:
            self._channels[place] = Channel(
                self, (self.number, *place), self.nodes[source], self.nodes[destination]
            )
        return self._channels[place]
