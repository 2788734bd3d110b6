"""How far the tasks of a job are with its iterations, and which of those that are left may be skipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Laps"]

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Laps:
    """Iterations of a job that runs, by task, and what an iteration exchanges, by key.

    A *key* is what a receive is matched by: source and target task, tag and packets.

    Attributes
    ----------
    done : ndarray of int64, shape (tasks,)
        Iterations that each task has behind it.
    last : ndarray of int64, shape (tasks,)
        Cycle in which the last of them ended; the start of the job, if there is none.
    left : ndarray of int64, shape (tasks,)
        Iterations that its loop still holds, which may be skipped; 0 of a task that has ended.
    source, target : ndarray of int64, shape (keys,)
        Tasks that send and receive.
    sent, used : ndarray of int64, shape (keys,)
        Packets that an iteration sends, and those that it receives.
    asked, posted : ndarray of int64, shape (keys,)
        Messages that an iteration sends by rendezvous, and receives that it posts for them.
    spare : ndarray of int64, shape (keys,)
        Packets that have come and that no receive has used.
    """

    done: Int
    last: Int
    left: Int
    source: Int
    target: Int
    sent: Int
    used: Int
    asked: Int
    posted: Int
    spare: Int

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Keys by rendezvous, shape (keys,): both tasks wait for each other, so that they get on alike."""
        return (self.asked > 0) | (self.posted > 0)

    def spare_after(self, counts: Int) -> Int:
        """Return what would be spare had each task done so many more iterations."""
        if (counts < 0).any() or (counts > self.left).any():
            task = int(np.flatnonzero((counts < 0) | (counts > self.left))[0])
            raise ValueError(
                f"skip: {counts[task]} iterations of task {task} are not between 0 and the {self.left[task]} "
                "that are left"
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
