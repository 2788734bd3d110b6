"""The loop that runs a program without time, compiled for those that are large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit

__all__: list[str] = []

# mypy: disable-error-code="untyped-decorator"


@njit("int64[::1](int64[::1], int32[::1], int64[::1])", cache=True)
def stands(
    first: NDArray[np.int64], task_of: NDArray[np.int32], need: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return where each task comes to stand; ``first[task + 1]`` if it ends."""
    tasks = len(first) - 1
    place = first[:-1].copy()
    waiter = np.full(len(need), -1, np.int32)
    ready = np.arange(tasks)
    left = tasks
    while left:
        left -= 1
        task = ready[left]
        here = place[task]
        while here < first[task + 1]:
            if waiter[here] >= 0:
                # At most one task waits for an operation, so a task is never listed as ready twice.
                ready[left] = waiter[here]
                left += 1
                waiter[here] = -1
            place[task] = here
            wanted = need[here]
            if wanted >= 0 and place[task_of[wanted]] < wanted:
                waiter[wanted] = task
                break
            here += 1
            place[task] = here
    return place
