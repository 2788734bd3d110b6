"""Atomic output: every file appears completely or not at all, and only under the given name.

A file is written as a draft next to it, which replaces it at the end. A draft has an unpredictable name, is a
new file (no link is followed), and is locked while it is written. The next run in the folder recognizes the
drafts of a killed run by their name, owner and missing lock, and deletes them.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from netplace.checks.stopping import held_back
from netplace.checks.trusted import NO_LINK

try:
    import fcntl
except ImportError:  # Windows: drafts are not locked there, and none is taken away
    fcntl = None  # type: ignore[assignment]

_DRAFT = re.compile(r"\.netplace-[0-9a-f]{16}(\..*)?", re.DOTALL)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK


@contextmanager
def atomic_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Provide a draft with the same suffixes, which replaces `path`; a device receives the content."""
    endings = "".join(path.suffixes[-2:])
    if is_device(path):
        import tempfile

        with tempfile.TemporaryDirectory() as place:
            draft = Path(place) / f"draft{endings}"
            yield draft
            try:
                with _opened(path) as device:
                    device.write(draft.read_bytes())
            except OSError as error:
                if error.filename is None and not isinstance(error, BrokenPipeError):
                    raise OSError(error.errno, error.strerror, str(path)) from None
                raise
        return
    draft, lock = path, -1
    try:
        _sweep(path.parent.absolute())
        with held_back():  # so that no draft is there of which nobody knows
            draft, lock = _new_draft(path.parent, endings, mode)
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename is None or _DRAFT.fullmatch(os.path.basename(error.filename)):
            # The name that a user gave, not that of the draft.
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise
    finally:
        if lock >= 0:
            with held_back():
                draft.unlink(missing_ok=True)
                os.close(lock)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, completely or not at all; text as UTF-8 with unchanged line ends."""
    with atomic_file(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def made_folder(path: Path) -> Iterator[Path]:
    """Create a folder if it does not exist; if the block fails, remove it if it is empty."""
    made = False
    try:
        with held_back():
            made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
        yield path
    except BaseException:
        if made:
            with suppress(OSError):  # something is in it, and stays
                path.rmdir()
        raise


@contextmanager
def draft_folder(parent: Path) -> Iterator[Path]:
    """Provide a new private folder in `parent`, and delete it after the block."""
    _sweep(parent.absolute())
    path, lock = _draft_name(parent), -1
    try:
        with held_back():
            path.mkdir(mode=0o700)
            if fcntl is not None:
                lock = os.open(path, os.O_RDONLY | NO_LINK)
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield path
    finally:
        with held_back():
            shutil.rmtree(path, ignore_errors=True)
            if lock >= 0:
                os.close(lock)


def is_device(path: Path) -> bool:
    """Return whether `path` exists and is not a regular file: a device, a pipe, or a standard stream."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or path.absolute().parts[1:2] in (("dev",), ("proc",))


def _draft_name(folder: Path, endings: str = "") -> Path:
    # Absolute: libraries take relative names such as ``file:x`` for addresses.
    return folder.absolute() / f".netplace-{secrets.token_hex(8)}{endings}"


def _new_draft(folder: Path, endings: str, mode: int) -> tuple[Path, int]:
    """Return a new empty file and its lock, with the usual permissions of new files."""
    while True:
        draft = _draft_name(folder, endings)
        lock = os.open(draft, _NEW, mode)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(
            FileNotFoundError
        ):  # somebody took it for that of a killed run, just before it was locked
            if os.path.samestat(os.lstat(draft), os.fstat(lock)):
                return draft, lock
        os.close(lock)


@cache
def _sweep(folder: Path) -> None:
    """Delete, once per process, the drafts of this user's killed runs in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if fcntl and _DRAFT.fullmatch(entry.name)]:
            with suppress(OSError):
                _take_away(entry.path)


def _take_away(draft: str) -> None:
    """Delete a draft if it belongs to this user and is not locked."""
    lock = os.open(draft, os.O_RDONLY | NO_LINK)
    try:
        state = os.fstat(lock)
        if state.st_uid != os.getuid():
            return
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISREG(state.st_mode):
            os.unlink(draft)
        elif stat.S_ISDIR(state.st_mode):
            shutil.rmtree(draft, ignore_errors=True)
    finally:
        os.close(lock)


def _opened(path: Path) -> BinaryIO:
    for stream in (1, 2):
        if os.path.samestat(os.fstat(stream), path.stat()):
            sys.stdout.flush()
            return os.fdopen(os.dup(stream), "wb")
    return path.open("wb")
