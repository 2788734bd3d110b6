"""The traces that are part of the project (see `traces/README.md` for their origin)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "traces"
_SUFFIX = ".trace.gz"


def bundled_traces() -> list[str]:
    """Return the names of the traces that come with netplace, such as ``"LU.A.64"``."""
    return list(_names(_FOLDER))


@cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}")))


def is_bundled_trace(path: Path) -> bool:
    """Return whether a trace file is one of those that come with the project."""
    return path.resolve().parent == _FOLDER.resolve()


def bundled_trace(name: str) -> Path | None:
    """Return the file of a trace that comes with netplace; None if no trace has that name.

    Names are case-insensitive, and extensions are optional: ``"lu.a.64"``, ``"LU.A.64.trace"``.
    """
    wanted = name.lower().removesuffix(".gz").removesuffix(".trace")
    for known in bundled_traces():
        if known.lower() == wanted:
            return _FOLDER / f"{known}{_SUFFIX}"
    return None
