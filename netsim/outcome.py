"""How a job of a simulation ended: finished, stopped or deadlocked. Only a finished job has a run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Finished:
    """All tasks of the job came to their ends."""

    cycles: int  # from the start of the job to the end of its last task
    name: ClassVar[str] = "finished"
    reason: ClassVar[None] = None


@dataclass(frozen=True)
class Stopped:
    """The job was stopped before its end."""

    at: int  # cycle from which on its tasks did nothing
    by_fault: bool  # whether a fault cut off one of its nodes; otherwise a caller stopped it
    cycles: ClassVar[None] = None
    name: ClassVar[str] = "stopped"

    @property
    def reason(self) -> str:
        """Why and when it was stopped."""
        why = "a fault cut off at least one of its nodes" if self.by_fault else "on request"
        return f"stopped in cycle {self.at}, {why}"


@dataclass(frozen=True)
class Deadlocked:
    """The job waits forever."""

    at: int  # first cycle in which nothing moved
    why: str  # since when who waits for whom, a sentence
    cycles: ClassVar[None] = None
    name: ClassVar[str] = "deadlocked"

    @property
    def reason(self) -> str:
        """Since when which task waits for what."""
        return self.why


JobOutcome = Finished | Stopped | Deadlocked
