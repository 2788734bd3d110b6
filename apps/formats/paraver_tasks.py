"""One task of a Paraver trace: its MPI calls in time, and the messages in them."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from typing import Any

from netplace.apps.recorded.calls import Call

__all__ = ["Task"]

_POSTED = {int(Call.SEND): int(Call.ISEND), int(Call.RECV): int(Call.IRECV)}
_COMPLETING = ("MPI_Wait", "MPI_Test")  # and what begins so
# Kind and peer as `CallWriter.add` has them, the time in the trace's unit, and the other values.
Row = tuple[int, int, int, dict[str, Any]]


class Task:
    """What is known of a task.

    Attributes
    ----------
    sends : list of (int, int, int, int)
        Time of the call, destination, bytes, tag.
    receives : list of (int, int, int, int, int)
        Time at which it was posted and at which it had come, source, bytes, tag.
    inside : int
        Time in MPI.
    """

    def __init__(self) -> None:
        self.sends: list[tuple[int, int, int, int]] = []
        self.receives: list[tuple[int, int, int, int, int]] = []
        self.inside = 0
        self._intervals: list[tuple[int, int, int]] = []
        self._open: tuple[int, int] | None = None

    def event(self, time: int, value: int, keep: bool) -> None:
        """Take the begin of an MPI call, or with a value of 0 its end."""
        if value:
            self._open = (time, value)
        elif self._open is not None:
            begin, call = self._open
            self.inside += time - begin
            self._open = None
            if keep:
                self._intervals.append((begin, time, call))

    def calls(self, names: dict[int, str]) -> Iterator[Row]:
        """Yield messages and waits; not in order, but with their times."""
        self._intervals.sort()
        begins = [begin for begin, _, _ in self._intervals]
        completing = [
            (begin, end)
            for begin, end, call in self._intervals
            if names.get(call, "").startswith(_COMPLETING)
        ]
        starts, ends = [begin for begin, _ in completing], [end for _, end in completing]
        messages = [(int(Call.SEND), time, time, *rest) for time, *rest in sorted(self.sends)]
        messages += [(int(Call.RECV), *rest) for rest in sorted(self.receives)]
        for request, (kind, time, came, peer, size, tag) in enumerate(messages):
            name, end = self._at(time, begins, names)
            message = {"size": size, "tag": tag}
            if not (name.startswith("MPI_I") or "endrecv" in name):
                yield kind, peer, time, message
                continue
            yield _POSTED[kind], peer, time, message | {"request": request}
            if name.startswith("MPI_I"):
                # A send is waited for by the next call that completes something, a receive once it has come.
                place = bisect.bisect_left(
                    *((starts, time) if kind == Call.SEND else (ends, max(came, time + 1)))
                )
                if place == len(ends):
                    continue
                end = ends[place]
            yield Call.WAIT, -1, end, {"request": request}

    def _at(self, time: int, begins: list[int], names: dict[int, str]) -> tuple[str, int]:
        """Return the name and the end of the call at a time."""
        place = bisect.bisect_right(begins, time) - 1
        if place < 0 or self._intervals[place][1] < time:
            return "", time
        _, end, call = self._intervals[place]
        return names.get(call, ""), end
