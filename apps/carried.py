"""The traces that come with the project (`traces/README.md` says where they are from)."""

from __future__ import annotations

from pathlib import Path

from netplace.checks.calls import checked

__all__ = ["carried", "carried_names"]

_FOLDER = Path(__file__).parent / "traces"
_SUFFIX = ".trace.gz"


def carried_names() -> list[str]:
    """Return the names of the traces that come with the project, such as ``"LU.A.64"``."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in _FOLDER.glob(f"*{_SUFFIX}"))


@checked
def carried(name: str) -> Path | None:
    """Return the file of a trace that comes with the project; None if there is none of that name.

    Upper and lower case are the same, and the extensions may be left out: ``"lu.a.64"``, ``"LU.A.64.trace"``.
    """
    wanted = name.lower().removesuffix(".gz").removesuffix(".trace")
    for known in carried_names():
        if known.lower() == wanted:
            return _FOLDER / f"{known}{_SUFFIX}"
    return None
