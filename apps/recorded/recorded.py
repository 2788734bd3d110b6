"""A whole trace in memory: its calls, matched and in order, and parts of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.program import Program
from netplace.apps.recorded.calls import LISTED, OPERATIONS, ROOTED_NUMBERS, Batch, Call
from netplace.apps.recorded.gathering import (
    check_left_out,
    complete,
    gathered,
    resolved_receives,
    whole_sections,
)
from netplace.apps.recorded.instances import collective_blocks
from netplace.apps.recorded.program import joined
from netplace.apps.recorded.trace import Trace
from netplace.apps.recorded.wildcards import partners_of, resolved, with_sizes

_TAG = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Recorded:
    """The calls of a trace."""

    ranks: int
    # Those of rank 0 first, each rank's in order; receives have the source, tag and bytes of their sends.
    calls: NDArray[Any]
    sizes: Sequence[Sequence[int]]  # lists that the calls name
    communicators: dict[int, tuple[int, ...]]  # world ranks of the members
    sections: Sequence[str] = ()  # names of the sections that marks begin and end
    lost: int = 0  # messages and collectives that a cut omitted because not all of their ranks are in it
    # As in `Trace`.
    left_out: Counter[str] = field(default_factory=Counter)
    by_length: bool = False

    def program(self, cycles_per_us: float = 0.0, collectives: Collectives | None = None) -> Program:
        """Return the program, collectives written out as messages."""
        blocks = collective_blocks(self.calls, self.sizes, self.communicators, self.ranks, collectives)
        program = joined(self.calls, blocks, self.ranks, cycles_per_us, self.sections)
        return replace(program, interleaved=not self.by_length)

    def trace(self) -> Trace:
        """Return the calls as a trace."""
        calls = [Batch(self.calls, self.sizes)]
        trace = Trace(self.ranks, iter(calls), self.communicators, Counter(self.left_out))
        trace.facts["sections"], trace.by_length = self.sections, self.by_length
        return trace

    def with_messages(self, names: Collection[str], world: bool = False) -> Recorded:
        """Return the calls with collectives as messages, except blocking ones of `names`.

        With `world`, only those of all ranks, in order, stay.
        """
        kept = [OPERATIONS.index(name) for name in names]
        calls = self.calls
        stay = (calls["kind"] == Call.COLLECTIVE) & np.isin(calls["tag"], kept) & (calls["request"] == -1)
        listed = np.isin(calls["tag"], [OPERATIONS.index(name) for name in LISTED])
        stay &= ~listed | (calls["sizes"] >= 0)
        if world:
            whole = [own for own, members in self.communicators.items() if members == self.communicators[0]]
            stay &= np.isin(calls["communicator"], whole)
        blocks = collective_blocks(calls, self.sizes, self.communicators, self.ranks)
        blocks = {row: block for row, block in sorted(blocks.items()) if not stay[row]}
        if not blocks:
            return self
        parts, done = [], 0
        for row, block in blocks.items():
            head = calls[done : row + 1].copy()
            head[-1:]["kind"], head[-1:]["size"], head[-1:]["sizes"] = Call.COMPUTE, 0, -1
            rows = np.repeat(head[-1:], len(block["kind"]))
            rows["gap"] = 0.0
            for name in ("kind", "peer", "size", "request"):
                rows[name] = block[name]
            rows["tag"], rows["communicator"] = block["tag"] & _TAG, block["tag"] >> 32
            parts += [head, rows]
            done = row + 1
        return replace(self, calls=np.concatenate([*parts, calls[done:]]))

    def times(self) -> NDArray[np.float64]:
        """Return when each call began, in seconds since the first call of any rank.

        Without a clock, it is the computation of its rank up to the call.
        """
        known = self.calls["time"]
        if np.isfinite(known).any():
            times: NDArray[np.float64] = np.where(np.isfinite(known), known, np.nanmin(known))
            times -= times.min(initial=np.inf)
            return times
        since: NDArray[np.float64] = np.zeros(len(known))
        bounds = np.searchsorted(self.calls["rank"], np.arange(self.ranks + 1)).tolist()
        for begin, end in pairwise(bounds):
            since[begin:end] = np.cumsum(self.calls["gap"][begin:end])
        return since

    def window(self, begin: float, end: float) -> Recorded:
        """Return what began from `begin` to before `end`, in seconds as `times` has them."""
        times = self.times()
        keep = (times >= begin) & (times < end)
        if not keep.any():
            raise ValueError(
                f"no call begins from {begin:g} to {end:g} s, the trace ends at {times.max(initial=0):g} s"
            )
        return self._kept(keep)

    def iterations(self, first: int, last: int) -> Recorded:
        """Return the marked iterations `first` to `last`."""
        keep = np.zeros(len(self.calls), bool)
        marks = (self.calls["kind"] == Call.MARK) & (self.calls["tag"] == 0)
        for rank in range(self.ranks):
            begin, end = np.searchsorted(self.calls["rank"], [rank, rank + 1])
            places = np.flatnonzero(marks[begin:end]) + begin
            numbers = self.calls["peer"][places].tolist()
            for number in (first, last):
                if number not in numbers:
                    raise ValueError(f"rank {rank} has no mark of iteration {number}")
            after = [place for place, number in zip(places.tolist(), numbers, strict=True) if number > last]
            closing = [place for place in places.tolist() if place > places[numbers.index(last)]]
            stop = min([*after, *closing], default=int(end))
            keep[places[numbers.index(first)] : stop] = True
        return self._kept(keep)

    def only(self, ranks: Sequence[int]) -> Recorded:
        """Return the communication among some ranks, which are renumbered in the given order."""
        check_ranks(ranks, self.ranks)
        number = np.full(self.ranks, -1, np.int64)
        number[list(ranks)] = np.arange(len(ranks))
        kept = self._kept(number[self.calls["rank"]] >= 0, set(ranks))
        calls = kept.calls.copy()
        calls["rank"] = number[calls["rank"]]
        peers = np.isin(calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV, Call.COLLECTIVE))
        peers &= calls["peer"] >= 0
        calls["peer"][peers] = number[calls["peer"][peers]]
        sizes = _chosen_sizes(self, calls, set(ranks))
        communicators = {
            key: tuple(int(number[member]) for member in members if number[member] >= 0)
            for key, members in self.communicators.items()
        }
        communicators[0] = tuple(range(len(ranks)))
        order = np.argsort(calls["rank"], kind="stable")
        return replace(kept, ranks=len(ranks), calls=calls[order], sizes=sizes, communicators=communicators)

    def _kept(self, keep: NDArray[np.bool_], ranks: set[int] | None = None) -> Recorded:
        """Return the calls to keep, without messages and collectives that are only partly kept."""
        partner = partners_of(self.calls, self.by_length)
        paired = partner >= 0
        apart = np.zeros(len(keep), bool)
        apart[paired] = ~keep[partner[paired]]
        lost = int((apart & keep & np.isin(self.calls["kind"], (Call.SEND, Call.ISEND))).sum())
        torn, number = self._torn(keep, ranks)
        lost += number
        stay = keep & ~apart & ~torn
        gone = self.calls[keep & ~stay].copy()
        # The computation before a dropped call stays.
        calls = self.calls.copy()
        gone["kind"], gone["size"], gone["request"], gone["sizes"], gone["peer"] = Call.COMPUTE, 0, -1, -1, -1
        calls[keep & ~stay] = gone
        calls = whole_sections(calls[keep], self.ranks if ranks is None else len(ranks))
        return replace(self, calls=complete(calls), lost=self.lost + lost)

    def _torn(self, keep: NDArray[np.bool_], ranks: set[int] | None) -> tuple[NDArray[np.bool_], int]:
        """Return which collectives cannot stay, and how many: a member, of `ranks` if given, is not kept."""
        torn, number_torn = np.zeros(len(keep), bool), 0
        rows = np.flatnonzero(self.calls["kind"] == Call.COLLECTIVE)
        by: dict[tuple[int, int], list[int]] = {}
        counts: dict[tuple[int, int], int] = {}
        for row, rank, number in zip(
            rows.tolist(),
            self.calls["rank"][rows].tolist(),
            self.calls["communicator"][rows].tolist(),
            strict=True,
        ):
            place = counts.get((number, rank), 0)
            counts[number, rank] = place + 1
            by.setdefault((number, place), []).append(row)
        for (number, _), calls in by.items():
            members = [m for m in self.communicators[number] if ranks is None or m in ranks]
            kept = sum(bool(keep[row]) for row in calls)
            rooted = int(self.calls["tag"][calls[0]]) in ROOTED_NUMBERS
            root = max(int(self.calls["peer"][row]) for row in calls)
            if kept < len(members) or (rooted and ranks is not None and root >= 0 and root not in ranks):
                torn[calls] = True
                number_torn += kept > 0
        return torn, number_torn


def check_ranks(ranks: Sequence[int], count: int) -> None:
    """Raise ValueError unless these are different ranks of `count`."""
    for rank in ranks:
        if not 0 <= rank < count:
            raise ValueError(f"rank {rank} does not exist, expected 0 to {count - 1}")
    if len(set(ranks)) != len(ranks) or not ranks:
        raise ValueError("a rank appears twice, expected each rank once")


def _chosen_sizes(whole: Recorded, calls: NDArray[Any], ranks: set[int]) -> list[Sequence[int]]:
    """Return the lists of sizes with those of the kept members only."""
    sizes = [list(each) for each in whole.sizes]
    for row in np.flatnonzero(calls["sizes"] >= 0).tolist():
        members = whole.communicators[int(calls["communicator"][row])]
        listed = whole.sizes[int(calls["sizes"][row])]
        if len(listed) == len(members):
            sizes[int(calls["sizes"][row])] = [
                size for size, member in zip(listed, members, strict=True) if member in ranks
            ]
    return list(sizes)


def recorded(trace: Trace, ignore: Collection[str] = (), ranks: Sequence[int] | None = None) -> Recorded:
    """Read a whole trace into memory, or the communication among some of its ranks; others take none."""
    calls, sizes = gathered(trace, ranks)
    calls = resolved_receives(calls)
    if ranks is not None:
        check_ranks(ranks, trace.ranks)
        messages = np.isin(calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV))
        away = messages & (calls["peer"] >= 0) & ~np.isin(calls["peer"], list(ranks))
        calls["kind"][away], calls["size"][away], calls["request"][away] = Call.COMPUTE, 0, -1
    check_left_out(trace.left_out, ignore)
    calls = with_sizes(resolved(complete(calls), trace), trace.by_length)
    sections = tuple(trace.facts.get("sections", ()))
    whole = Recorded(
        trace.ranks,
        calls,
        sizes,
        trace.communicators,
        sections,
        left_out=trace.left_out,
        by_length=trace.by_length,
    )
    return whole if ranks is None else whole.only(ranks)


def program_of(
    trace: Trace,
    cycles_per_us: float = 0.0,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Program:
    """Return the program of a trace, its collectives written out as messages.

    A receive takes as many bytes as its send has, unless receives find their sends by length. Recorded
    computation becomes whole cycles. A request that is never waited for is completed at the end of its rank.
    """
    return recorded(trace, ignore).program(cycles_per_us, collectives)
