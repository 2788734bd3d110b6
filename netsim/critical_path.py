"""The critical path of an application: the chain of causes along which its time adds up, to the cycle.

The walk begins at the end of the task that ends last, and goes back. A receive for which the task had to
wait leads to the message, and over it to the sender; everything else stays with the task. So a path has no
time in which a task waits for its partner: that time is the partner's, or the message's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.netsim.config import Config
from netplace.netsim.result import JobResult
from netplace.topologies import Topology

__all__ = ["COMPONENTS", "CriticalPath", "Stretch", "critical_path"]

# What a stretch of the path is spent on.
COMPONENTS = {
    "computation": "tasks compute",
    "sending": "tasks create packets, one a cycle",
    "injector": "tasks want to create a packet and find no room in the injector",
    "own packets": "the last packet of a message queues behind the others of it, a packet's length each",
    "hops": "its way through an empty network, from header to tail",
    "waiting": "it waits, in the injector and in the network, behind packets of other messages",
    "acting": "a task takes what has come, and ends",
}


@dataclass(frozen=True)
class Stretch:
    """A part of the path.

    Attributes
    ----------
    component : str
        Key of `COMPONENTS`.
    task : int
        Whose it is; of a message its sender.
    begin, end : int
        First cycle, and the one after the last.
    message : int
        Number of the message, in the order of the program's sends; -1: none.
    """

    component: str
    task: int
    begin: int
    end: int
    message: int = -1


@dataclass(frozen=True)
class CriticalPath:
    """The chain of causes of a job's length.

    Attributes
    ----------
    stretches : tuple of Stretch
        In the order of time, without gaps, from the job's first cycle to its end.
    """

    stretches: tuple[Stretch, ...]

    @property
    def cycles(self) -> int:
        """Sum of all stretches: the job's length."""
        return sum(one.end - one.begin for one in self.stretches)

    def by_component(self) -> dict[str, int]:
        """Return the cycles of each component."""
        found = dict.fromkeys(COMPONENTS, 0)
        for one in self.stretches:
            found[one.component] += one.end - one.begin
        return found


def critical_path(topology: Topology, config: Config, program: Program, job: JobResult) -> CriticalPath:
    """Return the critical path of a job.

    Parameters
    ----------
    topology, config : Topology, Config
        The network.
    program : Program
        What the job's tasks did.
    job : JobResult
        What came of it, its messages recorded.

    Raises
    ------
    ValueError
        If messages were not recorded, or some went by rendezvous.
    """
    if job.message_start is None or job.message_end is None:
        raise ValueError("critical path: the run has no record of its messages (record_messages)")
    if config.rendezvous is not None:
        raise ValueError(
            f"critical path: messages over {config.rendezvous} bytes went by rendezvous, "
            "expected a run without (rendezvous)"
        )
    return _Walk(topology, config, program, job).path()


class _Walk:
    """The walk back from the end; all cycles count from the start of the job."""

    def __init__(self, topology: Topology, config: Config, program: Program, job: JobResult) -> None:
        assert job.message_start is not None
        assert job.message_end is not None
        self._program, self._job = program, job
        self._start = (job.message_start - job.start).tolist()
        self._end = (job.message_end - job.start).tolist()
        self._packets = np.maximum(1, -(-program.size // config.packet_bytes)).tolist()
        self._phits = config.packet_phits
        sends = _sends(program)
        self._send_of = np.flatnonzero(sends).tolist()  # operation, by message
        self._message = _messages(program, sends, self._packets).tolist()  # by operation; -1: none
        task = program.task_of()
        hops = topology.distance(job.nodes[task[sends]], job.nodes[program.peer[sends]])
        self._empty = (hops * config.hop_delay + config.packet_phits - 1).tolist()
        self._kind = program.kind.tolist()
        self._size = program.size.tolist()
        self._arrival: dict[int, list[int]] = {}
        self._found: list[Stretch] = []

    def path(self) -> CriticalPath:
        """Return the path."""
        task = int(self._job.task_cycles.argmax())
        cursor = int(self._job.task_cycles[task])
        place = int(self._program.first[task + 1])
        reached = self._arrivals(task)[-1]
        self._add("acting", task, max(0, cursor - 1 if reached < cursor else cursor), cursor)
        cursor = self._found[-1].begin if self._found else cursor
        while place > self._program.first[task]:
            place -= 1
            task, place, cursor = self._back(task, place, cursor)
        self._add("injector", task, 0, cursor)
        self._found.reverse()
        return CriticalPath(tuple(self._found))

    def _back(self, task: int, place: int, cursor: int) -> tuple[int, int, int]:
        """Go back over an operation that was over at `cursor`; return task, operation and begin."""
        first = int(self._program.first[task])
        begin = min(cursor, self._arrivals(task)[place - first])
        message = self._message[place]
        if self._kind[place] == Op.COMPUTE:
            over = min(cursor, begin + self._size[place])
            self._add("injector", task, over, cursor)
            self._add("computation", task, begin, over)
        elif message < 0:
            return task, place, cursor
        elif self._is_send(place):
            return self._back_over_send(task, place, cursor, message, begin)
        elif self._end[message] + 1 > begin and self._end[message] < cursor:
            self._add("injector", task, self._end[message] + 1, cursor)
            return self._back_over_message(message)
        else:
            self._add("injector", task, begin, cursor)
        return task, place, begin

    def _back_over_send(
        self, task: int, place: int, cursor: int, message: int, begin: int
    ) -> tuple[int, int, int]:
        created = min(cursor, self._start[message])
        over = min(cursor, created + self._packets[place])
        self._add("injector", task, over, cursor)
        self._add("sending", task, created, over, message)
        begin = min(begin, created)
        self._add("injector", task, begin, created)
        return task, place, begin

    def _back_over_message(self, message: int) -> tuple[int, int, int]:
        """Go back over a message that somebody waited for; its sender has begun it, and is next."""
        place = self._send_of[message]
        task = int(np.searchsorted(self._program.first, place, side="right")) - 1
        begin, end = self._start[message], self._end[message] + 1
        behind = self._packets[place] - 1
        parts = (
            ("sending", behind),
            ("own packets", behind * (self._phits - 1)),
            ("hops", self._empty[message] + 1),
        )
        at, stretches = begin, []
        for component, length in parts:
            stretches.append((component, at, min(end, at + length)))
            at = min(end, at + length)
        self._add("waiting", task, at, end, message)
        for component, low, high in reversed(stretches):
            self._add(component, task, low, high, message)
        arrived = min(begin, self._arrivals(task)[place - int(self._program.first[task])])
        self._add("injector", task, arrived, begin)
        return task, place, arrived

    def _add(self, component: str, task: int, begin: int, end: int, message: int = -1) -> None:
        if end > begin:
            self._found.append(Stretch(component, task, begin, end, message))

    def _is_send(self, place: int) -> bool:
        return self._kind[place] in (Op.SEND, Op.ISEND)

    def _arrivals(self, task: int) -> list[int]:
        """Return when a task comes to each of its operations, and when it is done with the last.

        Where an injector held it up in the middle of a message it is later; what follows corrects it.
        """
        if task not in self._arrival:
            at, found = 0, []
            for place in range(int(self._program.first[task]), int(self._program.first[task + 1])):
                found.append(at)
                message = self._message[place]
                if self._kind[place] == Op.COMPUTE:
                    at += self._size[place]
                elif message >= 0 and self._is_send(place):
                    at = max(at, self._start[message]) + self._packets[place]
                elif message >= 0:
                    at = max(at, self._end[message] + 1)
            self._arrival[task] = [*found, at]
        return self._arrival[task]


def _sends(program: Program) -> NDArray[np.bool_]:
    """Return which operations create packets; messages to oneself do not."""
    kind = program.kind
    sends: NDArray[np.bool_] = (kind == Op.SEND) | (kind == Op.ISEND)
    sends &= program.peer != program.task_of()
    return sends


def _messages(program: Program, sends: NDArray[np.bool_], packets: list[int]) -> NDArray[np.int64]:
    """Return for each operation the message that it sends or takes; -1: none.

    A wait takes what its irecv posted. The nth taking of a key (source, destination, tag, packets) takes the
    message that is the nth of that key to be complete.
    """
    task = program.task_of()
    found = np.full(len(program.kind), -1, np.int64)
    found[sends] = np.arange(int(sends.sum()))
    sent: dict[tuple[int, int, int, int], list[int]] = {}
    for place in np.flatnonzero(sends).tolist():
        key = (int(task[place]), int(program.peer[place]), int(program.tag[place]), packets[place])
        sent.setdefault(key, []).append(int(found[place]))
    taken: dict[tuple[int, int, int, int], int] = {}
    for number in range(program.tasks):
        opened: dict[int, int] = {}
        for place in range(int(program.first[number]), int(program.first[number + 1])):
            kind = program.kind[place]
            if kind in (Op.ISEND, Op.IRECV):
                opened[int(program.request[place])] = place
            source = opened.pop(int(program.request[place])) if kind == Op.WAIT else place
            takes = kind == Op.RECV or (kind == Op.WAIT and program.kind[source] == Op.IRECV)
            if takes and program.peer[source] != number:
                key = (int(program.peer[source]), number, int(program.tag[source]), packets[source])
                nth = taken.get(key, 0)
                taken[key] = nth + 1
                found[place] = sent[key][nth]
    return found
