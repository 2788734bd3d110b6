"""A whole trace in memory: its calls, matched and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.program import Program
from netplace.apps.recorded.calls import LISTED, OPERATIONS, Batch, Call
from netplace.apps.recorded.instances import collective_blocks
from netplace.apps.recorded.program import joined
from netplace.apps.recorded.trace import Trace

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

    def of_ranks(self, ranks: Sequence[int]) -> Recorded:
        """Return calls that are all of some ranks, which are renumbered in the given order."""
        number = np.full(self.ranks, -1, np.int64)
        number[list(ranks)] = np.arange(len(ranks))
        calls = self.calls.copy()
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
        return replace(self, ranks=len(ranks), calls=calls[order], sizes=sizes, communicators=communicators)


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
