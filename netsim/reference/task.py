"""A task: a SimPy process that executes the steps of its program."""

from __future__ import annotations

from collections.abc import Callable

import simpy
from simpy.events import ProcessGenerator

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
        """Take no time."""
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
