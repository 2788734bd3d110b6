"""The quadratic assignment problem: checked input, the exact cost of a mapping, and limits of a search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_int
from netplace.placement.mapping.qap.locations import Locations
from netplace.records import freeze_arrays


class Budget:
    """The limits of a search, and its use of them.

    Time is processor time of the calling thread, so that a busy machine does not change what a search gets.
    It is checked between slices of work of a few milliseconds. A search that is limited only by iterations
    never checks the clock, so its result depends only on its input and its seed.
    """

    def __init__(self, seconds: float | None = None, iterations: int | None = None):
        self._started = time.thread_time()
        self._limit = math.inf if seconds is None else _seconds(seconds)
        self._most = (
            math.inf if iterations is None else check_int(iterations, "iterations of a mapping search")
        )
        self.spent = 0

    @property
    def timed(self) -> bool:
        return self._limit < math.inf

    @property
    def seconds(self) -> float:
        return time.thread_time() - self._started

    @property
    def over(self) -> bool:
        return self.spent >= self._most or (self.timed and self.seconds >= self._limit)

    def allows(self, iterations: int) -> int:
        """Return how many of the next `iterations` are allowed, by their number alone."""
        return int(min(iterations, self._most - self.spent))

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Perform work that does not count as time, such as loading code."""
        before = time.thread_time()
        yield
        self._started += time.thread_time() - before

    def spend(self, iterations: int) -> None:
        """Count `iterations` as done."""
        self.spent += iterations

    @property
    def iterations_left(self) -> float:
        """Iterations that may still be done; infinite if they are not limited."""
        return self._most - self.spent

    @property
    def seconds_left(self) -> float:
        """Processor time that may still be used; infinite if it is not limited."""
        return self._limit - self.seconds if self.timed else math.inf


def _seconds(value: float) -> float:
    """Return `value` if it is a time."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"seconds of a mapping search: {value!r} is not a number") from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"seconds of a mapping search: {value} is out of range, expected more than 0")
    return seconds


@dataclass(frozen=True, eq=False)
class QapResult:
    """A solution, and the effort to find it.

    Attributes
    ----------
    mapping : ndarray of int64, shape (tasks,)
        Location of each task.
    cost : int or float
        Cost of the solution; it is exact, and an int, if all flows and costs are whole numbers.
    method : str
        Key of `METHODS`.
    seconds : float
        Processor time in seconds.
    """

    mapping: NDArray[np.int64]
    cost: int | float
    method: str
    iterations: int
    seconds: float

    def __post_init__(self) -> None:
        freeze_arrays(self)


_BLOCK = 2**22  # costs counted at a time: bounds the memory of their copies
_EXACT = 2**62  # no partial sum of an integer cost may come near the end of int64


@dataclass(frozen=True, eq=False)
class QapProblem:
    """Minimize the sum over i, j of ``A[i, j] * B[p[i], p[j]]`` over placements p of tasks on locations."""

    A: Any  # shape (tasks, tasks): flows, int64 if they are whole numbers, else float64
    # Costs per unit of flow, an integer or floating-point type; or the locations that they follow from.
    B: Any

    @property
    def tasks(self) -> int:
        return int(self.A.shape[0])

    @property
    def locations(self) -> int:
        """Number of locations, at least as many as tasks."""
        return len(self.B)

    @property
    def nonzeros(self) -> int:
        """How many flows are not 0."""
        from scipy import sparse

        return int(self.A.nnz if sparse.issparse(self.A) else np.count_nonzero(self.A))

    @property
    def integral(self) -> bool:
        """Whether costs are whole numbers."""
        costs = self.B.integral if isinstance(self.B, Locations) else self.B.dtype.kind == "i"
        return bool(self.A.dtype.kind == "i" and costs)

    @cached_property
    def bound(self) -> float:
        """A cost that no mapping goes below: large flows meet small costs, wherever they stand.

        The flows between tasks in falling order times the costs between locations in rising order, and in
        the same way what tasks send to themselves. Exact where all flows are alike, or all costs.
        """
        from scipy import sparse

        flows = sparse.coo_array(self.A)
        source, target = flows.coords
        between = source != target
        if self.tasks == self.locations and all_alike(flows):
            return float(self.cost(np.arange(self.tasks)))  # of every mapping
        if isinstance(self.B, Locations):
            return float(flows.data[between].sum()) * self.B.minimum
        costs, counts = _counted(self.B)
        diagonal, on_diagonal = _counted(self.B.diagonal())
        apart = counts.copy()
        apart[np.searchsorted(costs, diagonal)] -= on_diagonal
        total = least_product(flows.data[between], costs, apart)
        return float(total + least_product(flows.data[~between], diagonal, on_diagonal))

    def flows(self) -> NDArray[Any]:
        from scipy import sparse

        return np.asarray(self.A.toarray() if sparse.issparse(self.A) else self.A)

    def cost(self, mapping: ArrayLike) -> int | float:
        """Return the cost of placing task i on location ``mapping[i]``; exact if all numbers are whole."""
        from scipy import sparse

        place = np.asarray(mapping)
        if sparse.issparse(self.A) or isinstance(self.B, Locations):
            flows = sparse.coo_array(self.A)
            ends = tuple(place[end] for end in flows.coords)
            costs = self.B.between(*ends) if isinstance(self.B, Locations) else self.B[ends]
            total = np.dot(flows.data, costs.astype(flows.data.dtype))
        else:
            total = (self.A * self.B[np.ix_(place, place)]).sum()
        return int(total) if self.integral else float(total)


def all_alike(flows: Any) -> bool:
    """Return whether every task sends as much to every other task; `flows` is sparse, without zeros."""
    tasks = flows.shape[0]
    return bool(flows.nnz == tasks * (tasks - 1) and (flows.data == flows.data[:1]).all())


def qap_problem(A: Any, B: ArrayLike | Locations) -> QapProblem:
    """Return the problem of flows `A` and costs `B`, checked."""
    from scipy import sparse

    flows = sparse.csr_array(A) if sparse.issparse(A) else np.asarray(A)
    computed = isinstance(B, Locations)
    costs: Any = B if computed else np.asarray(B)
    for matrix, label in ((flows, "flows A"), *([] if computed else [(costs, "costs B")])):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"{label}: shape {matrix.shape} is not square")
        if matrix.shape[0] == 0:
            raise ValueError(f"{label}: the matrix is empty, expected at least one row")
    if flows.shape[0] > len(costs):
        raise ValueError(f"flows A: {flows.shape[0]} tasks are more than the {len(costs)} locations of B")
    flows = _numbers(flows, "flows A")
    values = flows.data if sparse.issparse(flows) else flows
    if not computed:
        costs = _whole_if_equal(costs, "costs B")
    bound = float(np.abs(values).sum()) * float(costs.maximum if computed else costs.max())
    if not bound < _EXACT:
        raise ValueError(f"flows A times costs B: a cost could reach {bound:.3g}, which exceeds 64 bits")
    return QapProblem(flows, costs)


def _numbers(matrix: Any, label: str) -> Any:
    """Return dense or sparse `matrix` with checked numbers as int64 or float64."""
    from scipy import sparse

    if not sparse.issparse(matrix):
        checked = _whole_if_equal(matrix, label)
        return checked.astype(np.int64) if checked.dtype.kind == "i" else checked
    tidy = matrix.copy()
    tidy.sum_duplicates()
    tidy.data = _numbers(tidy.data, label)
    tidy.eliminate_zeros()
    return tidy


def _whole_if_equal(values: NDArray[Any], label: str) -> NDArray[Any]:
    """Return `values` as integers if they all are whole numbers, else as float64."""
    if values.dtype.kind not in "buif":
        raise ValueError(f"{label}: contains values of type {values.dtype}, expected numbers")
    if values.size == 0:
        return values.astype(np.int64)
    minimum, maximum = values.min(), values.max()
    if not 0 <= minimum <= maximum < _EXACT:
        wrong = minimum if not minimum >= 0 else maximum
        raise ValueError(f"{label}: {wrong} is not a number of at least 0 and below 2**62")
    if values.dtype.kind == "i":
        return values
    whole = values.astype(np.int64)
    return whole if values.dtype.kind != "f" or (whole == values).all() else values.astype(np.float64)


def least_product(flows: NDArray[Any], costs: NDArray[Any], counts: NDArray[np.int64]) -> float | int:
    """Return the least sum of products of `flows` and as many different entries of a list of costs."""
    falling = np.sort(flows)[::-1]
    upto = np.concatenate(([0], np.cumsum(falling)))
    ends = np.minimum(np.cumsum(counts), len(falling))
    total = np.dot(costs.astype(upto.dtype), np.diff(upto[np.concatenate(([0], ends))]))
    return total if upto.dtype.kind == "f" else int(total)


def _counted(costs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different numbers among `costs` in rising order, and how often each is there."""
    if costs.dtype.kind == "f" or costs.max() > costs.size:
        return np.unique(costs, return_counts=True)
    counts = np.zeros(int(costs.max()) + 1, np.int64)
    for rows in np.array_split(costs, max(1, costs.size // _BLOCK)):
        counts += np.bincount(rows.ravel(), minlength=len(counts))
    there = np.flatnonzero(counts)
    return there, counts[there]
