"""Input files: none that may never end or never begin."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_NOTED: ContextVar[dict[str, None] | None] = ContextVar("_NOTED", default=None)


@contextmanager
def noting_inputs() -> Iterator[dict[str, None]]:
    """Provide the names that `input_file` returns in the block, as keys in their order."""
    noted: dict[str, None] = {}
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def input_file(path: str | Path) -> Path:
    """Return a path that is about to be read, checked as `check_readable` does."""
    checked = check_readable(path)
    if (noted := _NOTED.get()) is not None:
        noted[str(path)] = None
    return checked


def text_of(path: str | Path) -> str:
    """Return the text of a file."""
    try:
        return input_file(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file") from None


def check_readable(path: str | Path) -> Path:
    """Return a path that can be read without waiting forever; missing files are left to the caller."""
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return path
    if stat.S_ISFIFO(mode):
        raise ValueError(f"{path}: is a pipe, which can be read only once, expected a file")
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not _ends(path)):
        raise ValueError(f"{path}: is a device, expected a file")
    return path


def _ends(path: Path) -> bool:
    """Return whether a device ends: the empty one does, and a terminal."""
    try:
        if path.samefile(os.devnull):
            return True
        with path.open("rb") as file:
            return file.isatty()
    except OSError:
        return True  # whoever opens it says why it cannot be
