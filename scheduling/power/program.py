"""Mixed-integer linear programs, row by row, solved by HiGHS through SciPy."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    values: Values | None  # the variables; whole ones are whole. None: it has found no solution
    objective: float  # value of the objective there; infinite without a solution
    proven: bool  # whether that is the least, or there is none, within the gap that was allowed
    seconds: float  # CPU time


class Program:
    """Variables and rows; an objective is given when it is solved, so that there may be several."""

    def __init__(self) -> None:
        self._low: list[float] = []
        self._high: list[float] = []
        self._whole: list[bool] = []
        self._rows: list[tuple[Sequence[int], Sequence[float], float, float]] = []

    @property
    def size(self) -> tuple[int, int]:
        return len(self._low), len(self._rows)

    def add(self, count: int, low: float = 0.0, high: float = math.inf, whole: bool = False) -> Indices:
        first = len(self._low)
        self._low += [low] * count
        self._high += [high] * count
        self._whole += [whole] * count
        return np.arange(first, first + count)

    def fix(self, index: int, value: float) -> None:
        self._low[index] = self._high[index] = value

    def row(self, terms: dict[int, float], low: float = -math.inf, high: float = math.inf) -> int:
        """Bound a sum of variables, given by index with their factors; return the number of the row."""
        self._rows.append((list(terms), list(terms.values()), low, high))
        return len(self._rows) - 1

    def bound_row(self, row: int, low: float = -math.inf, high: float = math.inf) -> None:
        places, factors, *_ = self._rows[row]
        self._rows[row] = places, factors, low, high

    def solve(
        self, objective: dict[int, float], seconds: float = math.inf, gap: float = 0.0, nodes: int = 0
    ) -> Solved:
        """Return the least value of an objective; `gap` is relative, `nodes` of the tree at most (0: any)."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        if not self._low:
            return self._empty()
        lengths = [len(places) for places, *_ in self._rows]
        matrix = csr_array(
            (
                np.array([factor for _, factors, *_ in self._rows for factor in factors], float),
                np.array([place for places, *_ in self._rows for place in places], np.int32),
                np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
            ),
            shape=(len(self._rows), len(self._low)),
        )
        cost = np.zeros(len(self._low))
        for place, factor in objective.items():
            cost[place] = factor
        lows, highs = (np.array([row[side] for row in self._rows], float) for side in (2, 3))
        options: dict[str, float] = {"mip_rel_gap": gap}
        if seconds < math.inf:
            options["time_limit"] = seconds
        if nodes:
            options["node_limit"] = nodes
        began = time.process_time()
        solution = milp(
            cost,
            integrality=np.array(self._whole, np.uint8),
            bounds=Bounds(np.array(self._low), np.array(self._high)),
            constraints=LinearConstraint(matrix, lows, highs) if self._rows else None,
            options=options,
        )
        took = time.process_time() - began
        values = None if solution.x is None else self._rounded(np.asarray(solution.x, float))
        value = math.inf if values is None else float(cost @ values)
        return Solved(values, value, solution.status in (0, 2), took)

    def _rounded(self, values: Values) -> Values | None:
        """Return the values with whole variables whole; None if one is not, for then they mean nothing."""
        whole = np.array(self._whole)
        nearest = np.round(values[whole])
        if np.abs(values[whole] - nearest).max(initial=0.0) > 1e-5:
            return None
        values[whole] = nearest
        return values

    def _empty(self) -> Solved:
        fits = all(low <= 0 <= high for *_, low, high in self._rows)
        return Solved(np.empty(0) if fits else None, 0.0 if fits else math.inf, True, 0.0)
