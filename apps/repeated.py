"""A program with repeated iterations that are stored once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from netplace.apps.iterations import block
from netplace.apps.operation import Op, check_written
from netplace.apps.program import Program
from netplace.apps.traffic import Traffic, traffic


@dataclass(frozen=True, eq=False)
class Repeated:
    """A program whose marked iterations occur `times` times, as `Program.repeat` would write them."""

    program: Program  # what comes before, the iterations once, and what comes after
    times: int = 1  # how often they stand; 1: the program as it is

    @property
    def operations(self) -> int:
        if self.times == 1:
            return len(self.program)
        begin, end, _ = block(self.program)
        return len(self.program) + (self.times - 1) * int((end - begin).sum())

    @cached_property
    def bytes_sent(self) -> int:
        sends = (self.program.kind == Op.SEND) | (self.program.kind == Op.ISEND)
        return self.total(np.where(sends, self.program.size, 0))

    def total(self, amounts: NDArray[np.int64]) -> int:
        """Return the sum, all times counted, of amounts of the program's operations, shape (operations,)."""
        up_to = np.concatenate([[0], np.cumsum(amounts)])
        if self.times == 1:
            return int(up_to[-1])
        begin, end, _ = block(self.program)
        return int(up_to[-1]) + (self.times - 1) * int((up_to[end] - up_to[begin]).sum())

    def traffic(self) -> Traffic:
        """Return how much each task sends to each other, all times counted."""
        once = traffic(self.program)
        if self.times == 1:
            return once
        twice = traffic(self.program.repeat(2))
        more = self.times - 1
        return Traffic(once.W + more * (twice.W - once.W), once.N + more * (twice.N - once.N), once.B)

    def written_out(self) -> Program:
        if self.times == 1:
            return self.program
        check_written(self.operations, self.program.name or "the trace")
        return replace(self.program.repeat(self.times), name=self.program.name)
