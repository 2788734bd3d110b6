"""IS: ranking of integer keys by a distributed bucket sort.

Each iteration (``rank``) changes two keys of task 0, counts all keys in buckets, sums the counts (allreduce
of ``buckets + 5`` integers), tells each task how many keys to expect (alltoall of one integer), and sends
each key to the task that ranks its bucket (alltoallv). Buckets go to tasks in order, so that each gets
about the same number of keys. The keys are the benchmark's own: sums of four numbers of its generator
(``randlc``, ``create_seq``), so sizes are exact. Bailey et al. 1991; source ``IS/is.c`` of NPB 3.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives, allreduce, alltoall, alltoallv
from netplace.apps.npb.classes import (
    IS_CLASSES,
    Sort,
    check_tasks,
    iteration_count,
    powers_of_two,
    problem_of,
)
from netplace.apps.npb.timed import Run, check_size, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

INTEGER = 4
TEST_KEYS = 5  # hidden behind the bucket counts, for the benchmark's own check
MULTIPLIER = 5**13
SEED = 314159265
STATE_BITS = 46
BLOCK = 1 << 16  # keys drawn at a time: small enough for a processor's cache


def is_(
    problem_class: str, tasks: int, iterations: int | None = None, collectives: Collectives | None = None
) -> Program:
    """Return the timed section of IS; iterations are rankings, 10 by default.

    `tasks` is a power of two: at most 128 for class S, at most 1024 for other classes, and at least 4 for
    class D. The two billion keys of class D take tens of seconds to generate. As in the benchmark, the
    number of iterations also determines which keys are changed.
    """
    problem = problem_of("is", IS_CLASSES, problem_class)
    times = iteration_count("is", iterations, problem.iterations)
    counts = powers_of_two(problem.least_tasks, problem.most_tasks)
    tasks = check_tasks("is", problem_class, tasks, counts)
    keys = (1 << problem.keys_log2) // tasks
    if 2 * times >= keys:
        raise ValueError(
            f"iterations of is: {times} is too large, each changes two of the {keys} keys of task 0, "
            f"expected at most {(keys - 1) // 2}"
        )
    name = f"is.{problem_class.upper()}.{tasks}"
    check_size(name, times, 0, _operations(problem, tasks))  # before the keys are drawn
    sizes = [INTEGER * counts for counts in _exchanges(problem, tasks, times)]

    def runs(task: int) -> list[Run]:
        rows = [(tuple(size[task].tolist()), tuple(size[:, task].tolist())) for size in sizes]
        return [Run(partial(_iteration, problem, *row), len(list(same))) for row, same in groupby(rows)]

    return timed_program(name, tasks, runs, collectives=collectives)


def _operations(problem: Sort, tasks: int) -> int:
    """Return how many operations an iteration has in which all pairs of tasks exchange keys."""
    writer = TaskWriter(0, tasks)
    _iteration(problem, (1,) * tasks, (1,) * tasks, writer)
    return len(writer) * tasks


def _iteration(problem: Sort, row: tuple[int, ...], column: tuple[int, ...], writer: TaskWriter) -> None:
    members = range(writer.tasks)
    allreduce(writer, members, INTEGER * ((1 << problem.buckets_log2) + TEST_KEYS))
    alltoall(writer, members, INTEGER)
    alltoallv(writer, members, row, column)


def _exchanges(problem: Sort, tasks: int, iterations: int) -> Iterator[NDArray[np.int64]]:
    """Yield, for each iteration, how many keys each task (row) sends to each other (column)."""
    held = _bucket_counts(problem, tasks)
    first_keys = _buckets(problem, SEED, 2 * iterations + 1)
    shift = problem.range_log2 - problem.buckets_log2
    for i in range(1, iterations + 1):
        for place, key in ((i, i), (iterations + i, (1 << problem.range_log2) - i)):
            held[0, first_keys[place]] -= 1
            held[0, key >> shift] += 1
        yield _redistribute(held)


def _redistribute(held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many keys go from task to task, given those that each task (row) holds of each bucket."""
    # A task's last bucket is the first with which all tasks up to it have their share of the keys; when the
    # buckets are used up, the tasks left get none.
    tasks = len(held)
    share = held.sum() // tasks
    exchanged = np.zeros((tasks, tasks), np.int64)
    begin, task = 0, 0
    for bucket, total in enumerate(np.cumsum(held.sum(axis=0)).tolist()):
        if total >= (task + 1) * share:
            exchanged[:, task] = held[:, begin : bucket + 1].sum(axis=1)
            begin, task = bucket + 1, task + 1
    return exchanged


def _bucket_counts(problem: Sort, tasks: int) -> NDArray[np.int64]:
    """Return how many keys of each bucket (column) each task (row) draws."""
    keys = (1 << problem.keys_log2) // tasks
    counts = np.zeros((tasks, 1 << problem.buckets_log2), np.int64)
    block = min(BLOCK, keys)
    leap = pow(MULTIPLIER, 4 * block, 1 << STATE_BITS)
    state = SEED
    for start in range(0, keys * tasks, block):
        drawn = np.bincount(_buckets(problem, state, block), minlength=counts.shape[1])
        counts[start // keys] += drawn
        state = state * leap % (1 << STATE_BITS)
    return counts


def _buckets(problem: Sort, state: int, keys: int) -> NDArray[np.int64]:
    """Return the buckets of the next `keys` keys that follow `state` of the generator."""
    # The generator is x -> a x mod 2**46; products may overflow 64 bits, since only the low 46 count. A key
    # is the sum of four such numbers, scaled to the range, and its bucket are its highest bits.
    mask = np.uint64((1 << STATE_BITS) - 1)
    total = np.zeros(keys, np.uint64)
    powers = _powers(keys)
    for draw in range(1, 5):
        total += (np.uint64(state * pow(MULTIPLIER, draw) % (1 << STATE_BITS)) * powers) & mask
    return (total >> np.uint64(STATE_BITS + 2 - problem.buckets_log2)).astype(np.int64)


def _powers(keys: int) -> NDArray[np.uint64]:
    """Return the powers 0, 4, 8, .. of the multiplier, modulo 2**64."""
    step = np.full(keys, pow(MULTIPLIER, 4, 1 << 64), np.uint64)
    step[:1] = 1
    return np.cumprod(step, dtype=np.uint64)
