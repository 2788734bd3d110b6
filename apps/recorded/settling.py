"""Calls corrected while they are read, part by part: late information, and the openers of requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace import inputs
from netplace.apps.operation import check_length
from netplace.apps.recorded.calls import CALL, Batch, Call
from netplace.apps.recorded.trace import IGNORABLE, Trace, ignorable

_BYTES_A_CALL = 400  # at the worst moment: the calls, keys to sort and match them, and the program
PENDING = -2  # source of a receive that is known only at its completion


def check_left_out(left_out: Counter[str], ignore: Collection[str]) -> None:
    """Refuse operations that cannot be replayed, but for those that are to be ignored."""
    for kind in IGNORABLE:
        names = {
            name: number for name, number in sorted(left_out.items()) if (ignorable(name) or "other") == kind
        }
        if names and kind not in ignore:
            listed = ", ".join(f"{number} {name}" for name, number in names.items())
            label = "operations" if kind == "other" else f"{kind} operations"
            raise ValueError(
                f"contains {label}, which cannot be replayed: {listed}; --ignore {kind} skips them"
            )


def gathered(trace: Trace, ranks: Collection[int] | None = None) -> tuple[NDArray[Any], list[Any]]:
    """Return all calls, those of rank 0 first, each rank's in order, and the lists that they name."""
    chosen = None if ranks is None else np.array(sorted(ranks), np.int64)
    if ranks is None:
        check_kept(trace.unrepeated)
    parts: list[NDArray[Any]] = []
    sizes: list[Any] = []
    length = 0
    for batch in trace.batches:
        calls = batch.calls
        if batch.sizes:
            calls["sizes"][calls["sizes"] >= 0] += len(sizes)
            sizes += batch.sizes
        if chosen is not None:
            calls = calls[np.isin(calls["rank"], chosen)]
        length += len(calls)
        check_kept(length)
        parts.append(calls)
    calls = np.concatenate(parts) if parts else np.empty(0, CALL)
    keys = (calls["rank"],) if trace.sorted else (calls["time"], calls["rank"])
    calls = calls[np.lexsort(keys)]
    used = calls["request"] != -1
    calls["request"][used] = np.unique(calls["request"][used], return_inverse=True)[1]
    return calls, sizes


def check_kept(calls: int) -> None:
    check_length(calls, "the trace")
    limit = inputs.MOST_BYTES
    if calls * _BYTES_A_CALL > limit:
        raise ValueError(
            f"has more than {calls:,} calls without repetition, which take more than {limit:,} bytes of "
            f"memory; cut the trace to some --ranks or a window"
        )


def resolved_receives(calls: NDArray[Any]) -> NDArray[Any]:
    """Return calls whose receives have the information of their completion; drop those without any."""
    waits = np.flatnonzero((calls["kind"] == Call.WAIT) & (calls["peer"] >= 0))
    posts = np.flatnonzero((calls["kind"] == Call.IRECV) & ((calls["peer"] < 0) | (calls["tag"] < 0)))
    if not len(posts):
        return calls
    keys = _request_key(calls[posts])
    order = np.argsort(keys, kind="stable")
    keys, posts = keys[order], posts[order]
    place = np.searchsorted(keys, _request_key(calls[waits]))
    known = place < len(keys)
    known[known] = keys[place[known]] == _request_key(calls[waits][known])
    target, source = posts[place[known]], waits[known]
    for name in ("peer", "tag", "size", "communicator"):
        calls[name][target] = calls[name][source]
    lost = np.zeros(len(calls), bool)
    lost[posts] = calls["peer"][posts] == PENDING
    if lost.any():
        names = np.unique(_request_key(calls[lost]))
        lost |= (calls["kind"] == Call.WAIT) & np.isin(_request_key(calls), names)
    return calls[~lost]


def _request_key(calls: NDArray[Any]) -> NDArray[np.int64]:
    key: NDArray[np.int64] = (calls["rank"].astype(np.int64) << 32) + calls["request"]
    return key


def complete(calls: NDArray[Any]) -> NDArray[Any]:
    """Let every request be waited for once: drop waits for none, add those that are missing at the end."""
    opening = np.flatnonzero(opens(calls))
    waits = np.flatnonzero(calls["kind"] == Call.WAIT)
    opened, waited = _request_key(calls[opening]), _request_key(calls[waits])
    _, first = np.unique(waited, return_index=True)
    kept = np.zeros(len(waits), bool)
    kept[first] = True
    kept &= np.isin(waited, opened)
    keep = np.ones(len(calls), bool)
    keep[waits[~kept]] = False
    missing = calls[opening[~np.isin(opened, waited)]].copy()
    missing["kind"], missing["gap"], missing["peer"], missing["wild"] = Call.WAIT, 0.0, -1, 0
    if keep.all() and not len(missing):
        return calls
    # The computation before a dropped wait stays.
    dropped = calls[~keep].copy()
    dropped["kind"], dropped["size"] = Call.COMPUTE, 0
    calls = calls.copy()
    calls[~keep] = dropped
    calls = np.concatenate([calls, missing])
    return calls[np.argsort(calls["rank"], kind="stable")]


def whole_sections(calls: NDArray[Any], ranks: int) -> NDArray[Any]:
    """Return the calls without marks of sections that not all of the given number of ranks begin and end."""
    rows = np.flatnonzero((calls["kind"] == Call.MARK) & (calls["tag"] > 0))
    if not len(rows):
        return calls
    marks = np.unique(np.column_stack([calls["tag"][rows], calls["rank"][rows]]), axis=0)
    sections, number = np.unique((marks[:, 0] - 1) // 2, return_counts=True)
    torn = rows[np.isin((calls["tag"][rows] - 1) // 2, sections[number < 2 * ranks])]
    calls["kind"][torn], calls["size"][torn], calls["peer"][torn] = Call.COMPUTE, 0, -1
    return calls


Int = NDArray[np.int64]


class UnresolvedError(ValueError):
    """A receive has no source or tag, which only the whole trace tells."""


def settled(trace: Trace) -> Trace:
    """Let a trace with ordered calls yield corrected calls, and return it.

    Receives have their message, if it is known at their completion. The requests of a rank are numbered in
    the order in which they are opened, and each is waited for once: waits without a request are dropped, and
    missing waits are added at the end.
    """
    trace.batches = _settled(trace.batches)
    return trace


def _settled(batches: Iterator[Batch]) -> Iterator[Batch]:
    settling = Settling()
    for batch in batches:
        yield Batch(settling.settle(batch), settling.sizes)
    yield Batch(settling.rest(), settling.sizes)
    yield Batch(settling.missing(), settling.sizes)


class Settling:
    """Corrects batches of calls one after the other."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, ...]] = []  # the different lists that calls name so far
        self._places: dict[tuple[int, ...], int] = {}
        self._held = np.empty(0, CALL)
        self._opened = np.zeros(0, np.int64)  # requests so far, by rank
        # Requests that are open: rank, number in the trace, and which of its rank it is.
        self._open = np.empty((3, 0), np.int64)

    @property
    def waiting(self) -> int:
        """Number of calls held until the message of a receive is known."""
        return len(self._held)

    def settle(self, batch: Batch) -> NDArray[Any]:
        """Return calls by rank, those of a rank in order over all batches."""
        calls = batch.calls.copy()
        named = np.flatnonzero(calls["sizes"] >= 0)
        calls["sizes"][named] = [self._place(tuple(batch.sizes[place])) for place in calls["sizes"][named]]
        calls = np.concatenate([self._held, calls])
        calls = calls[np.argsort(calls["rank"], kind="stable")]
        later = _from_first(calls, _unresolved(calls))
        self._held = calls[later]
        return self._with_requests(_resolved(calls[~later]))

    def rest(self) -> NDArray[Any]:
        """Return the calls that were held back until now."""
        held, self._held = self._held, np.empty(0, CALL)
        return self._with_requests(_resolved(held))

    def missing(self) -> NDArray[Any]:
        """Return waits for the requests that are open."""
        waits = np.zeros(self._open.shape[1], CALL)
        waits["rank"], waits["request"] = self._open[0], self._open[2]
        waits["kind"], waits["peer"], waits["sizes"], waits["time"] = Call.WAIT, -1, -1, np.nan
        return waits[np.lexsort((waits["request"], waits["rank"]))]

    def _place(self, listed: tuple[int, ...]) -> int:
        if listed not in self._places:
            self._places[listed] = len(self.sizes)
            self.sizes.append(listed)
        return self._places[listed]

    def _with_requests(self, calls: NDArray[Any]) -> NDArray[Any]:
        """Return the calls with their requests numbered; a wait for one that is not open is nothing."""
        if not len(calls):
            return calls
        rank = calls["rank"].astype(np.int64)
        if (maximum := int(rank.max()) + 1) > len(self._opened):
            self._opened = np.concatenate([self._opened, np.zeros(maximum - len(self._opened), np.int64)])
        opening = opens(calls)
        total = np.cumsum(opening)
        begins = np.searchsorted(rank, np.arange(len(self._opened)))
        before = np.where(begins > 0, total[np.maximum(begins - 1, 0)], 0)
        count = self._opened[rank] + total - before[rank]  # opened, this call included
        rows = np.flatnonzero(opening | (calls["kind"] == Call.WAIT))
        open_requests = self._open.shape[1]
        keys = np.stack([rank[rows], calls["request"][rows], count[rows] - 1])
        keys = np.concatenate([self._open, keys], axis=1)
        waits = np.concatenate([np.zeros(open_requests, bool), ~opening[rows]])
        order = np.lexsort((keys[1], keys[0]))
        keys, waits = keys[:, order], waits[order]
        again = np.zeros(len(waits), bool)
        again[1:] = (keys[:2, 1:] == keys[:2, :-1]).all(axis=0)
        at = np.flatnonzero(waits & again & ~np.concatenate([[True], waits[:-1]]))
        number = np.where(waits, -1, keys[2])
        number[at] = keys[2, at - 1]
        still = ~waits
        still[at - 1] = False
        self._open = keys[:, still]
        numbers = np.empty_like(number)
        numbers[order] = number
        calls["request"][rows] = numbers[open_requests:]
        lost = rows[(numbers[open_requests:] < 0)]
        calls["kind"][lost], calls["size"][lost], calls["peer"][lost] = Call.COMPUTE, 0, -1
        np.add.at(self._opened, rank[opening], 1)
        return calls


def opens(calls: NDArray[Any]) -> NDArray[np.bool_]:
    kind = calls["kind"]
    opening: NDArray[np.bool_] = (
        (kind == Call.ISEND) | (kind == Call.IRECV) | ((kind == Call.COLLECTIVE) & (calls["request"] != -1))
    )
    return opening


def _resolved(calls: NDArray[Any]) -> NDArray[Any]:
    """Return the calls, with the information of completions added to receives."""
    posts = calls[calls["kind"] == Call.IRECV]
    if not ((posts["peer"] < 0) | (posts["tag"] < 0)).any():
        return calls
    numbers = calls["request"].copy()
    used = numbers != -1
    calls["request"][used] = np.unique(numbers[used], return_inverse=True)[1]
    kept = resolved_receives(calls)
    names = np.unique(numbers[used])
    back = kept["request"] != -1
    kept["request"][back] = names[kept["request"][back]]
    return kept


def _unresolved(calls: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which receives may still get their message, because these calls do not wait for them."""
    unresolved: NDArray[np.bool_] = (calls["kind"] == Call.IRECV) & ((calls["peer"] < 0) | (calls["tag"] < 0))
    if unresolved.any():
        waits = calls[calls["kind"] == Call.WAIT]
        names = set(zip(waits["rank"].tolist(), waits["request"].tolist(), strict=True))
        rows = np.flatnonzero(unresolved)
        pairs = zip(calls["rank"][rows].tolist(), calls["request"][rows].tolist(), strict=True)
        unresolved[rows] = [pair not in names for pair in pairs]
    return unresolved


def _from_first(calls: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if not chosen.any():
        return chosen
    rows = np.flatnonzero(chosen)
    ranks, first = np.unique(calls["rank"][rows], return_index=True)
    begin: Int = np.full(int(calls["rank"].max()) + 1, len(calls), np.int64)
    begin[ranks] = rows[first]
    later: NDArray[np.bool_] = np.arange(len(calls)) >= begin[calls["rank"]]
    return later
