"""Files in which a long co-simulation is kept while it is under way, and of what they may be made."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MethodType
from typing import Any

from netplace.checks.inputs import input_file
from netplace.netsim.result import versions

__all__ = ["PARTS", "Checkpoint", "Keep", "Memory"]

_PAUSE = 30.0  # seconds between checkpoints
_SHARE = 0.05  # of the time that may go into them
PARTS = ("", "alone", "again")  # network under the scheduler, times alone, the jobs once more
_METHODS = ("_ended", "_leapt", "look")  # of known objects, that a checkpoint may name

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


class Checkpoint:
    """A file that is written from time to time, whole or not at all.

    Parameters
    ----------
    path : Path
        The file; there is one while what it keeps is under way.
    key : str
        Of the plan: a file of another plan or version is not used.
    known : mapping of str to object, optional
        What the file does not hold, but names: found again where it is read.
    """

    def __init__(self, path: Path, key: str, known: Mapping[str, object] | None = None) -> None:
        self._path, self._key, self._known = path, [key, versions()], dict(known or {})
        self._last, self._spent = time.monotonic(), 0.0

    def look(self, write: Callable[[], None]) -> None:
        """Write, if it is time."""
        now = time.monotonic()
        if now - self._last >= max(_PAUSE, self._spent / _SHARE):
            write()
            self._last = time.monotonic()
            self._spent = self._last - now

    def write(self, state: object) -> None:
        """Write what is to be kept."""
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with temporary.open("wb") as file:
            _Pickler(file, self._known).dump((self._key, state))
        temporary.replace(self._path)

    def load(self) -> Any:
        """Return what was kept; None if there is nothing that can be used."""
        try:
            with input_file(self._path).open("rb") as file:
                key, state = _Unpickler(file, self._known).load()
        except Exception:  # not there, or written by another version or by nobody: then all is made anew
            return None
        return state if key == self._key else None

    def close(self) -> None:
        """Remove the file: all is done."""
        self._path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Keep:
    """Where parts of a co-simulation are kept while it is under way.

    Attributes
    ----------
    path : Path
        The file of the network under the scheduler; others stand beside it.
    key : str
        Of the plan.
    """

    path: Path
    key: str

    def part(self, name: str, known: Mapping[str, object] | None = None) -> Checkpoint:
        """Return the file of one of `PARTS`."""
        path = self.path.with_name(f"{self.path.name}.{name}") if name else self.path
        return Checkpoint(path, self.key, known)

    def close(self) -> None:
        """Remove all files: all is done."""
        for name in PARTS:
            self.part(name).close()


class Memory:
    """Values that took long to simulate, each made once, also if the run is broken off meanwhile.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
        Where they are kept.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._checkpoint = checkpoint
        self._values: dict[bytes, Any] = (checkpoint and checkpoint.load()) or {}

    def of(self, key: object, make: Callable[[], Any]) -> Any:
        """Return the value of a key, of the plain kinds; made if it is not known."""
        if self._checkpoint is None:
            return make()
        digest = hashlib.sha256(repr(key).encode()).digest()
        if digest not in self._values:
            self._values[digest] = make()
            self._checkpoint.look(self._write)
        return self._values[digest]

    def _write(self) -> None:
        assert self._checkpoint is not None
        self._checkpoint.write(self._values)


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
            if owner in self._known and method in _METHODS:
                return getattr(self._known[owner], method)
            raise pickle.UnpicklingError(f"{name} is not known")
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that a checkpoint may be made of."""
        loaded = super().find_class(module, name) if self._allowed(module, name) else None
        if (module, name) in _KINDS or isinstance(loaded, type):
            return loaded
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a checkpoint")

    @staticmethod
    def _allowed(module: str, name: str) -> bool:
        own = module.startswith(tuple(f"netplace.{part}" for part in _OWN))
        return "." not in name and (own or (module, name) in _KINDS)
