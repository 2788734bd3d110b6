"""Whose a file of machine code is: that of others is not run."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["NO_LINK", "check_owner", "read_trusted"]

# Flags with which a file is opened that others may have put there: no link is followed, no pipe waited for.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_trusted(path: str | Path) -> bytes:
    """Return what is in a file that belongs to this user or the system's, and that not everybody can write.

    Raises
    ------
    OSError
        If there is no such file.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
        _check(os.fstat(file.fileno()), path)
        return file.read()


def check_owner(path: str | Path) -> None:
    """Check the same of a file, without reading it; as `read_trusted`."""
    _check(os.lstat(path), path)


def _check(state: os.stat_result, path: str | Path) -> None:
    if hasattr(os, "getuid") and (state.st_uid not in (os.getuid(), 0) or state.st_mode & 0o002):
        raise PermissionError(f"{path}: belongs to others, or can be written by all")
