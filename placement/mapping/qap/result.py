"""The result of every method for the quadratic assignment problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["QapResult"]


@dataclass(frozen=True, eq=False)
class QapResult:
    """A solution, and the effort to find it.

    Attributes
    ----------
    mapping : ndarray of int64, shape (tasks,)
        Location of each task.
    cost : int or float
        Its cost; exact, and an int, if all flows and costs are whole numbers.
    method : str
        Key of `METHODS`.
    iterations : int
        Iterations done, as the method counts them.
    seconds : float
        Processor time, in seconds.
    """

    mapping: NDArray[np.int64]
    cost: int | float
    method: str
    iterations: int
    seconds: float
