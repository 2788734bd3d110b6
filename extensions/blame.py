"""Whose fault an exception is: the project's, or that of a rule of one's own."""

from __future__ import annotations

import traceback
from pathlib import Path

from netplace.extensions.place import loaded_files

__all__ = ["blamed"]


def blamed(error: BaseException) -> str | None:
    """Return one sentence on an exception that came out of a rule of one's own, None for any other.

    It names the file and the last line in it that was being carried out.
    """
    files = loaded_files()
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not lines:
        return None
    last = lines[-1]
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{Path(last.filename).name}, line {last.lineno}: raised {reason}"
