"""Checkpoints of a long co-simulation: what the network has answered so far, and the network as it is.

The scheduler is quick, and does the same again where it gets the same answers; the network is slow. So what
is kept is every answer that the scheduler got, and the execution with its network. A run that goes on gives
the scheduler the old answers, until the network is asked what it has not been asked yet.
"""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path
from types import MethodType
from typing import Any

from numpy.typing import NDArray

from netplace.cosim.live import LiveExecution
from netplace.netsim.result import versions
from netplace.scheduling import Allocation, Ends, Job

__all__ = ["Journal"]

_PAUSE = 30.0  # seconds between checkpoints
_SHARE = 0.05  # of the time that may go into them

# All that a checkpoint is made of: a file that is read again can make nothing else, and call nothing.
_OWN = ("apps.", "cosim.", "netsim.", "scheduling.", "topologies.")
_KINDS = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("collections", "deque"),
    ("builtins", "set"),
    ("builtins", "frozenset"),
}


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
    path : Path
        The file; there is one while the co-simulation is under way.
    key : str
        Of the plan: a file of another plan or version is not used.
    """

    def __init__(
        self, execution: LiveExecution, owner: object, names: tuple[str, ...], path: Path, key: str
    ) -> None:
        self.loses = execution.loses
        self._execution, self._owner, self._names = execution, owner, names
        self._path, self._key = path, [key, versions()]
        self._answers: list[Any] = []
        self._next = 0  # answer to be given
        self._last, self._spent = time.monotonic(), 0.0
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
        """Take note that a job that waited finds no place any more."""
        self._answer("refused", job, why)

    def longest(self, job: Job) -> float:
        """Return the run time in seconds that a user estimates."""
        seconds: float = self._answer("longest", job)
        return seconds

    def close(self) -> None:
        """Remove the file: all is done."""
        self._path.unlink(missing_ok=True)

    def look(self) -> None:
        """Write a checkpoint, if it is time; the network is between two cycles."""
        now = time.monotonic()
        if now - self._last >= max(_PAUSE, self._spent / _SHARE):
            self.write()
            self._last = time.monotonic()
            self._spent = self._last - now

    def write(self) -> None:
        """Write a checkpoint, whole or not at all."""
        state = {name: value for name, value in vars(self._execution).items() if name != "longest"}
        kept = {name: getattr(self._owner, name) for name in self._names}
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with temporary.open("wb") as file:
            _Pickler(file, self._known()).dump((self._key, self._answers, state, kept))
        temporary.replace(self._path)

    def _answer(self, name: str, *arguments: Any) -> Any:
        if self._next < len(self._answers):
            self._next += 1
            return self._answers[self._next - 1]
        answer = getattr(self._execution, name)(*arguments)
        self._answers.append(answer)
        self._next += 1
        return answer

    def _load(self) -> bool:
        """Take up the checkpoint of the file; tell whether there is one."""
        try:
            with self._path.open("rb") as file:
                key, answers, state, kept = _Unpickler(file, self._known()).load()
        except FileNotFoundError:
            return False
        except Exception:  # written by another version, or by nobody: then all is made anew
            return False
        if key != self._key:
            return False
        self._answers = answers
        vars(self._execution).update(state)
        for name, value in kept.items():
            mine = getattr(self._owner, name)
            mine.clear()
            mine.update(value)
        return True

    def _known(self) -> dict[str, object]:
        """Return by name what a checkpoint does not hold, but finds where it is read."""
        execution = self._execution
        names = ("journal", "owner", "placing", "machine")
        values = (self, self._owner, execution.placing, execution.placing.machine)
        return dict(zip(names, values, strict=True))


class _Pickler(pickle.Pickler):
    def __init__(self, file: Any, known: dict[str, object]) -> None:
        super().__init__(file, protocol=5)
        self._names = {id(value): name for name, value in known.items()}

    def persistent_id(self, given: Any) -> Any:
        """Return the name of what is not to be written, and those of a method of it."""
        if isinstance(given, MethodType) and id(given.__self__) in self._names:
            return self._names[id(given.__self__)], given.__name__
        return self._names.get(id(given))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, known: dict[str, object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, name: Any) -> Any:
        """Return what has this name."""
        if isinstance(name, tuple):
            owner, method = name
            if owner in self._known and method in ("_ended", "_leapt", "look"):
                return getattr(self._known[owner], method)
            raise pickle.UnpicklingError(f"{name} is not known")
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that a checkpoint may be made of."""
        found = super().find_class(module, name) if self._allowed(module, name) else None
        if (module, name) in _KINDS or isinstance(found, type):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a checkpoint")

    @staticmethod
    def _allowed(module: str, name: str) -> bool:
        own = module.startswith(tuple(f"netplace.{part}" for part in _OWN))
        return "." not in name and (own or (module, name) in _KINDS)
