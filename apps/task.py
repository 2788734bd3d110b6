"""The writer of the program of one task, operation by operation."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import Op, check_length
from netplace.inputs import abbreviate, check_int

_COMPUTE, _SEND, _ISEND, _RECV, _IRECV, _WAIT = (int(op) for op in Op)


class TaskWriter:
    """Writes the operations of task `task` of `tasks` tasks, in the order in which the methods are called.

    Messages of a task to itself are allowed; the simulator ignores them. Tags are 0 or greater. Every method
    raises ValueError if a task, size, tag or request is out of range. `Program.of` combines the writers of
    all tasks.

    Parameters
    ----------
    collectives : netplace.apps.collectives.Collectives, optional
        Algorithms for collectives; by default, the built-in choice.

    Examples
    --------
    >>> writer = TaskWriter(0, tasks=2)
    >>> writer.send(1, 512)
    >>> request = writer.irecv(1, 512)
    >>> writer.compute(1000)
    >>> writer.wait(request)
    >>> len(writer)
    4
    """

    def __init__(self, task: int, tasks: int, collectives: Any = None) -> None:
        self.collectives = collectives
        self.tasks = check_int(tasks, "tasks")
        self.task = check_int(task, "task", 0)
        if self.task >= self.tasks:
            raise ValueError(f"task: {task} is too large, expected less than {tasks}, the number of tasks")
        self._kind = array("b")
        self._peer = array("i")
        self._size = array("q")
        self._tag = array("q")
        self._request = array("i")
        self._requests = 0
        self._marks: list[tuple[int, int]] = []
        self._sections: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._kind)

    def compute(self, cycles: int) -> None:
        """Keep the task busy for `cycles` cycles."""
        self._append(_COMPUTE, -1, self._integer(cycles, "cycles", 59), 0, -1)

    def send(self, dst: int, bytes: int, tag: int = 0) -> None:
        """Send `bytes` bytes to task `dst`; the send ends when an injector has taken the last packet."""
        self._message(_SEND, dst, bytes, tag, -1)

    def recv(self, src: int, bytes: int, tag: int = 0) -> None:
        """Wait until `bytes` bytes from task `src` have arrived."""
        self._message(_RECV, src, bytes, tag, -1)

    def isend(self, dst: int, bytes: int, tag: int = 0) -> int:
        """Begin a send, and return the number of the request to wait for."""
        return self._open(_ISEND, dst, bytes, tag)

    def irecv(self, src: int, bytes: int, tag: int = 0) -> int:
        """Post a receive, and return the number of the request to wait for."""
        return self._open(_IRECV, src, bytes, tag)

    def wait(self, request: int) -> None:
        """Wait until `request` is complete."""
        if type(request) is not int:
            request = check_int(request, "request", 0)
        if not 0 <= request < self._requests:
            raise ValueError(
                f"wait: task {self.task} has no request {request}, it has opened {self._requests} so far"
            )
        self._append(_WAIT, -1, 0, 0, request)

    def waitall(self, requests: Iterable[int]) -> None:
        """Wait for each of `requests`, in order."""
        for request in requests:
            self.wait(request)

    def mark(self, iteration: int) -> None:
        """Mark the beginning of `iteration`; -1 marks the end of the last iteration."""
        self._marks.append((len(self), check_int(iteration, "iteration", -1)))

    def begin(self, section: str = "timed") -> None:
        """Mark the beginning of a named section of the program."""
        if section in self._sections:
            raise ValueError(f"section: task {self.task} begins {abbreviate(section)} twice")
        self._sections[section] = [len(self)]

    def end(self, section: str = "timed") -> None:
        """Mark the end of a named section of the program."""
        if len(self._sections.get(section, ())) != 1:
            raise ValueError(f"section: task {self.task} ends {abbreviate(section)}, which is not open")
        self._sections[section].append(len(self))

    def repeat(self, begin: int, times: int, tag_step: int = 0) -> None:
        """Repeat the operations from number `begin` to the last one, so that they occur `times` times.

        Copies open their own requests, and their marked iterations are numbered consecutively: marks 1 and 2
        are followed by 3 and 4. The tags of each copy are `tag_step` greater than those of the previous copy,
        so that messages of different copies cannot be confused. No request or section may cross the beginning
        or the end of the repeated part. Repeating a million operations takes only milliseconds, because whole
        arrays are copied.
        """
        length = len(self) - check_int(begin, "begin", 0)
        if length < 0:
            raise ValueError(f"begin: {begin} is too large, task {self.task} has {len(self)} operations")
        extra = check_int(times, "times") - 1
        check_int(tag_step, "tag_step", 0)
        # An empty iteration has a mark of its own.
        check_length(begin + max(1, length) * (extra + 1), f"repeat of task {self.task}")
        opened = self._requests_from(begin)
        if any(place > begin for places in self._sections.values() for place in places):
            raise ValueError(f"repeat: task {self.task} begins or ends a section after operation {begin}")
        self._repeat_marks(begin, length, extra)
        copy = np.repeat(np.arange(1, extra + 1), length)
        requests = np.tile(np.frombuffer(self._request, np.int32)[begin:], extra)
        requests += np.where(requests >= 0, copy * opened, 0).astype(np.int32)
        tags = np.tile(np.frombuffer(self._tag, np.int64)[begin:], extra)
        tags += np.where(np.tile(np.frombuffer(self._peer, np.int32)[begin:], extra) >= 0, copy * tag_step, 0)
        for column in (self._kind, self._peer, self._size):
            column.frombytes(memoryview(column)[begin:].tobytes() * extra)
        self._tag.frombytes(tags.tobytes())
        self._request.frombytes(requests.tobytes())
        self._requests += opened * extra

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return copies of the operations' columns, keyed by the attribute names of `Program`."""
        return {
            "kind": np.array(self._kind, np.int8),
            "peer": np.array(self._peer, np.int32),
            "size": np.array(self._size, np.int64),
            "tag": np.array(self._tag, np.int64),
            "request": np.array(self._request, np.int32),
        }

    def marks(self) -> list[tuple[int, int]]:
        """Return the marks as (operation, iteration), in order; at an operation, closing marks come first."""
        return sorted(self._marks, key=lambda mark: (mark[0], mark[1] >= 0))

    def sections(self) -> dict[str, tuple[int, int]]:
        """Return the first operation and the end of each section."""
        for name, places in self._sections.items():
            if len(places) != 2:
                raise ValueError(f"section: task {self.task} begins {name!r} but does not end it")
        return {name: (begin, end) for name, (begin, end) in self._sections.items()}

    def _append(self, kind: int, peer: int, size: int, tag: int, request: int) -> None:
        self._kind.append(kind)
        self._peer.append(peer)
        self._size.append(size)
        self._tag.append(tag)
        self._request.append(request)

    def _message(self, kind: int, peer: int, size: int, tag: int, request: int) -> None:
        peer = self._integer(peer, "peer")
        if peer >= self.tasks:
            raise ValueError(
                f"peer: task {self.task} refers to task {peer}, expected less than {self.tasks}, "
                "the number of tasks"
            )
        self._append(kind, peer, self._integer(size, "bytes"), self._integer(tag, "tag"), request)

    def _open(self, kind: int, peer: int, size: int, tag: int) -> int:
        request = self._requests
        self._message(kind, peer, size, tag, request)
        self._requests = request + 1
        return request

    def _integer(self, value: int, label: str, bits: int = 62) -> int:
        # The quick way through, for programs of millions of operations.
        if type(value) is int and 0 <= value < 1 << bits:
            return value
        number = check_int(value, f"{label} in task {self.task}", 0)
        if number >= 1 << bits:
            raise ValueError(
                f"{label} in task {self.task}: {value} is too large, expected less than 2**{bits}"
            )
        return number

    def _requests_from(self, begin: int) -> int:
        """Return how many requests are opened from operation `begin` on; each must be waited for there."""
        kind = np.frombuffer(self._kind, np.int8)[begin:]
        request = np.frombuffer(self._request, np.int32)[begin:]
        opened = request[(kind == _ISEND) | (kind == _IRECV)]
        if not np.array_equal(opened, np.sort(request[kind == _WAIT])):
            raise ValueError(
                f"repeat: from operation {begin} onward, task {self.task} opens and waits for different "
                f"requests; expected each request to be opened and waited for once in the repeated part"
            )
        return len(opened)

    def _repeat_marks(self, begin: int, length: int, extra: int) -> None:
        # A closing mark belongs to what ends where it stands: at `begin` to what came before, at the end to
        # the last copy.
        end, old = begin + length, self._marks
        last = [(place + extra * length, i) for place, i in old if i < 0 and place == end > begin]
        inside = [(place, i) for place, i in old if begin + (i < 0) <= place and (i >= 0 or place < end)]
        numbers = [i for _, i in inside if i >= 0]
        span = max(numbers) - min(numbers) + 1 if numbers else 0
        self._marks = [mark for mark in old if mark[1] >= 0 or mark[0] != end or end == begin]
        self._marks += [
            (place + copy * length, i + copy * span if i >= 0 else i)
            for copy in range(1, extra + 1)
            for place, i in inside
        ]
        self._marks += last
