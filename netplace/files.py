"""Files of users: read within limits and without waiting forever, and written atomically.

Every output appears completely or not at all, and only under the given name. A file is written as a draft in
a new private folder next to it, and replaces at the end what has its name: a link is replaced too, and not
followed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, BinaryIO

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
    """Return the text of a file, which may be compressed."""
    try:
        return decoded(read_content(Path(path)))
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


MOST_UNPACKED = 1 << 30  # bytes to which a compressed file may unpack
_BLOCK = 1 << 20
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"(\xb5/\xfd": "zstd"}
_MAGIC = 6  # bytes of the longest
BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)  # and OSError without a number


def check_unpacked(path: Path, size: int) -> None:
    """Check that a file may unpack to so many bytes."""
    if size > MOST_UNPACKED:
        raise ValueError(f"{path}: unpacks to more than {MOST_UNPACKED:,} bytes, expected an unpacked file")


def packed_as(content: bytes) -> str:
    """Return how the contents of a file are compressed, such as ``"gzip"``; empty if they are not."""
    return next((name for magic, name in _PACKED.items() if content.startswith(magic)), "")


def unpacked(file: BinaryIO) -> IO[bytes]:
    """Return the unpacked contents of a file as a stream; the file itself if it is not compressed."""
    file.seek(0)
    kind = packed_as(file.read(_MAGIC))
    file.seek(0)
    if kind == "zstd":
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), kind)  # type: ignore[no-any-return]
    if kind == "bzip2":
        return bz2.BZ2File(file)
    if kind == "xz":
        return lzma.LZMAFile(file)
    return gzip.GzipFile(fileobj=file) if kind else file  # type: ignore[return-value]


def read_content(path: Path) -> bytes:
    """Return the contents of a file, unpacked, within `MOST_UNPACKED`, if it is compressed."""
    content = input_file(path).read_bytes()
    if not (kind := packed_as(content)):
        return content
    whole = bytearray()
    try:
        with unpacked(io.BytesIO(content)) as file:
            while part := file.read(_BLOCK):
                whole += part
                check_unpacked(path, len(whole))
    except (OSError, *BROKEN) as error:
        raise ValueError(f"{path}: is a broken {kind} file, {error}") from None
    return bytes(whole)


_DECLARED = re.compile(rb"""<\?xml[^>]{0,80}encoding=["']([A-Za-z0-9._-]{1,20})["']""")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, what its byte order mark or XML declaration says; lines end in LF.

    Raises UnicodeDecodeError if it is no text.
    """
    declared = _DECLARED.match(content)
    code = "utf-16" if content.startswith(_UTF_16) else declared[1].decode() if declared else "utf-8-sig"
    try:
        text = content.decode("utf-8-sig" if code.lower() == "utf-8" else code)
    except LookupError:
        text = content.decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parsed_toml(content: bytes, where: str) -> tuple[str, dict[str, Any]]:
    """Return the text and the contents of a TOML file."""
    import tomllib

    try:
        text = content.decode("utf-8")
        return text, tomllib.loads(text)
    except ValueError as error:  # of TOML, of UTF-8, and of numbers with thousands of digits
        raise ValueError(f"{where}: is not TOML, {error}") from None
    except RecursionError:
        raise ValueError(f"{where}: is not accepted as TOML: its lists are nested too deeply") from None


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
