"""A task: a SimPy process that goes through the steps of its program."""

from __future__ import annotations

from collections.abc import Callable

import simpy
from simpy.events import ProcessGenerator

from netplace.netsim.reference.clock import Clock
from netplace.netsim.reference.messages import Channel, Data, Eager, Load, Request
from netplace.netsim.reference.node import Node

__all__ = ["Announce", "Await", "Compute", "Post", "Receive", "Send", "Step", "Task"]


class Task:
    """A task of a job on its node.

    Steps that take no time follow one another in the same cycle. A task that does its last thing in cycle t
    has its end at t + 1; one that computes last has it when the computation is over; one without steps has it
    at its start.

    Parameters
    ----------
    number : int
        Number in its job.
    node : Node
        Where it sits.
    steps : list of Step
        What it does.
    clock : Clock
        Time.
    ended : callable
        ``ended(task)`` is called when it ends.

    Attributes
    ----------
    step : Step
        The step at which it stands, the first one before it has started.
    waits_for : str
        ``"receive"``, ``"injector"`` or ``"rendezvous"`` while it cannot go on by itself, else ``"compute"``.
    end : int
        Cycle of its end; -1 before.
    """

    def __init__(
        self, number: int, node: Node, steps: list[Step], clock: Clock, ended: Callable[[Task], None]
    ) -> None:
        self.number = number
        self.node = node
        self.steps = steps
        self.clock = clock
        self.waits_for = "compute"
        self.end = -1
        self._ended = ended
        self._blocked = 0
        self._since = 0

    def start(self, cycle: int) -> None:
        """Let the task, which has steps, act from `cycle` on."""
        self.step = self.steps[0]
        self.clock.runnable += 1
        self._process = self.clock.env.process(self._life(cycle))

    def stop(self, now: int) -> None:
        """Do nothing from cycle `now` on."""
        self._blocked = self.injection_blocked(now)
        self.clock.runnable -= self.waits_for == "compute"
        self.end = now
        self._process.interrupt()

    def submit(self, load: Load) -> None:
        """Want to create the packets of `load` from this cycle on."""
        self._since = self.clock.now
        self.node.submit(load)

    def wait(self, event: simpy.Event, reason: str) -> ProcessGenerator:
        """Wait for something that only the network can bring about."""
        self.waits_for = reason
        self.clock.runnable -= 1
        yield event
        self.clock.runnable += 1
        self.waits_for = "compute"

    def passed_over(self, now: int, own: bool) -> None:
        """Record a packet created in cycle `now` while this task wanted to create, its own or not."""
        if own:
            self._blocked += now - self._since
            self._since = now + 1
        else:
            self._since += 1

    def injection_blocked(self, now: int) -> int:
        """Return the cycles before `now` in which it wanted to create a packet and could not."""
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
    """One thing that a task does and that is not over in no time.

    Attributes
    ----------
    operation : int
        Index of the operation in its job's program.
    """

    def __init__(self, operation: int) -> None:
        self.operation = operation

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Do it; come back in the cycle in which `task` looks at its next step, or did its last thing."""
        raise NotImplementedError


class Compute(Step):
    """Be busy for a number of cycles, at least one."""

    def __init__(self, operation: int, cycles: int) -> None:
        super().__init__(operation)
        self.cycles = cycles

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Let the cycles pass; the last of them is the last thing that a task does."""
        task.clock.stir(task.clock.now)
        yield task.clock.env.timeout(self.cycles - last)
        task.clock.stir(task.clock.now - 1)


class Send(Step):
    """Create the packets of a message, or of the request that announces it."""

    def __init__(self, operation: int, load: Eager | Request) -> None:
        super().__init__(operation)
        self.load = load

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Be done in the cycle in which the last packet is created; the next step comes a cycle later."""
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
        """Leave the data with the channel, which lets them go when the reply comes."""
        self.load.channel.withhold(self.data)
        yield from super().perform(task, last or self.blocking)
        if self.blocking:
            yield from task.wait(self.data.over, "rendezvous")
            if not last:
                yield task.clock.env.timeout(1)
            task.clock.stir(task.clock.now)


class Await(Step):
    """Wait until the data of an announced message have been created."""

    def __init__(self, operation: int, data: Data) -> None:
        super().__init__(operation)
        self.data = data

    def perform(self, task: Task, last: bool) -> ProcessGenerator:
        """Pass from the cycle after the last packet's creation on."""
        if not self.data.over.triggered:
            yield from task.wait(self.data.over, "rendezvous")
            yield task.clock.env.timeout(1)
        task.clock.stir(task.clock.now)


class Post(Step):
    """Post a receive."""

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
        """Retire the receive in the cycle after that in which its last tail was consumed, or at once."""
        if not self.channel.complete:
            self.channel.arrival = task.clock.env.event()
            yield from task.wait(self.channel.arrival, "receive")
            yield task.clock.env.timeout(1)
        self.channel.receive()
        task.clock.stir(task.clock.now)
