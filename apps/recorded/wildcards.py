"""Receives from any source or with any tag whose status does not contain the received message.

The rule is a run of the program without time. The ranks take turns in the order of their numbers, and each
continues until it must wait for a message, or for the others in a blocking collective. The first matching
posted receive takes a message, and a receive takes the first matching message that has arrived, as in MPI.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import ANY, OPERATIONS, Call
from netplace.apps.recorded.trace import Trace
from netplace.apps.replay import partners

_FROM_ANY, _OF_ANY = 1, 2


def resolved(calls: NDArray[Any], trace: Trace) -> NDArray[Any]:
    """Return the calls, every receive with the source and tag of the message that it takes."""
    receives = (calls["kind"] == Call.RECV) | (calls["kind"] == Call.IRECV)
    if not (receives & ((calls["peer"] == ANY) | (calls["tag"] == ANY))).any():
        return calls
    run = _Run(calls, trace)
    run.all()
    for row, (source, tag) in run.took.items():
        calls["peer"][row], calls["tag"][row] = source, tag
    lost = receives & ((calls["peer"] == ANY) | (calls["tag"] == ANY))
    if lost.any():
        row = int(lost.argmax())
        rank = int(calls["rank"][row])
        place = row - int(np.searchsorted(calls["rank"], rank))
        number = int(lost.sum())
        raise ValueError(
            f"rank {rank}, call {place}: a receive from any source or with any tag has no matching message "
            f"({number} such receives)"
        )
    return calls


class _Run:
    """The ranks, each at the call that it has come to."""

    def __init__(self, calls: NDArray[Any], trace: Trace) -> None:
        self.took: dict[int, tuple[int, int]] = {}
        self._calls = calls
        self._columns = {
            name: calls[name].tolist() for name in ("kind", "peer", "tag", "communicator", "request")
        }
        self._first = np.searchsorted(calls["rank"], np.arange(trace.ranks + 1)).tolist()
        self._members = {number: len(members) for number, members in trace.communicators.items()}
        # By rank and communicator: messages that came and receives that are posted, neither taken.
        self._came: dict[tuple[int, int], deque[tuple[int, int]]] = defaultdict(deque)
        self._posted: dict[tuple[int, int], deque[int]] = defaultdict(deque)
        self._done: set[int] = set()  # receives that have their message
        self._opened: list[dict[int, int]] = [{} for _ in range(trace.ranks)]
        self._arrived: dict[tuple[int, int], int] = defaultdict(int)
        self._counts: dict[tuple[int, int], int] = defaultdict(int)

    def all(self) -> None:
        place = self._first[:-1]
        moved = True
        while moved:
            moved = False
            for rank in range(len(place)):
                before = place[rank]
                place[rank] = self._turn(rank, before)
                moved |= place[rank] > before

    def _turn(self, rank: int, row: int) -> int:
        """Return the call at which `rank` stops, starting from `row`."""
        while row < self._first[rank + 1] and self._pass(rank, row):
            row += 1
        return row

    def _pass(self, rank: int, row: int) -> bool:
        kind, request = self._columns["kind"][row], self._columns["request"][row]
        if kind in (Call.SEND, Call.ISEND):
            self._send(rank, row)
        elif kind in (Call.RECV, Call.IRECV):
            if kind == Call.IRECV:
                self._opened[rank][request] = row
            if row not in self._done and row not in self._posted[rank, self._columns["communicator"][row]]:
                self._post(rank, row)
            return kind == Call.IRECV or row in self._done
        elif kind == Call.WAIT:
            opened = self._opened[rank].get(request)
            return opened is None or opened in self._done
        elif kind == Call.COLLECTIVE and request == -1 and self._columns["tag"][row] < len(OPERATIONS):
            return self._meet(rank, row)
        return True

    def _send(self, rank: int, row: int) -> None:
        target, tag = self._columns["peer"][row], self._columns["tag"][row]
        here = (target, self._columns["communicator"][row])
        for receive in self._posted[here]:
            if self._fits(receive, rank, tag):
                self._posted[here].remove(receive)
                self._take(receive, rank, tag)
                return
        self._came[here].append((rank, tag))

    def _post(self, rank: int, row: int) -> None:
        here = (rank, self._columns["communicator"][row])
        for message in self._came[here]:
            if self._fits(row, *message):
                self._came[here].remove(message)
                self._take(row, *message)
                return
        self._posted[here].append(row)

    def _fits(self, receive: int, source: int, tag: int) -> bool:
        return self._columns["peer"][receive] in (ANY, source) and self._columns["tag"][receive] in (ANY, tag)

    def _take(self, receive: int, source: int, tag: int) -> None:
        self._done.add(receive)
        self.took[receive] = (source, tag)

    def _meet(self, rank: int, row: int) -> bool:
        """Return whether all members have come to this collective."""
        communicator = self._columns["communicator"][row]
        if row not in self._done:
            self._done.add(row)
            number = self._counts[rank, communicator]
            self._counts[rank, communicator] += 1
            self._arrived[communicator, number] += 1
        number = self._counts[rank, communicator] - 1
        return self._arrived[communicator, number] >= self._members[communicator]


def with_sizes(calls: NDArray[Any], by_length: bool = False) -> NDArray[Any]:
    """Return the calls with each receive as long as its send; unchanged if it matches by length.

    A receive can be posted for more bytes than arrive. Calls without a partner do not change, so that
    `netplace.apps.Program.check` can report them.
    """
    if by_length:
        return calls
    partner = partners_of(calls)
    receives = np.flatnonzero(((calls["kind"] == Call.RECV) | (calls["kind"] == Call.IRECV)) & (partner >= 0))
    calls["size"][receives] = calls["size"][partner[receives]]
    return calls


def is_by_length(calls: NDArray[Any]) -> bool:
    """Return whether receives find other sends by order and length than by order alone."""
    return not np.array_equal(partners_of(calls, by_length=True), partners_of(calls))


def partners_of(calls: NDArray[Any], by_length: bool = False) -> NDArray[np.int64]:
    """Return the row of the receive of each send and of the send of each receive; -1 if there is none."""
    kind = calls["kind"]
    sends = np.flatnonzero((kind == Call.SEND) | (kind == Call.ISEND))
    receives = np.flatnonzero((kind == Call.RECV) | (kind == Call.IRECV))
    both = np.concatenate([sends, receives])
    columns = [
        np.concatenate([calls["rank"][sends], calls["peer"][receives]]),
        np.concatenate([calls["peer"][sends], calls["rank"][receives]]),
        *(calls[name][both] for name in ("communicator", "tag", *(["size"] if by_length else []))),
    ]
    sent, received = partners(sends, receives, *columns)
    partner = np.full(len(calls), -1, np.int64)
    partner[sent], partner[received] = received, sent
    return partner
