"""The problem in the form of the compiled searches: float64 matrices, flows task by task.

Searches work on a *placement*: the location of every task and, behind the tasks, of as many dummies without
flow as fill the locations. Whole numbers below 2**53 are exact in float64, and `QapProblem.cost` computes the
exact cost of the result again.

If either matrix is symmetric, only the sum of flows in both directions matters, so both are made symmetric,
``A + A.T`` and ``B + B.T``. This multiplies all costs by the same factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.problem import QapProblem

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SMALL = 128  # locations up to which the sparse form keeps costs in float64
_NEAREST = (4, 16)  # bounds of how many nearest locations are listed


@dataclass(frozen=True, eq=False)
class Dense:
    """Square matrices, for searches that keep the gain of every swap."""

    A: Floats
    AT: Floats
    B: Floats
    BT: Floats
    order: Integers  # shape (locations,): task or dummy of each row of `A`
    active: int  # how many rows have flow; swaps among the others change nothing
    symmetric: bool  # whether both matrices are


@dataclass(frozen=True, eq=False)
class Sparse:
    """Flows task by task, for searches that price one swap at a time.

    The sparser matrix of the problem plays the flows: if `exchanged`, tasks and locations have changed
    places, and a placement is that of locations on tasks.
    """

    # Flow out of task i: ``flow[x]`` to task ``other[x]``, x in ``first[i]:first[i + 1]``.
    first: Integers
    other: Integers
    flow: Floats
    # Flow into each task in the same form; empty if flows are symmetric.
    back_first: Integers
    back_other: Integers
    back_flow: Floats
    own: Floats  # flow of each task to itself
    # shape (locations, locations): costs and their transpose.
    costs: NDArray[Any]
    costs_back: NDArray[Any]
    active: Integers  # tasks that have any flow
    # shape (locations, k): the nearest other locations of each; k is 0 where flows are too dense for that to
    # help.
    near: Integers
    exchanged: bool  # whether the matrices have changed roles


def dense_form(problem: QapProblem) -> Dense:
    tasks, locations = problem.tasks, problem.locations
    given = _scaled(problem.flows())
    A, B = np.zeros((locations, locations)), np.array(_scaled(problem.B), np.float64)
    A[:tasks, :tasks] = given
    active = (A != 0).any(axis=0) | (A != 0).any(axis=1)
    order = np.argsort(~active, kind="stable")
    A = A[np.ix_(order, order)]
    symmetric = _is_symmetric(A) or _is_symmetric(B)
    if symmetric:
        A, B = A + A.T, B + B.T
    AT, BT = (A, B) if symmetric else (np.ascontiguousarray(A.T), np.ascontiguousarray(B.T))
    return Dense(A, AT, B, BT, order, int(active.sum()), symmetric)


def sparse_form(problem: QapProblem) -> Sparse:
    from scipy import sparse

    flows, costs, exchanged = _roles(problem)
    own = flows.diagonal()
    flows = _without_diagonal(flows)
    if abs(flows - flows.T).nnz == 0 or _is_symmetric(costs):
        flows, costs = sparse.csr_array(flows + flows.T), _compact(costs + costs.T)
        back, costs_back = sparse.csr_array(flows.shape), costs
    else:
        costs = _compact(costs)
        back, costs_back = sparse.csr_array(flows.T), np.ascontiguousarray(costs.T)
    degree = np.diff(flows.indptr) + np.diff(back.indptr)
    active = np.flatnonzero((degree > 0) | (own != 0))
    near = _nearest(costs, degree[active])
    return Sparse(*_lists(flows), *_lists(back), own, costs, costs_back, active, near, exchanged)


def _roles(problem: QapProblem) -> tuple[sparse.csr_array, NDArray[Any], bool]:
    """Return flows padded with dummies, costs, and whether the two matrices have changed roles."""
    from scipy import sparse

    A, B = problem.A, problem.B
    entries = A.nnz if sparse.issparse(A) else np.count_nonzero(A)
    exchanged = bool(problem.tasks == problem.locations and np.count_nonzero(B) < entries)
    if exchanged:
        A, B = B, problem.flows()
    flows = sparse.csr_array(_scaled(A)).astype(np.float64)
    flows.resize((problem.locations, problem.locations))
    return flows, _scaled(B), exchanged


def _scaled(matrix: Any) -> Any:
    """Return `matrix` divided by the greatest common divisor of its numbers, if they are whole."""
    from scipy import sparse

    values = matrix.data if sparse.issparse(matrix) else matrix
    if values.dtype.kind != "i" or not values.size:
        return matrix
    divisor = int(np.gcd.reduce(values, axis=None))
    if divisor <= 1:
        return matrix
    if not sparse.issparse(matrix):
        return matrix // divisor
    scaled = matrix.copy()
    scaled.data = values // divisor
    return scaled


def _without_diagonal(flows: sparse.csr_array) -> sparse.csr_array:
    from scipy import sparse

    rest = sparse.coo_array(flows)
    row, column = rest.coords
    off = row != column
    return sparse.csr_array((rest.data[off], (row[off], column[off])), flows.shape)


def _is_symmetric(matrix: NDArray[Any]) -> bool:
    return bool((matrix == matrix.T).all())


def _compact(costs: NDArray[Any]) -> NDArray[Any]:
    """Return `costs` as float64, or narrower when there are many, for they should fit the cache."""
    if len(costs) <= _SMALL:
        return np.ascontiguousarray(costs, np.float64)
    fits = costs.dtype.kind == "i" and costs.max() <= np.iinfo(np.int16).max
    return np.ascontiguousarray(costs, np.int16 if fits else np.float32)


def _nearest(costs: NDArray[Any], degree: Integers) -> Integers:
    """Return the locations nearest to each, as many as a task has partners."""
    minimum, maximum = _NEAREST
    default = int(np.median(degree)) if len(degree) else 0
    count = min(max(minimum, default), len(costs) - 1)
    if not 0 < default <= maximum:
        return np.empty((len(costs), 0), np.int64)
    away = costs.copy()
    np.fill_diagonal(away, np.iinfo(away.dtype).max if away.dtype.kind == "i" else np.inf)
    return np.ascontiguousarray(np.argpartition(away, count - 1, axis=1)[:, :count].astype(np.int64))


def _lists(flows: sparse.csr_array) -> tuple[Integers, Integers, Floats]:
    return flows.indptr.astype(np.int64), flows.indices.astype(np.int64), flows.data.astype(np.float64)
