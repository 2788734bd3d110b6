"""The common parts of the synthetic applications: rounds as arrays, and their repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isqrt, prod

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import Op, check_written
from netplace.apps.program import Program
from netplace.inputs import MOST, check_int

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
        parts = sizes if isinstance(sizes, list | tuple) else str(sizes).lower().split("x")
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


Step = tuple[Op, NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Round:
    """Sends and receives of every task in one round, in its order."""

    # shape (tasks + 1,): operations ``first[i]:first[i + 1]`` are those of task ``i``.
    first: NDArray[np.int64]
    kind: NDArray[np.int8]  # shape (operations,): `Op` of each
    peer: NDArray[np.int32]  # shape (operations,): to or from which task

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Round:
        """Return the round of tasks that take the same steps: a kind, and the peer of each task or -1."""
        kinds, peers = zip(*steps, strict=True)
        table = np.stack([peer.astype(np.int32) for peer in peers], axis=1)
        there = table >= 0
        kind = np.broadcast_to(np.array(kinds, np.int8), table.shape)
        return cls(_starts(there.sum(axis=1)), kind[there], table[there])


def send(peers: NDArray[np.int64]) -> Step:
    """Return the step in which each task sends to its peer, if it is not -1."""
    return Op.SEND, peers


def receive(peers: NDArray[np.int64]) -> Step:
    """Return the step in which each task receives from its peer, if it is not -1."""
    return Op.RECV, peers


def exchange(partners: Iterable[NDArray[np.int64]]) -> list[Step]:
    """Return the steps in which each task sends to all partners, then receives from all in the same order."""
    every = list(partners)
    return [*map(send, every), *map(receive, every)]


def in_rounds(
    tasks: int,
    bytes: int,
    rounds: int,
    name: str,
    operations: Callable[[int], int],
    once: Callable[[NDArray[np.int64]], Round],
) -> Program:
    """Return the program in which tasks do several times what they do in one round.

    Rounds are marked as iterations 1, 2, .. and the messages of round r carry tag r - 1, so that those of
    different rounds cannot be confused.
    """
    check_int(tasks, f"tasks of {name}", 2)
    check_int(bytes, f"bytes of {name}", 0, MOST - 1)
    check_int(rounds, f"rounds of {name}")
    check_written(operations(tasks) * rounds, name)
    made = once(np.arange(tasks))
    length = np.diff(made.first)
    first = _starts(length * rounds)
    task = np.repeat(np.arange(tasks), length * rounds)
    place = np.arange(first[-1]) - first[task]
    tag, source = place // length[task], made.first[task] + place % length[task]
    return Program(
        first=first,
        kind=made.kind[source],
        peer=made.peer[source],
        size=np.full(len(source), bytes, np.int64),
        tag=tag,
        request=np.full(len(source), -1, np.int32),
        marks=marks_of(first, np.broadcast_to(length[:, None], (tasks, rounds))),
        name=name,
        sections={},
    )


def marks_of(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the marks of all tasks: rounds are the iterations from 1 on, and a mark closes the last."""
    tasks, rounds = lengths.shape
    place = np.concatenate([first[:-1, None], first[:-1, None] + np.cumsum(lengths, axis=1)], axis=1)
    number = np.tile(np.append(np.arange(1, rounds + 1), -1), (tasks, 1))
    task = np.repeat(np.arange(tasks), rounds + 1)
    made = np.stack([task, place.ravel(), number.ravel()], axis=-1)
    return made[np.lexsort((number.ravel() >= 0, place.ravel(), task))]


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where what has these lengths begins, and the end of all."""
    return np.concatenate([[0], np.cumsum(lengths)])
