"""The contents of files, compressed or not, with a limit, because a small file can unpack to a large one."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

from netplace.checks.inputs import input_file
from netplace.checks.memory import available

READ_LIMIT = "NETPLACE_READ_LIMIT"  # the variable of the environment that raises the bound
MEMORY_LIMIT = "NETPLACE_MEMORY_LIMIT"  # the same for what may be built in memory
INPUT_COPIES = "NETPLACE_INPUT_COPIES"  # the same for copies of input files beside an outcome
_DEFAULT = 256 << 20
_DEFAULT_COPIES = 64 << 20
_DEFAULT_MEMORY = 4 << 30
_GZIP = b"\x1f\x8b"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def read_limit(text: str | None = None, what: str = READ_LIMIT) -> int:
    """Return how many bytes a compressed file may unpack to: `text`, such as ``"2G"``, or the usual limit.

    That is the environment variable `READ_LIMIT`, or 256 MiB; `what` names `text` in errors.
    """
    said = os.environ.get(READ_LIMIT) if text is None else text
    return _DEFAULT if said is None else _size(said, what)


def memory_limit(text: str | None = None, what: str = MEMORY_LIMIT) -> int:
    """Return how many bytes one object may take in memory: `text`, such as ``"2G"``, or the usual limit.

    That is the environment variable `MEMORY_LIMIT`, or the smaller of 4 GiB and three quarters of the memory;
    `what` names `text` in errors.
    """
    said = os.environ.get(MEMORY_LIMIT) if text is None else text
    return min(_DEFAULT_MEMORY, available() * 3 // 4) if said is None else _size(said, what)


def input_copies(text: str | None = None, what: str = INPUT_COPIES) -> int:
    """Return the size in bytes up to which inputs are copied into an outcome's folder; 0: none is."""
    said = os.environ.get(INPUT_COPIES) if text is None else text
    return _DEFAULT_COPIES if said is None else _size(said, what)


def _size(said: str, what: str) -> int:
    match = re.fullmatch(r"(\d{1,15})([KMGT]?)(i?B)?", said.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(f"{what}: {said[:40]!r} is not a number of bytes such as 500M or 4G")
    return int(match[1]) * _UNITS[match[2].upper()]


def check_unpacked(path: Path, size: int) -> None:
    """Check that a file can unpack to so many bytes: no more than `read_limit`."""
    if size > read_limit():
        raise ValueError(
            f"{path}: unpacks to more than {read_limit():,} bytes; if you trust the file, raise the limit "
            f"with netplace --read-limit, or {READ_LIMIT} in the environment"
        )


def is_packed(content: bytes) -> bool:
    """Return whether the contents of a file begin like a gzip file."""
    return content.startswith(_GZIP)


def read_content(path: Path) -> bytes:
    """Return the contents of a file, unpacked, within `read_limit`, if it is a gzip file."""
    content = input_file(path).read_bytes()
    return _unpacked(path, content) if is_packed(content) else content


def _unpacked(path: Path, content: bytes) -> bytes:
    """Return all members of a gzip file, one after the other."""
    parts: list[bytes] = []
    size, limit, rest = 0, read_limit(), content
    while rest:
        unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            parts.append(unpack.decompress(rest, limit - size + 1))
        except zlib.error as error:
            raise ValueError(f"{path}: is a broken gzip file, {error}") from None
        size += len(parts[-1])
        check_unpacked(path, size)
        if not unpack.eof:
            raise ValueError(f"{path}: is a broken gzip file, the end is missing")
        rest = unpack.unused_data.lstrip(b"\0")  # zeros may follow, as tapes have them
        if rest and not is_packed(rest):
            raise ValueError(f"{path}: is a broken gzip file, other data follow the compressed data")
    return b"".join(parts)
