"""The matching of receives and sends: in order, on each channel of ranks, communicator and tag.

So has it MPI. In INSEE's traces messages of different lengths are of different channels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import Call


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
    channel = channels(calls, sends, receives, by_length)
    sent = np.lexsort((np.arange(len(sends)), channel[: len(sends)]))
    received = np.lexsort((np.arange(len(receives)), channel[len(sends) :]))
    ordinal = channel_places(channel[: len(sends)][sent]), channel_places(channel[len(sends) :][received])
    # Numbers of channels are dense, so that channel and place together are one number.
    most = max((int(part.max(initial=0)) for part in ordinal), default=0) + 1
    key = channel[: len(sends)][sent] * most + ordinal[0]
    wanted = channel[len(sends) :][received] * most + ordinal[1]
    place = np.searchsorted(key, wanted)
    known = place < len(key)
    known[known] = key[place[known]] == wanted[known]
    partner = np.full(len(calls), -1, np.int64)
    source, target = sends[sent[place[known]]], receives[received[known]]
    partner[source], partner[target] = target, source
    return partner


def channels(
    calls: NDArray[Any], sends: NDArray[np.int64], receives: NDArray[np.int64], by_length: bool = False
) -> NDArray[np.int64]:
    """Return the number of the channel of each send and then of each receive, from 0."""
    both = np.concatenate([sends, receives])
    source = np.concatenate([calls["rank"][sends], calls["peer"][receives]])
    target = np.concatenate([calls["peer"][sends], calls["rank"][receives]])
    columns = [source, target, calls["communicator"][both], calls["tag"][both]]
    if by_length:
        columns.append(calls["size"][both])
    number = np.zeros(len(both), np.int64)
    for column in columns:
        values, rank = np.unique(column, return_inverse=True)
        if len(number) and (int(number.max()) + 1) * len(values) >= 1 << 62:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
        number = number * len(values) + rank
    dense: NDArray[np.int64] = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return dense


def channel_places(ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each among the equal numbers that stand together."""
    if not len(ordered):
        return ordered
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    places: NDArray[np.int64] = np.arange(len(ordered)) - np.repeat(begins, np.diff([*begins, len(ordered)]))
    return places
