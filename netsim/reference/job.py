"""A job: the tasks of a program on their nodes, and their record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.apps.replay import check_cycles
from netplace.netsim.config import Config
from netplace.netsim.engine import JobRecord
from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.messages import Channel, Data, Eager, Request
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.task import Announce, Await, Begin, Compute, Post, Receive, Send, Step, Task


class Job:
    """One run of a program.

    Operations without effect are omitted: messages of a task to itself and their receives, ``compute(0)``,
    the irecv of a message without rendezvous and, unless isends are interleaved, the wait for its isend.
    """

    def __init__(
        self,
        number: int,
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
