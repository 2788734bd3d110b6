"""A job: the tasks of a program on their nodes, each a SimPy process, and their record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.events import ProcessGenerator

from netplace.apps import Op, Program
from netplace.apps.replay import check_cycles
from netplace.netsim.config import Config
from netplace.netsim.engine import JobRecord
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.messages import Channel, Data, Eager, Load, Request
from netplace.netsim.reference.node import Node


class Task:
    """A task of a job on its node.

    Steps that take no time follow one another in the same cycle. A task that completes its last step in cycle
    t ends at t + 1. If the last step is a computation, the task ends when the computation ends. A task
    without steps ends at its start.
    """

    def __init__(
        self, number: int, node: Node, steps: list[Step], clock: Clock, ended: Callable[[Task], None]
    ) -> None:
        self.number = number
        self.node = node
        self.steps = steps
        self.clock = clock
        # ``"receive"``, ``"injector"``, ``"rendezvous"`` or ``"outstanding"`` while it waits for this,
        # otherwise ``"compute"``.
        self.waits_for = "compute"
        self.end = -1  # cycle of its end, or -1
        self._ended = ended
        self._blocked = 0
        self._since = 0

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

    def submit(self, load: Load) -> None:
        """Request to create the packets of `load` from this cycle on."""
        self._since = self.clock.now
        self.node.submit(load)

    def wait(self, event: simpy.Event, reason: str) -> ProcessGenerator:
        self.waits_for = reason
        self.clock.runnable -= 1
        yield event
        self.clock.runnable += 1
        self.waits_for = "compute"

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
                yield from step.perform(self, last=place == len(self.steps))
        except simpy.Interrupt:
            return  # stopped
        self.clock.runnable -= 1
        self.clock.stir(self.clock.now)
        self.end = self.clock.now + 1
        self._ended(self)


class Step:
    """A step of a task that takes time."""

    def __init__(self, operation: int) -> None:
        self.operation = operation  # index of the operation in its job's program

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Execute the step; return in the cycle in which `task` reaches its next step or ends."""
        raise NotImplementedError


class Compute(Step):
    def __init__(self, operation: int, cycles: int) -> None:
        super().__init__(operation)
        self.cycles = cycles

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Let the cycles pass; a final computation ends the task without another cycle."""
        task.clock.stir(task.clock.now)
        yield task.clock.env.timeout(self.cycles - last)
        task.clock.stir(task.clock.now - 1)


class Send(Step):
    """Create the packets of a message, or of the request that announces it."""

    def __init__(self, operation: int, load: Eager | Request) -> None:
        super().__init__(operation)
        self.load = load

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """End in the cycle in which the last packet is created; the next step follows one cycle later."""
        task.submit(self.load)
        yield from task.wait(self.load.over, "injector")
        if not last:
            yield task.clock.env.timeout(1)


class Announce(Send):
    """Create the request of a message, and wait until its data have been created if the send blocks."""

    def __init__(self, operation: int, request: Request, data: Data, blocking: bool) -> None:
        super().__init__(operation, request)
        self.data = data
        self.blocking = blocking

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Give the data to the channel, which releases them when the reply arrives."""
        self.load.channel.withhold(self.data)
        yield from super().perform(task, last or self.blocking)
        if self.blocking:
            yield from task.wait(self.data.over, "rendezvous")
            if not last:
                yield task.clock.env.timeout(1)
            task.clock.stir(task.clock.now)


class Begin(Step):
    """Post a non-blocking send that takes turns with others of its node."""

    def __init__(self, operation: int, load: Eager | Request, data: Data | None) -> None:
        super().__init__(operation)
        self.load = load
        self.data = data

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Take no time, once no more sends are outstanding than may be."""
        while not task.node.may_post(self.load):
            yield from task.wait(task.node.freed, "outstanding")
            yield task.clock.env.timeout(1)
        if self.data is not None:
            self.load.channel.withhold(self.data)
        task.node.post(self.load, self.data or self.load)
        task.clock.stir(task.clock.now)


class Await(Step):
    """Wait until all packets of a message of a non-blocking send have been created."""

    def __init__(self, operation: int, message: Eager, reason: str) -> None:
        super().__init__(operation)
        self.message = message
        self.reason = reason

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Pass from the cycle after the last packet's creation on."""
        if not self.message.over.triggered:
            yield from task.wait(self.message.over, self.reason)
            yield task.clock.env.timeout(1)
        task.clock.stir(task.clock.now)


class Post(Step):
    def __init__(self, operation: int, channel: Channel) -> None:
        super().__init__(operation)
        self.channel = channel

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        self.channel.post(task.clock.now)
        task.clock.stir(task.clock.now)
        yield from ()


class Receive(Step):
    """Wait until enough packets have been consumed."""

    def __init__(self, operation: int, channel: Channel) -> None:
        super().__init__(operation)
        self.channel = channel

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Retire the receive in the cycle after its last tail was consumed, or at once."""
        if not self.channel.complete:
            self.channel.arrival = task.clock.env.event()
            yield from task.wait(self.channel.arrival, "receive")
            yield task.clock.env.timeout(1)
        self.channel.receive()
        task.clock.stir(task.clock.now)


class Job:
    """One run of a program.

    Operations without effect are omitted: messages of a task to itself and their receives, ``compute(0)``,
    the irecv of a message without rendezvous and, unless isends are interleaved, the wait for its isend.
    """

    def __init__(
        self,
        number: int,
        identity: int,
        program: Program,
        nodes: list[Node],
        clock: Clock,
        config: Config,
        start: int,
        message_delivered: Callable[[int], None],
        ended: Callable[[], None],
        record_messages: bool,
    ) -> None:
        check_cycles(program)
        self.number = number
        self.identity = identity  # by which its traffic class is given
        self.interleaved = config.interleaves(program)
        self.end = -1
        self._start = start
        self._program = program
        self._nodes = nodes
        self._config = config
        self._channels: dict[tuple[int, int, int, int], Channel] = {}
        self._messages = 0
        self._message_delivered = message_delivered
        self._job_ended = ended
        self.tasks = [
            Task(i, node, list(self._steps(i)), clock, self._task_ended) for i, node in enumerate(nodes)
        ]
        self.stopped = False
        self.in_flight = 0
        self._running = sum(bool(task.steps) for task in self.tasks)
        times = self._messages if record_messages else 0
        self._message_start: NDArray[np.int64] = np.full(times, -1, np.int64)
        self._message_end: NDArray[np.int64] = np.full(times, -1, np.int64)
        self._records = record_messages
        self._launch()

    def record(self, now: int) -> JobRecord:
        """Return the record before cycle `now`."""
        return JobRecord(
            start=self._start,
            end=self.end,
            task_end=np.array([task.end for task in self.tasks], np.int64),
            injection_blocked=np.array([task.injection_blocked(now) for task in self.tasks], np.int64),
            message_start=self._message_start.copy() if self._records else None,
            message_end=self._message_end.copy() if self._records else None,
            stopped=self.stopped,
        )

    def stop(self, now: int) -> None:
        """Stop its tasks from cycle `now` on; packets in flight have no effect on them."""
        self.stopped = True
        self.end = now
        for task in self.tasks:
            if task.end < 0:
                task.stop(now)
            task.node.drop(self)

    def message_began(self, message: int, now: int) -> None:
        """Record that a message's first packet was created in cycle `now`."""
        if self._records:
            self._message_start[message] = now

    def message_ended(self, message: int, began: int, now: int) -> None:
        """Record that the tail of a message's last packet was consumed in cycle `now`."""
        self._message_delivered(now - began)
        if self._records:
            self._message_end[message] = now

    def _launch(self) -> None:
        for task in self.tasks:
            if task.steps:
                task.node.task = task
                task.start(self._start)
            else:
                task.end = self._start
        if not self._running:
            self.end = self._start
            self._job_ended()

    def _task_ended(self, task: Task) -> None:
        self._running -= 1
        if not self._running:
            self.end = max(task.end for task in self.tasks)
            self._job_ended()

    def _steps(self, task: int) -> Iterator[Step]:
        program = self._program
        here = slice(program.first[task], program.first[task + 1])
        columns = (program.kind, program.peer, program.size, program.tag, program.request)
        rows = zip(*(column[here].tolist() for column in columns), strict=True)
        requests: dict[int, Step | None] = {}
        for operation, (kind, peer, size, tag, request) in enumerate(rows, int(program.first[task])):
            if kind == Op.WAIT:
                if request not in requests:
                    raise ValueError(
                        f"program {program.name!r}, task {task}, operation {operation}: wait for request "
                        f"{request}, which no previous isend or irecv opened"
                    )
                waited = requests.pop(request)
                if waited is not None:
                    waited.operation = operation  # there the task stands, not where it was opened
                yield from _only(waited)
            elif kind == Op.COMPUTE:
                yield from _only(Compute(operation, size) if size else None)
            elif kind in (Op.SEND, Op.ISEND):
                step, wait = self._send(operation, task, peer, size, tag, kind == Op.SEND)
                if kind == Op.ISEND:
                    requests[request] = wait
                yield from _only(step)
            else:
                post, receive = self._receive(operation, task, peer, size, tag)
                yield from _only(post)
                if kind == Op.RECV:
                    yield from _only(receive)
                else:
                    requests[request] = receive

    def _send(
        self, operation: int, task: int, peer: int, size: int, tag: int, blocking: bool
    ) -> tuple[Step | None, Step | None]:
        """Return the step of a send, and that of the wait of an isend."""
        if peer == task:
            return None, None
        channel = self._channel(task, peer, tag, size)
        channel.number(self._messages)
        self._messages += 1
        data = Data(channel) if self._by_rendezvous(size) else None
        if data is None:
            eager = Eager(channel)
            if self.interleaved and not blocking:
                return Begin(operation, eager, None), Await(operation, eager, "injector")
            return Send(operation, eager), None
        request, wait = Request(channel), Await(operation, data, "rendezvous")
        if self.interleaved and not blocking:
            return Begin(operation, request, data), wait
        return Announce(operation, request, data, blocking), wait

    def _receive(
        self, operation: int, task: int, peer: int, size: int, tag: int
    ) -> tuple[Step | None, Step | None]:
        """Return the step that posts a receive, and the one that waits for it."""
        if peer == task:
            return None, None
        channel = self._channel(peer, task, tag, size)
        post = Post(operation, channel) if self._by_rendezvous(size) else None
        return post, Receive(operation, channel)

    def _by_rendezvous(self, size: int) -> bool:
        return self._config.eager_limit is not None and size > self._config.eager_limit

    def _channel(self, source: int, destination: int, tag: int, size: int) -> Channel:
        packets = max(1, -(-size // self._config.packet_bytes))
        place = (source, destination, tag, packets)
        if place not in self._channels:
            self._channels[place] = Channel(
                self, (self.number, *place), self._nodes[source], self._nodes[destination]
            )
        return self._channels[place]


def _only(step: Step | None) -> Iterator[Step]:
    if step is not None:
        yield step
