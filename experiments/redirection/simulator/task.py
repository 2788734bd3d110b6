"""A sequential task, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ran", "Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """A task of one processor, its processing time known on arrival.

    Attributes
    ----------
    number : int
        Its name.
    release : float
        When it arrives, in seconds.
    seconds : float
        Processing time, over 0.
    """

    number: int
    release: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a task.

    Attributes
    ----------
    task : Task
        The task.
    start, end : float
        Begin of the last stretch in which it ran, after its last preemption or restart; completion.
    processor : int
        Where it ended.
    redirected : bool
        Whether it was sent to a dedicated processor.
    """

    task: Task
    start: float
    end: float
    processor: int
    redirected: bool
