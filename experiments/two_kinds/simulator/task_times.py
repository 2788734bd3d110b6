"""Times of independent tasks on a CPU and on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_LEAST, _MOST = 1e-9, 1e12  # seconds: a cycle, and 30,000 years; their ratios and sums keep their digits


@dataclass(frozen=True, eq=False)
class TaskTimes:
    """Tasks that are all available at the start, with their seconds on a CPU and on a GPU."""

    names: tuple[str, ...]
    cpu: NDArray[np.float64]
    gpu: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.cpu) == len(self.gpu) > 0:
            raise ValueError(
                f"tasks: {len(self.names)} names, {len(self.cpu)} CPU times and {len(self.gpu)} GPU times, "
                "expected as many of each, and some"
            )
        for kind, times in (("CPU", self.cpu), ("GPU", self.gpu)):
            if not ((times >= _LEAST) & (times <= _MOST)).all():
                raise ValueError(f"tasks: seconds on a {kind}, expected {_LEAST:g} to {_MOST:g}")

    @classmethod
    def of(cls, cpu: Sequence[float], gpu: Sequence[float]) -> TaskTimes:
        names = tuple(str(number) for number in range(1, len(cpu) + 1))
        return cls(names, np.array(cpu, float), np.array(gpu, float))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def by_gain(self) -> NDArray[np.int64]:
        """The tasks in decreasing order of their gain from a GPU; equal ones keep their order."""
        # To 12 digits: times in proportion are ties, whatever rounding did to them.
        gains = np.array([float(f"{gain:.12g}") for gain in (self.cpu / self.gpu).tolist()])
        return np.argsort(-gains, kind="stable")


def query_times(
    queries: int = 40,
    shortest: float = 100,
    longest: float = 5000,
    cpu_seconds: float = 2367.24,
    gpu_seconds: float = 785.26,
) -> TaskTimes:
    """Return the comparisons of evenly long queries with one database, those of SWDUAL by default.

    A query takes a share of the seconds that all take one worker, by its length. Which lengths were measured
    is inferred from times and speeds (tables 2.2 to 2.5 of F. Mendonca's thesis, 2017), not published.
    """
    lengths = np.round(np.linspace(shortest, longest, queries))
    share = lengths / lengths.sum()
    names = tuple(f"query{number}" for number in range(1, queries + 1))
    return TaskTimes(names, share * cpu_seconds, share * gpu_seconds)
