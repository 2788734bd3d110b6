"""The common parts of the synthetic applications: rounds as arrays, and their repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import Op, check_written
from netplace.apps.program import Program
from netplace.checks import MOST, check_int

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
