"""Checkpoints of a long co-simulation: the network, and its answers to the scheduler so far.

The scheduler is fast and repeats its actions if it gets the same answers; the network is slow. A checkpoint
therefore contains every answer to the scheduler, and the execution with its network. A resumed run gives the
scheduler the old answers until it asks the network something new.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from netplace.cosim.checkpoint import Keep
from netplace.cosim.live import LiveExecution
from netplace.scheduling import Allocation, Ends, Job


class Journal:
    """An execution that records its answers and resumes from its last checkpoint.

    `names`: attributes of `owner`, to which ended jobs are reported, that belong to a checkpoint.
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
        begun: float | None = self._answer("begin", attempt, job, allocation, now)
        return begun

    def stop(self, attempt: int, now: float) -> None:
        self._answer("stop", attempt, now)

    def next_end(self, until: float) -> Ends | None:
        ends: Ends | None = self._answer("next_end", until)
        return ends

    def lost(self, now: float) -> NDArray[Any]:
        nodes: NDArray[Any] = self._answer("lost", now)
        return nodes

    def refused(self, job: Job, why: str) -> None:
        self._answer("refused", job, why)

    def longest(self, job: Job) -> float:
        seconds: float = self._answer("longest", job)
        return seconds

    def look(self) -> None:
        self._checkpoint.look(self.write)

    def write(self) -> None:
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
        """Load the checkpoint of the file; return whether there is one."""
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
