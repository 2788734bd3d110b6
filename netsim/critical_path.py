"""The critical path of an application: the chain of causes whose times add up to its run time.

The search starts at the end of the task that ends last and goes backward. From a receive for which the task
had to wait, the path continues with the message and then with its sender; otherwise, it stays with the task.
The path therefore contains no time in which a task waits for its partner: that time belongs to the partner or
to the message. While a task waits for an interleaved send, it creates packets or finds no room, as in a
blocking send. From a rendezvous message, or from a sender that waits for one, the path continues with the
receiver if it posted its receive after the request had arrived. The component ``handshake`` contains only the
time that the request and the reply would take through an empty network.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.netsim.config import Config
from netplace.netsim.lower import creates_packets
from netplace.netsim.overheads import with_overheads
from netplace.netsim.result import JobResult
from netplace.netsim.table_router import make_table_router, uses_table_router
from netplace.topologies import Topology

__all__ = ["COMPONENTS", "CriticalPath", "Stretch", "critical_path"]


Int = NDArray[np.int64]


def empty_cycles(topology: Topology, config: Config, sources: Int, targets: Int) -> Int:
    """Return the cycles from creation to consumption of the tail, for pairs of different nodes.

    If the table router simulates the network, this includes cables, pipelines and slow links, on the way of
    the first ports in the tables.
    """
    if not uses_table_router(topology, config):
        return np.asarray(topology.distance(sources, targets) * config.hop_delay + config.packet_phits - 1)
    table = make_table_router(topology, config)
    first, home = table.switches.first, table.switches.home
    here, there = home[sources].astype(np.int64), home[targets].astype(np.int64)
    cycles = np.full(len(sources), table.injected + config.packet_phits - 1)
    if not table.switches.direct:
        cycles += table.delay[sources, 0] + table.delay[first + there, table.node_port[targets]]
    under_way = np.flatnonzero(here != there)
    while len(under_way):
        switch = here[under_way]
        port = table.routes.ports_at(switch, there[under_way])[:, 0]
        cycles[under_way] += table.delay[first + switch, port]
        here[under_way] = table.switches.neighbor[switch, port]
        under_way = under_way[here[under_way] != there[under_way]]
    return cycles


# Components of the path.
COMPONENTS = {
    "computation": "tasks compute",
    "sending": "tasks create packets, one per cycle",
    "injector": "tasks wait for room in the injector to create a packet",
    "handshake": "request and reply of a rendezvous cross an empty network",
    "own packets": "the last packet of a message waits for the transfer of its other packets",
    "hops": "it crosses an empty network, from header to tail",
    "waiting": "it waits in the injector and in the network behind packets of other messages",
    "acting": "a task receives the message and ends",
}


@dataclass(frozen=True)
class Stretch:
    """A part of the path, from its first cycle to the cycle after the last one.

    Attributes
    ----------
    component : str
        Key of `COMPONENTS`.
    task : int
        Task to which the part belongs; for a message, the sender.
    message : int
        Number of the message, in the order of the program's sends, or -1.
    """

    component: str
    task: int
    begin: int
    end: int
    message: int = -1


@dataclass(frozen=True)
class CriticalPath:
    """The chain of causes of a job's run time, in chronological order and without gaps."""

    stretches: tuple[Stretch, ...]

    @property
    def cycles(self) -> int:
        """Sum of all parts, which is the run time of the job."""
        return sum(stretch.end - stretch.begin for stretch in self.stretches)

    def by_component(self) -> dict[str, int]:
        """Return the cycles of each component."""
        lengths = dict.fromkeys(COMPONENTS, 0)
        for stretch in self.stretches:
            lengths[stretch.component] += stretch.end - stretch.begin
        return lengths


def critical_path(topology: Topology, config: Config, program: Program, job: JobResult) -> CriticalPath:
    """Return the critical path of a job whose messages were recorded.

    The path of a job that was stopped or deadlocked ends where the job did: what had not happened by then
    counts as if it happened in that cycle.
    """
    if job.message_start is None or job.message_end is None:
        raise ValueError("critical path: the run has no record of its messages (record_messages)")
    return _Walk(topology, config, with_overheads(program, config), job).path()


class _Walk:
    """The walk back from the end; all cycles count from the start of the job."""

    def __init__(self, topology: Topology, config: Config, program: Program, job: JobResult) -> None:
        assert job.message_start is not None
        assert job.message_end is not None
        self._program, self._job = program, job
        self._last = job.end - job.start  # of a lost job, what did not happen counts as happening then
        began, ended = job.message_start, job.message_end
        self._start: list[int] = np.where(began < 0, self._last, began - job.start).tolist()
        self._end: list[int] = np.where(ended < 0, self._last - 1, ended - job.start).tolist()
        self._packets: list[int] = np.maximum(1, -(-program.size // config.packet_bytes)).tolist()
        self._phits = config.packet_phits
        sends = creates_packets(program)
        self._send_of: list[int] = np.flatnonzero(sends).tolist()  # operation, by message
        limit = np.inf if config.eager_limit is None else config.eager_limit
        self._by_rendezvous: list[bool] = (program.size[sends] > limit).tolist()  # by message
        self._interleaved = config.interleaves(program)
        taken, posts = _messages(program, sends, self._packets, -1 if self._interleaved else limit)
        self._message: list[int] = taken.tolist()  # by operation; -1: none
        self._post_of: list[int] = posts.tolist()  # operation, by message
        task, kind, some = program.task_of(), program.kind, taken >= 0
        sent = np.full(len(kind), -1)  # the send of the message of each operation
        sent[some] = np.flatnonzero(sends)[taken[some]]
        own = some & (task[sent] == task)
        large = own & (program.size[sent] > limit)
        # Whether an operation is a send; one that takes turns, for which its task does not wait here; waits
        # for such a send, not by rendezvous; or ends only when the data of a rendezvous have been created.
        self._is_send: list[bool] = np.isin(kind, (Op.SEND, Op.ISEND)).tolist()
        self._posts: list[bool] = ((kind == Op.ISEND) & self._interleaved).tolist()
        turns = own & (kind == Op.WAIT) & (kind[sent] == Op.ISEND) & self._interleaved
        self._awaits_turns: list[bool] = turns.tolist()
        self._awaits_data: list[bool] = (large & np.isin(kind, (Op.SEND, Op.WAIT))).tolist()
        self._task_of: list[int] = task.tolist()
        ends = job.nodes[task[sends]], job.nodes[program.peer[sends]]
        self._empty: list[int] = empty_cycles(topology, config, *ends).tolist()
        self._kind: list[int] = program.kind.tolist()
        self._size: list[int] = program.size.tolist()
        self._came = [-1] * len(program.kind)  # by operation: when its task comes to it
        self._stretches: list[Stretch] = []
        self._set_out()

    def path(self) -> CriticalPath:
        task = int(self._job.task_cycles.argmax())
        cursor = int(self._job.task_cycles[task])
        place = int(self._program.first[task + 1])
        reached = self._done[task]
        self._add("acting", task, max(0, cursor - 1 if reached < cursor else cursor), cursor)
        cursor = self._stretches[-1].begin if self._stretches else cursor
        seen: set[tuple[int, int]] = set()  # tasks of a lost job can wait for each other in a circle
        while place > self._program.first[task]:
            place -= 1
            if (task, place) in seen:
                break
            seen.add((task, place))
            task, place, cursor = self._back(task, place, cursor)
        self._add("injector", task, 0, cursor)
        self._stretches.reverse()
        return CriticalPath(tuple(self._stretches))

    def _back(self, task: int, place: int, cursor: int) -> tuple[int, int, int]:
        """Go back over an operation that was over at `cursor`; return task, operation and begin."""
        begin = min(cursor, self._came[place])
        message = self._message[place]
        if self._kind[place] == Op.COMPUTE:
            over = min(cursor, begin + self._size[place])
            self._add("injector", task, over, cursor)
            self._add("computation", task, begin, over)
        elif message < 0:
            return task, place, cursor
        elif self._awaits_data[place]:
            return self._back_over_data(task, place, cursor, message)
        elif self._awaits_turns[place]:
            creating = max(begin, cursor - self._packets[self._send_of[message]])
            self._add("sending", task, creating, cursor, message)
            self._add("injector", task, begin, creating)
        elif self._is_send[place]:
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
        if self._posts[place]:
            self._add("injector", task, begin, cursor)
            return task, place, begin
        created = min(cursor, self._start[message])
        over = min(cursor, created + self._created(message))
        self._add("injector", task, over, cursor)
        self._add("sending", task, created, over, message)
        begin = min(begin, created)
        self._add("injector", task, begin, created)
        return task, place, begin

    def _back_over_data(self, task: int, place: int, cursor: int, message: int) -> tuple[int, int, int]:
        """Go back over an operation that waited until the data of a message by rendezvous were created."""
        packets = self._packets[self._send_of[message]]
        if self._late(message) and self._posted(message) < cursor:
            begin = self._posted(message)
            self._stretch(
                task, message, begin, cursor, [("handshake", self._one_way(message)), ("sending", packets)]
            )
            return self._task_of[self._post_of[message]], self._post_of[message], begin
        begin = min(cursor, self._start[message])
        parts = [("handshake", 2 * self._one_way(message)), ("sending", packets)]
        if not self._is_send[place]:  # a wait: the request was sent before
            arrived = min(cursor, self._came[place])
            if arrived > begin:
                self._stretch(task, message, begin, cursor, parts, since=arrived)
                return task, place, arrived
        self._stretch(task, message, begin, cursor, parts)
        sent = self._send_of[message]
        arrived = min(begin, self._came[sent])
        self._add("injector", task, arrived, begin)
        return task, sent, arrived

    def _back_over_message(self, message: int) -> tuple[int, int, int]:
        place = self._send_of[message]
        task = self._task_of[place]
        begin, end = self._start[message], self._end[message] + 1
        behind = self._packets[place] - 1
        parts = [
            ("sending", behind),
            ("own packets", behind * (self._phits - 1)),
            ("hops", self._empty[message] + 1),
        ]
        if self._by_rendezvous[message]:
            if self._late(message) and self._posted(message) < end:
                begin = self._posted(message)
                self._stretch(task, message, begin, end, [("handshake", self._one_way(message)), *parts])
                return self._task_of[self._post_of[message]], self._post_of[message], begin
            parts = [("handshake", 2 * self._one_way(message)), *parts]
        self._stretch(task, message, begin, end, parts)
        arrived = min(begin, self._came[place])
        self._add("injector", task, arrived, begin)
        return task, place, arrived

    def _stretch(
        self, task: int, message: int, begin: int, end: int, parts: list[tuple[str, int]], since: int = 0
    ) -> None:
        """Add the parts of a message's way, each as long as in an empty network; the rest is waiting."""
        at, stretches = begin, []
        for component, length in parts:
            stretches.append((component, at, min(end, at + length)))
            at = min(end, at + length)
        self._add("waiting", task, max(at, since), end, message)
        for component, low, high in reversed(stretches):
            self._add(component, task, max(low, since), high, message)

    def _one_way(self, message: int) -> int:
        """Return the cycles until a packet of its own between two nodes is known at the other."""
        return int(self._empty[message]) + 1

    def _posted(self, message: int) -> int:
        return self._came[self._post_of[message]]

    def _late(self, message: int) -> bool:
        """Return whether the receive of a message was posted only after its request could have come."""
        return self._posted(message) > self._start[message] + self._one_way(message)

    def _add(self, component: str, task: int, begin: int, end: int, message: int = -1) -> None:
        if end > begin:
            self._stretches.append(Stretch(component, task, begin, end, message))

    def _set_out(self) -> None:
        """Work out when tasks come to their operations, at the earliest."""
        # Where an injector held a task up in the middle of a message it is later; what follows corrects it. A
        # task that waits for data of a rendezvous is left until it is known when its receive was posted.
        first = self._program.first.tolist()
        at, place = [0] * self._program.tasks, first[:-1]
        left: dict[int, list[int]] = {}  # tasks that wait, by the operation that posts the receive
        ready = list(range(self._program.tasks))
        while ready:
            task = ready.pop()
            while place[task] < first[task + 1]:
                here = place[task]
                if self._came[here] < 0:
                    self._came[here] = at[task]
                    ready += left.pop(here, [])
                post = self._post_of[self._message[here]] if self._awaits_data[here] else here
                if self._came[post] < 0:
                    left.setdefault(post, []).append(task)
                    break
                at[task] = self._after(here, at[task])
                place[task] += 1
        self._came = [self._last if came < 0 else came for came in self._came]  # not by a lost job
        self._done = at

    def _after(self, place: int, at: int) -> int:
        """Return when an operation is over, at the earliest, to which its task comes at `at`."""
        message = self._message[place]
        if self._kind[place] == Op.COMPUTE:
            return at + int(self._size[place])
        if message < 0:
            return at
        if self._awaits_data[place]:
            reply = max(self._start[message] + self._one_way(message), self._posted(message))
            return max(at, reply + self._one_way(message) + self._packets[self._send_of[message]])
        if self._awaits_turns[place]:
            return max(at, self._start[message] + self._packets[self._send_of[message]])
        if self._posts[place]:
            return at
        if self._is_send[place]:
            return max(at, self._start[message]) + self._created(message)
        return max(at, self._end[message] + 1)

    def _created(self, message: int) -> int:
        """Return how many packets a task creates when it sends a message: of a rendezvous the request."""
        return 1 if self._by_rendezvous[message] else int(self._packets[self._send_of[message]])


def _messages(
    program: Program, sends: NDArray[np.bool_], packets: list[int], eager_limit: float
) -> tuple[Int, Int]:
    """Return the message of each operation (-1: none), and the operation that posts the receive of each.

    It is the message that the operation sends, takes, or waits for until its data are created.
    """
    # A wait takes what its irecv posted. The nth taking of a key (source, destination, tag, packets) takes
    # the message that is the nth of that key to be complete; the nth receive of it is that of the nth
    # message.
    task = program.task_of()
    message_of = np.full(len(program.kind), -1, np.int64)
    message_of[sends] = np.arange(int(sends.sum()))
    post = np.full(int(sends.sum()), -1, np.int64)
    sent: dict[tuple[int, int, int, int], list[int]] = {}
    for place in np.flatnonzero(sends).tolist():
        key = (int(task[place]), int(program.peer[place]), int(program.tag[place]), packets[place])
        sent.setdefault(key, []).append(int(message_of[place]))
    taken: dict[tuple[int, int, int, int], int] = {}
    posts: dict[tuple[int, int, int, int], int] = {}
    for number in range(program.tasks):
        opened: dict[int, int] = {}
        for place in range(int(program.first[number]), int(program.first[number + 1])):
            kind = program.kind[place]
            if kind in (Op.ISEND, Op.IRECV):
                opened[int(program.request[place])] = place
            source = opened.pop(int(program.request[place])) if kind == Op.WAIT else place
            if kind == Op.WAIT and program.kind[source] == Op.ISEND and program.size[source] > eager_limit:
                message_of[place] = message_of[source]
            if program.kind[source] not in (Op.RECV, Op.IRECV) or program.peer[source] == number:
                continue
            key = (int(program.peer[source]), number, int(program.tag[source]), packets[source])
            if kind in (Op.RECV, Op.IRECV):
                nth = posts.get(key, 0)
                posts[key] = nth + 1
                post[sent[key][nth]] = place
            if kind in (Op.RECV, Op.WAIT):
                nth = taken.get(key, 0)
                taken[key] = nth + 1
                message_of[place] = sent[key][nth]
    return message_of, post
