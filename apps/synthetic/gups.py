"""Random updates of a table spread over all tasks."""

from __future__ import annotations

import numpy as np

from netplace.apps.operation import check_written
from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import BYTES_PER_TASK
from netplace.apps.task import TaskWriter
from netplace.checks import check_size, whole

__all__ = ["gups"]


def gups(tasks: int, bytes: int = 64, rounds: int = 1, updates: int | None = None, seed: int = 0) -> Program:
    """Make random updates: each is a message from a random task to another, which waits for it.

    ::

        update 0   2 --> 0
        update 1   1 --> 3
        update 2   0 --> 2      task 0 waits for update 0 before it sends this one

    Named after the giga-updates per second of the HPC Challenge's RandomAccess. Updates are tagged 0, 1, ..

    Parameters
    ----------
    tasks : int
        Number of tasks.
    bytes : int
        Size of an update.
    rounds : int
        How many rounds of updates, each drawn anew.
    updates : int, optional
        Updates in a round, over all tasks; by default as many as tasks.
    seed : int
        Seed of the draw.
    """
    whole(tasks, "tasks of gups", 2)
    whole(bytes, "bytes of gups", 0)
    whole(rounds, "rounds of gups")
    whole(seed, "seed of gups", 0)
    check_size(tasks, BYTES_PER_TASK, "tasks", "gups")
    count = tasks if updates is None else whole(updates, "updates of gups")
    check_written(2 * rounds * count, "gups")
    rng = np.random.default_rng(seed)
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for number in range(rounds):
        sources = rng.integers(tasks, size=count)
        targets = (sources + rng.integers(1, tasks, size=count)) % tasks
        for writer in writers:
            writer.mark(number + 1)
        for tag, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            writers[source].send(target, bytes, number * count + tag)
            writers[target].recv(source, bytes, number * count + tag)
    for writer in writers:
        writer.mark(-1)
    return Program.of(writers, "gups")
