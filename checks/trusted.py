"""Ownership of files: a run resumes only from files of its user."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

_KEY = 32  # bytes

# Flags with which a file is opened that others may have put there: no link is followed, no pipe waited for.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_trusted(path: str | Path) -> bytes:
    """Return the contents of a file of this user or the system that not everyone can write."""
    with os.fdopen(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
        state = os.fstat(file.fileno())
        if hasattr(os, "getuid") and (state.st_uid not in (os.getuid(), 0) or state.st_mode & 0o002):
            raise PermissionError(f"{path}: belongs to another user, or other users can write to it")
        return file.read()


def state_folder() -> Path:
    """Return the folder of what netplace keeps for this user."""
    named = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "netplace"
    try:
        return Path.home() / ".local" / "state" / "netplace"
    except RuntimeError:
        raise FileNotFoundError("the user has no home folder, expected XDG_STATE_HOME=FOLDER") from None


def own_key() -> bytes | None:
    """Return the user's key, made on first use, which marks files that netplace wrote; None: not storable."""
    try:
        path = state_folder() / "key"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _make_key(path)
        key = read_trusted(path)
        return key if len(key) == _KEY and not os.lstat(path).st_mode & 0o077 else None
    except OSError:  # no home, or not writable
        return None


def _make_key(path: Path) -> None:
    """Create a key atomically; keep one that another process has created meanwhile."""
    handle, draft = tempfile.mkstemp(dir=path.parent)
    try:
        os.write(handle, secrets.token_bytes(_KEY))
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.close(handle)
        os.unlink(draft)
