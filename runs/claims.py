"""Claims on simulations, so that processes that share a store share the work.

A claim is a lock on one byte of a file next to the store, at a position given by the key. The operating
system releases it when the process ends, so no stale claims remain. Without such locks (Windows), every claim
is granted, and two processes may simulate a run twice, with the same result.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from netplace.checks.trusted import NO_LINK

try:
    import fcntl

    LOCKS = True
except ImportError:  # pragma: no cover
    LOCKS = False


class Claims:
    """Claims of this process on the store at `path`; without a store, every claim is granted."""

    def __init__(self, path: Path | None) -> None:
        self._file = -1
        if path is not None:
            self._path = path.with_name(path.name + "-claims")
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file < 0:
            return
        if LOCKS:
            # Whoever leaves last removes the file. One that has just opened it goes on with a file without a
            # name; at worst it simulates what a third one simulates too.
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._path.unlink()
        os.close(self._file)

    def take(self, key: str) -> bool:
        """Claim the simulation `key`, and return whether no other process holds it."""
        if not LOCKS or self._file < 0:
            return True
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except OSError:
            return False
        return True

    def leave(self, key: str) -> None:
        if LOCKS and self._file >= 0:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(key))


def _place(key: str) -> int:
    """Return the byte that stands for a key: 60 bits of it, so that no two keys are likely to share one."""
    return int(key[:15], 16)
