"""The contents of files, compressed or not, with a limit, because a small file can unpack to a large one."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from netplace.checks.inputs import input_file

MOST_UNPACKED = 1 << 30  # bytes to which a compressed file may unpack
_BLOCK = 1 << 20
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
    unpacked = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while part := file.read(_BLOCK):
                unpacked += part
                check_unpacked(path, len(unpacked))
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: is a broken gzip file, {error}") from None
    return bytes(unpacked)
