"""Pipes that a shell opens, as for ``<(command)``, which can be read only once.

Formats are detected by their first bytes and then read, so the contents of a pipe are saved first.
"""

from __future__ import annotations

import os
import re
import select
import stat
import tempfile
from pathlib import Path

from netplace.checks import content

_PATIENCE = 20.0  # seconds without a byte
_BLOCK = 1 << 16
_OPEN_ALREADY = re.compile(r"/(?:dev|proc/self)/(?:fd/(\d{1,6})|stdin)", re.ASCII)


def keep_pipe(path: str | Path) -> None:
    """Copy the contents of a pipe that the shell opened into a file; leave other files unchanged."""
    match = _OPEN_ALREADY.fullmatch(str(path))
    if match is None:
        return
    number = int(match[1] or 0)
    try:
        if not stat.S_ISFIFO(os.fstat(number).st_mode):
            return
    except OSError:
        return
    with tempfile.TemporaryFile() as file:
        while part := _read(number, path):
            file.write(part)
            if file.tell() > content.MOST_UNPACKED:
                raise ValueError(
                    f"{path}: this pipe delivers more than {content.MOST_UNPACKED:,} bytes, expected a file"
                )
        file.seek(0)
        os.dup2(file.fileno(), number)


def _read(number: int, path: str | Path) -> bytes:
    """Return what comes next; nothing at the end."""
    if not select.select([number], [], [], _PATIENCE)[0]:
        raise ValueError(f"{path}: this pipe delivered nothing for {_PATIENCE:.0f} s, expected a file")
    return os.read(number, _BLOCK)
