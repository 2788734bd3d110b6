"""The interface of a node with tasks: what a rendezvous owes, and messages that take turns."""

from __future__ import annotations

import heapq
from collections import deque
from itertools import count
from typing import Protocol

from netplace.netsim.reference.messages import JobLoad, Key
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.packets import Load


class Seated(Protocol):
    """The properties of a task that its node needs."""

    def passed_over(self, now: int, own: bool) -> None: ...


class Interface(Node):
    """A node that serves four sources of packets.

    In each cycle, the first of them that has some is served, and a load of several packets that has begun is
    finished first, unless it takes turns:

    * the interface queue, with the data and replies that a rendezvous owes, by (cycle from which it is due,
      data before replies, key of the message);
    * the program, with one load at a time;
    * loads that take turns: the first of them has a packet created, and is then the last;
    * open-loop traffic, with one packet at a time.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.env = self.clock.env
        self.task: Seated | None = None  # the current or last task on this node
        # Occurs when the last packet of a message that took turns has been created.
        self.freed = self.env.event()
        self._owed: list[tuple[int, int, Key, int, JobLoad]] = []
        self._order = count()
        self._begun: Load | None = None
        self._turns: deque[JobLoad] = deque()
        self._outstanding: dict[Load, int] = {}  # packets of each message

    def owe(self, load: JobLoad, due: int, kind: int, key: Key) -> None:
        heapq.heappush(self._owed, (due, kind, key, next(self._order), load))
        self.rouse(self)

    def may_post(self, load: JobLoad) -> bool:
        """Return whether the message of `load` may be outstanding beside those that are."""
        config, outstanding = self.config, self._outstanding
        if config.outstanding_sends is not None and len(outstanding) >= config.outstanding_sends:
            return False
        if config.outstanding_bytes is None or not outstanding:
            return True
        packets = sum(outstanding.values()) + load.channel.packets
        return packets * config.packet_bytes <= config.outstanding_bytes

    def post(self, load: JobLoad, message: JobLoad) -> None:
        """Let `load` take turns; `message` is outstanding until its last packet was created."""
        self._join()
        self._turns.append(load)
        self._outstanding[message] = message.channel.packets
        self.rouse(self)

    def drop(self, job: int) -> None:
        """Forget the packets that are still to be created for a job."""
        if self.program is not None and self.program.job == job:
            self.program = None
        if self._begun is not None and self._begun.job == job:
            self._begun = None
        self._turns = deque(load for load in self._turns if load.job != job)
        self._outstanding = {load: packets for load, packets in self._outstanding.items() if load.job != job}
        self._owed = [owed for owed in self._owed if owed[-1].job != job]
        heapq.heapify(self._owed)

    def owes(self, job: int) -> bool:
        """Return whether packets of a job are still to be created."""
        loads = [self._begun, self.program, *self._turns, *(owed[-1] for owed in self._owed)]
        return any(load is not None and load.job == job for load in loads)

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

    def _served(self, load: Load, now: int) -> None:
        if self.program is not None and self.task is not None:
            self.task.passed_over(now, load is self.program)
        if self._turns and load is self._turns[0]:
            self._turns.rotate(-1)
        else:
            self._begun = load if load.left else None

    def _finish(self, load: Load) -> None:
        if self._turns and load is self._turns[-1]:
            self._turns.pop()
        elif self._owed and load is self._owed[0][-1]:
            heapq.heappop(self._owed)
        super()._finish(load)
        if self._outstanding.pop(load, None) is not None:
            freed, self.freed = self.freed, self.env.event()
            freed.succeed()
