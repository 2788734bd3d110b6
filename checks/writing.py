"""All that writes a file does it here: it appears whole or not at all, under the name that was given alone.

A file is written as a draft beside it, which takes its place at the end. A draft has a name that nobody can
foretell, is made again (no link is followed) and is locked while somebody writes it. So the drafts of a run
that was killed can be told, and the next one in that folder takes them away: they have such a name, belong to
the same user and are not locked.
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

__all__ = ["atomic_file", "draft_folder", "is_device", "made_folder", "write_atomically"]

_DRAFT = re.compile(r"\.netplace-[0-9a-f]{16}(\..*)?", re.DOTALL)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK


@contextmanager
def atomic_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Give the name of a draft, which takes the place of `path` once the block has ended well.

    It has the same endings, for they say the format. What is no file, such as ``/dev/stdout`` or a pipe,
    stays what it is and gets the content. `mode` are the permissions of a new file, before the user's mask.
    """
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
    """Write a file, whole or not at all; text as UTF-8, with ends of lines as they are."""
    with atomic_file(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def made_folder(path: Path) -> Iterator[Path]:
    """Make a folder, if it is not there; if the block ends otherwise than well, an empty one is not left."""
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
    """Give a new folder in `parent`, which only this user can read, and take it away after the block."""
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
    """Tell whether `path` is there and no file to be replaced: a device, a pipe, a stream of this process."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or path.absolute().parts[1:2] in (("dev",), ("proc",))


def _draft_name(folder: Path, endings: str = "") -> Path:
    return folder / f".netplace-{secrets.token_hex(8)}{endings}"


def _new_draft(folder: Path, endings: str, mode: int) -> tuple[Path, int]:
    """Return a new empty file and what locks it; it is readable as new files of this user are."""
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
    """Take away, once in this process, the drafts that killed runs of this user have left in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if fcntl and _DRAFT.fullmatch(entry.name)]:
            with suppress(OSError):
                _take_away(entry.path)


def _take_away(draft: str) -> None:
    """Take a draft away if it is this user's and nobody holds its lock."""
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
    """Return a device to write to; what leads to stdout or stderr goes on where that is."""
    for stream in (1, 2):
        if os.path.samestat(os.fstat(stream), path.stat()):
            sys.stdout.flush()
            return os.fdopen(os.dup(stream), "wb")
    return path.open("wb")
