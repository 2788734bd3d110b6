"""Random updates of a table that is distributed over all tasks."""

from __future__ import annotations

import numpy as np

from netplace.apps.operation import Op, check_written
from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import marks_of
from netplace.checks import MOST, check_int


def gups(tasks: int, bytes: int = 64, rounds: int = 1, updates: int | None = None, seed: int = 0) -> Program:
    """Make random updates: each is a message from a random task to another one, which waits for it.

    ::

        update 0   2 --> 0
        update 1   1 --> 3
        update 2   0 --> 2      task 0 waits for update 0 before it sends this one

    The application is named after the giga-updates per second that the RandomAccess test of HPC Challenge
    measures. Updates are tagged 0, 1, ..; `updates` is their number per round over all tasks, by default the
    number of tasks. Each round draws new updates.
    """
    check_int(tasks, "tasks of gups", 2)
    check_int(bytes, "bytes of gups", 0, MOST - 1)
    check_int(rounds, "rounds of gups")
    check_int(seed, "seed of gups", 0)
    count = tasks if updates is None else check_int(updates, "updates of gups")
    check_written(2 * rounds * count + tasks * rounds, "gups")
    rng = np.random.default_rng(seed)
    sources, targets = np.empty((rounds, count), np.int64), np.empty((rounds, count), np.int64)
    for number in range(rounds):
        sources[number] = rng.integers(tasks, size=count)
        targets[number] = (sources[number] + rng.integers(1, tasks, size=count)) % tasks
    # Every update is two operations; a task's own stand in the order of the updates.
    task = np.stack([sources, targets], axis=-1).reshape(rounds, -1)
    order = np.argsort(task, axis=None, kind="stable")
    here = np.array([np.bincount(row, minlength=tasks) for row in task])
    first = np.concatenate([[0], np.cumsum(here.sum(axis=0))])
    return Program(
        first=first,
        kind=np.tile(np.array([Op.SEND, Op.RECV], np.int8), rounds * count)[order],
        peer=np.stack([targets, sources], axis=-1).ravel()[order].astype(np.int32),
        size=np.full(len(order), bytes, np.int64),
        tag=order // 2,
        request=np.full(len(order), -1, np.int32),
        marks=marks_of(first, here.T),
        name="gups",
        sections={},
    )
