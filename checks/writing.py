"""Atomic output: every file appears completely or not at all, and only under the given name.

A file is written as a draft in a new private folder next to it, and replaces at the end what has its name: a
link is replaced too, and not followed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link followed, no pipe waited for

_DRAFTS = ".netplace-"  # begins the names of folders for drafts, which `kill -9` may leave behind
_STREAM = re.compile(r"/dev/(stdin|stdout|stderr|fd/\d+)|/proc/self/fd/\d+", re.ASCII)
_NUMBERS = {"stdin": 0, "stdout": 1, "stderr": 2}


@contextmanager
def atomic_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Provide a draft with the same suffixes, which replaces `path`; a device receives the content."""
    through = is_device(path)
    try:
        with draft_folder(None if through else path.parent) as folder:
            draft = folder / f"draft{''.join(path.suffixes[-2:])}"
            draft.touch(mode)
            yield draft
            if through:
                with _opened(path) as device:
                    device.write(draft.read_bytes())
            else:
                draft.replace(path)
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and (
            error.filename is None or _DRAFTS in str(error.filename)
        ):
            # The name that a user gave, not that of the draft.
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, completely or not at all; text as UTF-8 with unchanged line ends."""
    with atomic_file(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def made_folder(path: Path) -> Iterator[Path]:
    """Create a folder if it does not exist; if the block fails, remove it if it is empty."""
    made = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield path
    except BaseException:
        if made:
            with suppress(OSError):  # something is in it, and stays
                path.rmdir()
        raise


@contextmanager
def draft_folder(parent: Path | None) -> Iterator[Path]:
    """Provide a new private folder in `parent`, or in that of the system, and delete it after the block."""
    # Absolute: libraries take relative names such as ``file:x`` for addresses.
    place = None if parent is None else parent.absolute()
    with tempfile.TemporaryDirectory(prefix=_DRAFTS, dir=place, ignore_cleanup_errors=True) as name:
        yield Path(name)


def is_device(path: Path) -> bool:
    """Return whether what is written to `path` goes through it: a device, a named pipe, or a stream."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or _is_stream(path)


def _is_stream(path: Path) -> bool:
    return _STREAM.fullmatch(str(path.absolute())) is not None


def _opened(path: Path) -> BinaryIO:
    """Open a device; of a stream that is open already, the place in its file counts."""
    if not _is_stream(path):
        return path.open("wb")
    sys.stdout.flush()
    number = _NUMBERS[path.name] if path.name in _NUMBERS else int(path.name)
    return os.fdopen(os.dup(number), "wb")
