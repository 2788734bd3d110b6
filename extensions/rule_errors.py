"""The origin of an exception: netplace or a user's rule."""

from __future__ import annotations

import traceback
from pathlib import Path

from netplace.extensions.place import loaded_files

__all__ = ["describe_rule_error"]


def describe_rule_error(error: BaseException) -> str | None:
    """Return a sentence about an exception that a user's rule raised, or None for any other exception.

    The sentence names the file, and the last line of the file that ran.
    """
    files = loaded_files()
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not lines:
        return None
    last = lines[-1]
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{Path(last.filename).name}, line {last.lineno}: raised {reason}"
