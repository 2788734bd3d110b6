"""The traffic between all pairs of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from netplace.apps.arrays import Operations
from netplace.apps.operation import Op

DENSE_TASKS = 2048  # above, an int64 matrix would take more than 32 MiB


@dataclass(frozen=True, eq=False)
class Traffic:
    """Traffic of a program by source task (row) and destination task (column); the diagonal is zero.

    The attributes are NumPy arrays for up to `DENSE_TASKS` tasks, and SciPy CSR arrays for more tasks.

    Attributes
    ----------
    W, N : int64, shape (tasks, tasks)
        Numbers of bytes and of messages.
    B : bool, shape (tasks, tasks)
        Whether there are any messages.
    """

    W: Any
    N: Any
    B: Any


def traffic(program: Operations) -> Traffic:
    """Count what `program` sends."""
    from scipy import sparse

    sends = (program.kind == Op.SEND) | (program.kind == Op.ISEND)
    source = program.task_of()
    sends &= program.peer != source
    source, target, size = source[sends], program.peer[sends], program.size[sends]
    shape = (program.tasks, program.tasks)
    if program.tasks > DENSE_TASKS:
        W = sparse.coo_array((size, (source, target)), shape).tocsr()
        N = sparse.coo_array((np.ones_like(size), (source, target)), shape).tocsr()
        return Traffic(W, N, N.astype(bool))
    W, N = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    np.add.at(W, (source, target), size)
    np.add.at(N, (source, target), 1)
    return Traffic(W, N, N > 0)
