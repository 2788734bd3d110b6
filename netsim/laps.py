"""The progress of the tasks of a job in its iterations, and the iterations that can be skipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IterationCounts:
    """Iterations of a running job by task, and the exchange of an iteration by key.

    A *key* matches receives to messages: source and target task, tag and packets.
    """

    done: Int  # shape (tasks,): completed iterations of each task
    last: Int  # shape (tasks,): cycle in which the last of them ended; the start of the job, if there is none
    # Shape (tasks,): remaining iterations of its loop, which can be skipped; 0 for a task that has ended.
    left: Int
    # Shape (keys,): tasks that send and receive.
    source: Int
    target: Int
    # Shape (keys,): packets that an iteration sends, and those that it receives.
    sent: Int
    used: Int
    # Shape (keys,): messages that an iteration sends by rendezvous, and receives that it posts for these.
    asked: Int
    posted: Int
    spare: Int  # shape (keys,): packets that have arrived and that no receive has used

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Keys with rendezvous, shape (keys,): both tasks wait for each other and progress equally."""
        return (self.asked > 0) | (self.posted > 0)

    def spare_after(self, counts: Int) -> Int:
        """Return the spare packets if each task had completed the given number of further iterations."""
        if (counts < 0).any() or (counts > self.left).any():
            task = int(np.flatnonzero((counts < 0) | (counts > self.left))[0])
            raise ValueError(
                f"skip: {counts[task]} iterations of task {task} are out of range, expected 0 to "
                f"{self.left[task]}"
            )
        uneven = counts[self.source] * self.asked != counts[self.target] * self.posted
        if uneven.any():
            key = int(np.flatnonzero(uneven)[0])
            source, target = self.source[key], self.target[key]
            raise ValueError(
                f"skip: task {source} would send {counts[source] * self.asked[key]} messages by rendezvous, "
                f"for which task {target} would post {counts[target] * self.posted[key]} receives"
            )
        spare: Int = self.spare + counts[self.source] * self.sent - counts[self.target] * self.used
        if (spare < 0).any():
            key = int(np.flatnonzero(spare < 0)[0])
            raise ValueError(
                f"skip: task {self.target[key]} would use {-spare[key]} packets that task {self.source[key]} "
                "has not sent"
            )
        return spare
