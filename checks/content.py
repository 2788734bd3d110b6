"""The contents of files, compressed or not, with a limit, because a small file can unpack to a large one."""

from __future__ import annotations

import zlib
from pathlib import Path

from netplace.checks.inputs import input_file

MOST_UNPACKED = 1 << 30  # bytes to which a compressed file may unpack
_GZIP = b"\x1f\x8b"


def check_unpacked(path: Path, size: int) -> None:
    """Check that a file may unpack to so many bytes."""
    if size > MOST_UNPACKED:
        raise ValueError(f"{path}: unpacks to more than {MOST_UNPACKED:,} bytes, expected an unpacked file")


def is_packed(content: bytes) -> bool:
    """Return whether the contents of a file begin like a gzip file."""
    return content.startswith(_GZIP)


def read_content(path: Path) -> bytes:
    """Return the contents of a file, unpacked, within `MOST_UNPACKED`, if it is a gzip file."""
    content = input_file(path).read_bytes()
    return _unpacked(path, content) if is_packed(content) else content


def _unpacked(path: Path, content: bytes) -> bytes:
    """Return all members of a gzip file, one after the other."""
    parts: list[bytes] = []
    size, rest = 0, content
    while rest:
        unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            parts.append(unpack.decompress(rest, MOST_UNPACKED - size + 1))
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
