"""Trace files: one module per format."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from netplace.apps.collectives import Collectives
from netplace.apps.formats import (
    chakra,
    dimemas,
    dumpi,
    goal,
    insee,
    matrix,
    otf2,
    paraver,
    recording,
    simai,
    text,
    text_writing,
    tit,
)
from netplace.apps.formats.errors import FileError, TraceError
from netplace.apps.formats.goal_writing import goal_lines
from netplace.apps.formats.stream import head_of
from netplace.apps.formats.text_writing import UnresolvedError
from netplace.apps.formats.tit_writing import tit_lines
from netplace.apps.formats.writing import Options, write_lines
from netplace.apps.program import Program
from netplace.apps.recorded import (
    FOLD_FROM,
    Reading,
    Recorded,
    Trace,
    check_left_out,
    folded,
    is_longer,
    program_of,
    recorded,
    settled,
)
from netplace.apps.repeated import Repeated
from netplace.checks.calls import checked
from netplace.extensions import Choice

__all__ = [
    "FORMAT",
    "FORMATS",
    "Format",
    "Options",
    "check_convertible",
    "convert",
    "endings",
    "files_of",
    "format_of",
    "open_trace",
    "read",
    "read_repeated",
    "rewrite",
    "write",
]


@dataclass(frozen=True)
class Format:
    """A format of trace files.

    Attributes
    ----------
    suffix : str
        Ending of its files' names, before a possible ``.gz``.
    description : str
        What it is.
    recognises : callable
        ``recognises(path, head)`` tells by a file's name and first bytes, unpacked, whether it is of this
        format; `head` is empty for a folder.
    open : callable
        ``open(path, reading)`` returns the `Trace`; its calls are read later.
    write : callable or None
        ``write(program)`` returns the text; None if the format is read only.
    convert : callable or None
        ``convert(recorded, options)`` yields the lines of a whole trace; None: `write` writes its program.
    stream : callable or None
        ``stream(trace, options)`` yields the lines of a trace as its calls are read; None: by `convert`.
    files : callable or None
        ``files(path)`` returns the files of which a trace consists; None: the one at `path`.
    """

    suffix: str
    description: str
    recognises: Callable[[Path, bytes], bool]
    open: Callable[[Path, Reading], Trace]
    write: Callable[[Program], bytes] | None = None
    convert: Callable[[Recorded, Options], Iterator[str]] | None = None
    stream: Callable[[Trace, Options], Iterator[str]] | None = None
    files: Callable[[Path], list[Path]] | None = None


# In the order in which they are asked whether a file is theirs; the first one that says so reads it.
FORMATS: dict[str, Format] = {
    "chakra": Format(
        ".et",
        "Chakra execution traces of each NPU (read only)",
        chakra.recognises,
        chakra.open_chakra,
        files=chakra.files,
    ),
    "simai": Format(
        ".txt", "workloads of ASTRA-sim, SimAI and AICB (read only)", simai.recognises, simai.open_simai
    ),
    "dimemas": Format(".dim", "Dimemas' (read only)", dimemas.recognises, dimemas.open_dimemas),
    "otf2": Format(
        ".otf2", "OTF2, as Score-P writes it (read only)", otf2.recognises, otf2.open_otf2, files=otf2.files
    ),
    "dumpi": Format(
        ".meta",
        "DUMPI of SST, binary or as text (read only)",
        dumpi.recognises,
        dumpi.open_dumpi,
        files=dumpi.files,
    ),
    "paraver": Format(
        ".prv", "Paraver's, as Extrae writes it (read only)", paraver.recognises, paraver.open_paraver
    ),
    "goal": Format(
        ".goal", "GOAL, the schedules of LogGOPSim", goal.recognises, goal.open_goal, convert=goal_lines
    ),
    "matrix": Format(
        ".csv",
        "a traffic matrix: source, destination, bytes; or dense",
        matrix.recognises,
        matrix.open_matrix,
    ),
    "recording": Format(
        ".recording",
        "what netplace record writes: a folder with the calls of each rank (read only)",
        recording.recognises,
        recording.open_recording,
        files=recording.files,
    ),
    "text": Format(
        ".trace",
        "the project's own: MPI calls, computation, marks",
        text.recognises,
        text.open_text,
        text_writing.write,
        stream=text_writing.text_lines,
    ),
    "insee": Format(
        ".trc",
        "INSEE's: sends, receives, computation",
        insee.recognises,
        insee.open_insee,
        insee.write,
    ),
    "tit": Format(
        ".tit",
        "SimGrid's time-independent trace",
        tit.recognises,
        tit.open_tit,
        convert=tit_lines,
        files=tit.files,
    ),
}

FORMAT = Choice(
    what="trace format", known=FORMATS, group="netplace.formats", wrap=lambda found, name, description: found
)


def open_trace(path: str | Path, reading: Reading | None = None) -> Trace:
    """Open a trace in any of `FORMATS`; its calls are read as they are asked for.

    The format is told by what is in the file; if that is comments only, by its name.

    Raises
    ------
    ValueError
        If the file cannot be read or is no trace.
    """
    path = Path(path)
    return format_of(path).open(path, reading or Reading())


@checked
def read(
    path: str | Path,
    *,
    cycles_per_us: float = 0.0,
    tasks: int | None = None,
    flops: float = Reading.flops,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Program:
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
    flops : float
        Floating-point operations a second, where a format gives computation so.
    ignore : collection of str
        Operations that are left out instead of refused: keys of `netplace.apps.recorded.IGNORABLE`.
    collectives : Collectives, optional
        Chooses the algorithms of collectives that the trace names; ours by default.

    Raises
    ------
    ValueError
        If the file cannot be read or is no trace, naming file and line.
    """
    path = Path(path)
    with _about(path):
        trace = open_trace(path, Reading(flops, tasks))
        program = program_of(trace, _cycles(cycles_per_us), ignore, collectives)
        return _with_name(program, path)


@checked
def read_repeated(
    path: str | Path,
    *,
    cycles_per_us: float = 0.0,
    tasks: int | None = None,
    flops: float = Reading.flops,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
    fold_from: int = FOLD_FROM,
    progress: Callable[[int], None] | None = None,
) -> Repeated:
    """Read a program from a trace of any length: of a long one, what is done again and again is kept once.

    Written out, the program does what `read` returns; of a long trace it has no marks and sections.

    Parameters
    ----------
    path, cycles_per_us, tasks, flops, ignore, collectives
        As in `read`.
    fold_from : int
        Calls from which on a trace is long.
    progress : callable, optional
        Called with the number of bytes that were read since the last call.

    Raises
    ------
    ValueError
        As `read` does.
    """
    path = Path(path)
    with _about(path):
        trace = open_trace(path, Reading(flops, tasks, progress))
        asked = (_cycles(cycles_per_us), ignore, collectives)
        repeated = (
            folded(trace, *asked) if is_longer(trace, fold_from) else Repeated(program_of(trace, *asked))
        )
        return replace(repeated, program=_with_name(repeated.program, path))


def _cycles(cycles_per_us: float) -> float:
    if not 0 <= cycles_per_us < float("inf"):
        raise ValueError(f"cycles_per_us: {cycles_per_us} must be a number of at least 0")
    return cycles_per_us


def _with_name(program: Program, path: Path) -> Program:
    if not program.tasks:
        raise ValueError(f"{path}: is empty, expected a trace")
    return replace(program, name=_stem(path))


@contextmanager
def _about(path: Path) -> Iterator[None]:
    """Let errors begin with the name of the file."""
    try:
        yield
    except TraceError as error:
        raise FileError(f"{path}, {error}") from None
    except FileError:
        raise
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


@checked
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
    if chosen is None or chosen.write is None:
        writable = ", ".join(item.suffix for item in FORMATS.values() if item.write)
        raise ValueError(f"{path}: cannot tell the format to write, expected a name that ends in {writable}")
    _write_content(path, chosen.write(program))


def _write_content(path: Path, content: bytes) -> None:
    if path.suffix == ".gz":
        # Without a time in the header, equal programs make equal files.
        content = gzip.compress(content, mtime=0)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written, {error.strerror}") from None


def convert(
    whole: Recorded, path: str | Path, options: Options | None = None, chosen: Format | None = None
) -> None:
    """Write a whole trace to a file, in the format that its name ends in; gzip if ``.gz`` follows.

    Ours keeps collectives, recorded computation and marks; SimGrid's collectives of all ranks, computation in
    flops; GOAL and INSEE have messages alone. `chosen` is the format, if the name does not say it.

    Raises
    ------
    ValueError
        If no format that can be written has that ending, or the file cannot be written.
    """
    path, options = Path(path), options or Options()
    chosen = chosen or check_convertible(path)
    if chosen.stream is not None:
        write_lines(path, chosen.stream(whole.trace(), options))
    elif chosen.convert is not None:
        write_lines(path, chosen.convert(whole, options))
    elif chosen.write is not None:
        _write_content(path, chosen.write(whole.program(1000.0 / options.cycle_ns)))


def rewrite(
    open_again: Callable[[], Trace],
    path: Path,
    options: Options | None = None,
    chosen: Format | None = None,
    ignore: Collection[str] = (),
) -> Trace:
    """Write a trace in another format as it is read, and return it.

    It is held in memory as a whole only if it must be: for other formats than ours, if its calls come in no
    order, or if receives from any source must look for their messages.

    Parameters
    ----------
    open_again : callable
        Opens the trace from its begin.
    path, options, chosen
        As in `convert`.
    ignore : collection of str
        Operations that are left out instead of refused: keys of `netplace.apps.recorded.IGNORABLE`.

    Raises
    ------
    ValueError
        As `convert`; if the trace cannot be read, or holds what cannot be replayed.
    """
    chosen, trace = chosen or check_convertible(path), open_again()
    if chosen.stream is not None and trace.sorted:
        with suppress(UnresolvedError):
            write_lines(path, chosen.stream(settled(trace), options or Options()))
            check_left_out(trace.left_out, ignore)
            return trace
        trace = open_again()
    convert(recorded(trace, ignore), path, options, chosen)
    return trace


def check_convertible(path: Path) -> Format:
    """Return the format in which a whole trace is written to a file of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    chosen = _named(path)
    if chosen is None or not (chosen.stream or chosen.convert or chosen.write):
        writable = ", ".join(item.suffix for item in _all() if item.stream or item.write or item.convert)
        raise ValueError(f"{path}: cannot tell the format to write, expected a name that ends in {writable}")
    return chosen


def format_of(path: Path) -> Format:
    """Return the format of a file or folder, told by what is in it, else by its name.

    Raises
    ------
    ValueError
        If it cannot be read.
    """
    head = b"" if path.is_dir() else head_of(path)
    for item in _all():
        if item.recognises(path, head):
            return item
    if path.is_dir():
        raise ValueError(f"{path}: cannot be read, Is a directory, and no trace is in it")
    return _named(path) or FORMATS["text"]


def files_of(path: Path) -> list[Path]:
    """Return the files of which the trace at `path` consists, in order.

    Raises
    ------
    ValueError
        If it cannot be read.
    """
    chosen = format_of(path)
    return [path] if chosen.files is None else chosen.files(path)


def endings() -> tuple[str, ...]:
    """Return the endings of the names of trace files, before a possible ``.gz``."""
    return tuple(item.suffix for item in _all())


def _all() -> list[Format]:
    """Return the formats, those that packages offer before the project's own."""
    offered = [entry for _, entry in FORMAT.offered() if isinstance(entry, Format)]
    return [*offered, *FORMATS.values()]


def _named(path: Path) -> Format | None:
    name = path.name.lower().removesuffix(".gz")
    return next((item for item in _all() if name.endswith(item.suffix)), None)


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return next((name.removesuffix(ending) for ending in endings() if name.endswith(ending)), name)
