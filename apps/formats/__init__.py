"""Trace files: one module per format."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from netplace.apps.formats import dimemas, insee, text
from netplace.apps.formats.errors import TraceError
from netplace.apps.program import Program
from netplace.checks import read_content

__all__ = ["FORMATS", "Format", "read", "write"]


@dataclass(frozen=True)
class Format:
    """A format of trace files.

    Attributes
    ----------
    suffix : str
        Ending of its files' names, before a possible ``.gz``.
    description : str
        What it is.
    read : callable
        ``read(text, cycles_per_us, tasks)`` returns a `Program`.
    write : callable or None
        ``write(program)`` returns the text; None if the format is read only.
    """

    suffix: str
    description: str
    read: Callable[[bytes, float, int | None], Program]
    write: Callable[[Program], bytes] | None


FORMATS: dict[str, Format] = {
    "text": Format(".trace", "the project's own: MPI calls, computation, marks", text.read, text.write),
    "insee": Format(".trc", "INSEE's: sends, receives, computation", insee.read, insee.write),
    "dimemas": Format(".dim", "Dimemas' (read only)", dimemas.read, None),
}


def read(path: str | Path, *, cycles_per_us: float = 0.0, tasks: int | None = None) -> Program:
    """Read a program from a trace file, plain or gzip, in any of `FORMATS`.

    The format is told by what is in the file; if that is comments only, by its name. Whether the program
    can run is for `Program.check` to say.

    Parameters
    ----------
    path : str or Path
        The file.
    cycles_per_us : float
        Cycles in a microsecond: turns recorded computation times into cycles. 0: they are dropped.
    tasks : int, optional
        Number of tasks, if some say nothing in the file; by default the file tells.

    Raises
    ------
    ValueError
        If the file cannot be read or is no trace, naming file and line.
    """
    path = Path(path)
    if not 0 <= cycles_per_us < float("inf"):
        raise ValueError(f"cycles_per_us: {cycles_per_us} must be a number of at least 0")
    content = _content(path)
    try:
        program = FORMATS[_format_of(path, content)].read(content, cycles_per_us, tasks)
    except TraceError as error:
        raise ValueError(f"{path}, {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not program.tasks:
        raise ValueError(f"{path}: is empty, expected a trace")
    return replace(program, name=_stem(path))


def write(program: Program, path: str | Path) -> None:
    """Write a program to a file, in the format that its name ends in; gzip if ``.gz`` follows.

    The text format keeps all of a program; see `netplace.apps.formats.insee` for what that one loses.

    Raises
    ------
    ValueError
        If no format that can be written has that ending, or the file cannot be written.
    """
    path = Path(path)
    chosen = _named(path)
    if chosen is None or FORMATS[chosen].write is None:
        endings = ", ".join(item.suffix for item in FORMATS.values() if item.write)
        raise ValueError(f"{path}: cannot tell the format to write, expected a name that ends in {endings}")
    writer = FORMATS[chosen].write
    assert writer is not None
    content = writer(program)
    if path.suffix == ".gz":
        # Without a time in the header, equal programs make equal files.
        content = gzip.compress(content, mtime=0)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written, {error.strerror}") from None


def _content(path: Path) -> bytes:
    try:
        return read_content(path)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None


def _format_of(path: Path, content: bytes) -> str:
    """Return the key of the format of a file, told by its first words, else by its name."""
    if content.startswith(b"#DIMEMAS"):
        return "dimemas"
    start = 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        words = content[start:end].split(maxsplit=1)
        if words and not words[0].startswith(b"#"):
            return "insee" if words[0] in (b"s", b"r", b"c") else "text"
        start = end + 1
    return _named(path) or "text"


def _named(path: Path) -> str | None:
    name = path.name.lower().removesuffix(".gz")
    return next((key for key, item in FORMATS.items() if name.endswith(item.suffix)), None)


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return next(
        (name.removesuffix(item.suffix) for item in FORMATS.values() if name.endswith(item.suffix)), name
    )
