"""Checkpoints of a long co-simulation: what the network has answered so far, and the network as it is.

The scheduler is quick, and does the same again where it gets the same answers; the network is slow. So what
is kept is every answer that the scheduler got, and the execution with its network. A run that goes on gives
the scheduler the old answers, until the network is asked what it has not been asked yet.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from netplace.cosim.checkpoint import Keep
from netplace.cosim.live import LiveExecution
from netplace.scheduling import Allocation, Ends, Job

__all__ = ["Journal"]


class Journal:
    """An execution whose answers are kept, and which goes on from its last checkpoint.

    Parameters
    ----------
    execution : LiveExecution
        Runs the jobs; as it was made.
    owner : object
        Has the execution, and is told by it of jobs that have ended.
    names : tuple of str
        Attributes of `owner` that belong to a checkpoint.
    keep : Keep
        Where it is kept.
    """

    def __init__(self, execution: LiveExecution, owner: object, names: tuple[str, ...], keep: Keep) -> None:
        self.loses = execution.loses
        self._execution, self._owner, self._names = execution, owner, names
        known = {
            "journal": self,
            "owner": owner,
            "placing": execution.placing,
            "machine": execution.placing.machine,
        }
        self._checkpoint = keep.part("", known)
        self._answers: list[Any] = []
        self._next = 0  # answer to be given
        self.resumed = self._load()
        execution.network.between = self.look

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Begin a job on its nodes at `now`."""
        begun: float | None = self._answer("begin", attempt, job, allocation, now)
        return begun

    def stop(self, attempt: int, now: float) -> None:
        """Stop an attempt at `now`, before its end."""
        self._answer("stop", attempt, now)

    def next_end(self, until: float) -> Ends | None:
        """Return the next end, not later than `until`."""
        ends: Ends | None = self._answer("next_end", until)
        return ends

    def lost(self, now: float) -> NDArray[Any]:
        """Return the nodes that have been lost up to `now`, each once."""
        nodes: NDArray[Any] = self._answer("lost", now)
        return nodes

    def refused(self, job: Job, why: str) -> None:
        """Record that a job that waited finds no place any more."""
        self._answer("refused", job, why)

    def longest(self, job: Job) -> float:
        """Return the run time in seconds that a user estimates."""
        seconds: float = self._answer("longest", job)
        return seconds

    def look(self) -> None:
        """Write a checkpoint, if it is time; the network is between two cycles."""
        self._checkpoint.look(self.write)

    def write(self) -> None:
        """Write a checkpoint."""
        state = {name: value for name, value in vars(self._execution).items() if name != "longest"}
        kept = {name: getattr(self._owner, name) for name in self._names}
        self._checkpoint.write((self._answers, state, kept))

    def _answer(self, name: str, *arguments: Any) -> Any:
        if self._next < len(self._answers):
            self._next += 1
            return self._answers[self._next - 1]
        answer = getattr(self._execution, name)(*arguments)
        self._answers.append(answer)
        self._next += 1
        return answer

    def _load(self) -> bool:
        """Take up the checkpoint of the file; return whether there is one."""
        saved = self._checkpoint.load()
        if saved is None:
            return False
        self._answers, state, kept = saved
        vars(self._execution).update(state)
        for name, value in kept.items():
            mine = getattr(self._owner, name)
            mine.clear()
            mine.update(value)
        return True
