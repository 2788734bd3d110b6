"""Virtual grids of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, prod

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_int

Sizes = str | Sequence[int] | None  # as "4x3" or numbers; the nearest to a cube if not given


@dataclass(frozen=True)
class Grid:
    """A virtual grid of tasks.

    Tasks are numbered with the first axis running fastest, as the nodes of a mesh or torus are; on a
    *transposed* grid the last axis runs fastest. So a consecutive mapping puts a grid onto a network of the
    same sizes with neighbors side by side, and a transposed one with its axes exchanged: on unequal sides
    neighbors come to lie apart, and on equal sides the exchanges begin with another axis of the network.
    """

    sizes: tuple[int, ...]  # tasks along X, Y and perhaps Z
    wraps: bool = False  # whether the ends of each axis are neighbors
    transposed: bool = False  # whether the last axis runs fastest

    @classmethod
    def of(cls, tasks: int, axes: int, sizes: Sizes, wraps: bool = False, transposed: bool = False) -> Grid:
        if sizes is None:
            return cls(near_cube(check_int(tasks, "tasks"), axes), wraps, transposed)
        parts = sizes.lower().split("x") if isinstance(sizes, str) else sizes
        numbers = tuple(check_int(part, f"grid {sizes!r}") for part in parts)
        if len(numbers) != axes or prod(numbers) != tasks:
            raise ValueError(
                f"grid: {sizes!r} must be {axes} sizes whose product is {tasks}, the number of tasks"
            )
        return cls(numbers, wraps, transposed)

    @property
    def steps(self) -> int:
        """How many tasks have one above them along X, and along Y, .., in all."""
        tasks = prod(self.sizes)
        return sum(tasks if self.wraps else tasks - tasks // size for size in self.sizes if size > 1)

    def step(self, task: NDArray[np.int64], axis: int, distance: int) -> NDArray[np.int64]:
        """Return the tasks `distance` along `axis` from others; -1 if there is none but itself."""
        size, stride = self.sizes[axis], self._stride(axis)
        place = task // stride % size
        target = (place + distance) % size
        there = (target != place) & (self.wraps | (target == place + distance))
        return np.where(there, task + (target - place) * stride, -1)

    def neighbours(
        self, task: NDArray[np.int64], distances: Sequence[int] = (1, -1)
    ) -> list[NDArray[np.int64]]:
        """Return the tasks at `distances` along X, then along Y, ..; -1 if there is none."""
        return [self.step(task, axis, by) for axis in range(len(self.sizes)) for by in distances]

    def _stride(self, axis: int) -> int:
        return prod(self.sizes[axis + 1 :] if self.transposed else self.sizes[:axis])


def near_cube(tasks: int, axes: int) -> tuple[int, ...]:
    """Return `axes` sizes, the largest first, whose product is `tasks` and whose largest is least."""
    if axes == 1:
        return (tasks,)
    small = [size for size in range(1, isqrt(tasks) + 1) if tasks % size == 0]
    sizes = {*small, *(tasks // size for size in small)}
    splits = ((size, *near_cube(tasks // size, axes - 1)) for size in sizes)
    return min((split for split in splits if split[0] == max(split)), key=lambda split: split)
