"""Input of trace files in any format, as calls or as a program."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from netplace.apps.bundled import is_bundled_trace
from netplace.apps.collectives import Collectives
from netplace.apps.formats.catalog import FORMATS, Format, all_formats, format_of, named_format, stem_of
from netplace.apps.formats.stream import FileError, TraceError
from netplace.apps.formats.writing import Options, left_out_lines, write_lines
from netplace.apps.program import Program, Repeated
from netplace.apps.recorded import (
    FOLD_FROM,
    Call,
    Reading,
    Recorded,
    Trace,
    UnresolvedError,
    check_left_out,
    folded,
    is_longer,
    program_of,
    recorded,
    settled,
)
from netplace.apps.recorded.wildcards import is_by_length
from netplace.files import write_atomically


def open_trace(path: str | Path, reading: Reading | None = None) -> Trace:
    """Open a trace in any of `FORMATS`; its calls are read as they are requested.

    The contents of the file determine the format; if the file contains only comments, its name does.
    """
    path, reading = Path(path), reading or Reading()
    with _about(path):
        chosen = format_of(path)
        if reading.trc_ns and chosen is not FORMATS["insee"]:
            raise ValueError("trc_ns: applies only to .trc files")
        return chosen.open(path, reading)


def read(
    path: str | Path,
    *,
    cycles_per_us: float = 0.0,
    tasks: int | None = None,
    flops: float = Reading.flops,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
    trc_ns: float = 0.0,
) -> Program:
    """Read a program from a trace file in any of `FORMATS`, which can be compressed with gzip.

    The contents of the file determine the format; if the file contains only comments, its name does.
    `Program.check` checks whether the program can run.

    Parameters
    ----------
    cycles_per_us : float
        Cycles per microsecond, used to convert recorded computation times to cycles; 0 omits them.
    tasks : int, optional
        Number of tasks, if some tasks have no lines in the file; by default, the number of tasks in the file.
    flops : float
        Floating-point operations per second, for formats that give computation in such operations.
    ignore : collection of str
        Operations to omit instead of raising an error: keys of `netplace.apps.recorded.IGNORABLE`.
    collectives : Collectives, optional
        Algorithms for the collectives of the trace; by default, the built-in choice.
    trc_ns : float
        Nanoseconds per cycle, for a ``.trc`` file with computation in nanoseconds; 0 means that it is in
        cycles.
    """
    path = Path(path)
    _check_cycles(cycles_per_us)
    with _about(path):
        trace = open_trace(path, Reading(flops, tasks, trc_ns=trc_ns))
        return _with_name(program_of(trace, cycles_per_us, ignore, collectives), path)


def read_repeated(
    path: str | Path,
    *,
    cycles_per_us: float = 0.0,
    tasks: int | None = None,
    flops: float = Reading.flops,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
    trc_ns: float = 0.0,
    fold_from: int = FOLD_FROM,
    progress: Callable[[int], None] | None = None,
) -> Repeated:
    """Read a program from a trace of any length; repeated iterations of a long trace are stored only once.

    With its repetitions, the program equals the one that `read` returns, except that the program of a long
    trace has no marks or sections. The other parameters are those of `read`.

    Parameters
    ----------
    fold_from : int
        Number of calls above which a trace counts as long.
    progress : callable, optional
        Function that is called with the number of bytes read since the last call.
    """
    path = Path(path)
    _check_cycles(cycles_per_us)
    settings = (cycles_per_us, ignore, collectives)
    with _about(path):
        trace = open_trace(path, Reading(flops, tasks, progress, trc_ns=trc_ns))
        long = is_longer(trace, fold_from)
        repeated = folded(trace, *settings) if long else Repeated(program_of(trace, *settings))
        return replace(repeated, program=_with_name(repeated.program, path))


def _check_cycles(cycles_per_us: float) -> None:
    if not 0 <= cycles_per_us < float("inf"):
        raise ValueError(f"cycles_per_us: {cycles_per_us} must be a number of at least 0")


def _with_name(program: Program, path: Path) -> Program:
    if not program.tasks:
        raise ValueError(f"{path}: is empty, expected a trace")
    # The cycle counts of published studies come out with the bundled traces, as their sends were simulated.
    return replace(
        program, name=stem_of(path), interleaved=program.interleaved and not is_bundled_trace(path)
    )


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


def write(program: Program, path: str | Path) -> None:
    """Write a program to a file; its suffix determines the format, and ``.gz`` compresses the file.

    The text format keeps all of a program; `netplace.apps.formats.insee` describes what the INSEE format
    loses.
    """
    path = Path(path)
    chosen = named_format(path)
    if chosen is None or chosen.write is None:
        writable = ", ".join(item.suffix for item in FORMATS.values() if item.write)
        raise ValueError(f"{path}: unknown output format, expected a name that ends in {writable}")
    _write_content(path, chosen.write(program))


def _write_content(path: Path, content: bytes) -> None:
    if path.suffix == ".gz":
        # Without a time in the header, equal programs make equal files.
        content = gzip.compress(content, mtime=0)
    try:
        write_atomically(path, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"{path}: cannot be written, {error.strerror}") from None


def convert(
    whole: Recorded, path: str | Path, options: Options | None = None, chosen: Format | None = None
) -> list[str]:
    """Write a whole trace to a file, and return messages about what the file format cannot represent.

    The suffix of the name determines the format, and ``.gz`` compresses the file. `chosen` is the format if
    the name has no suffix. A run of the written file takes the same number of cycles, except for the reported
    differences. netplace's own format keeps collectives, recorded computation and marks. SimGrid's format
    keeps collectives of all ranks and computation in flops. GOAL and INSEE support only messages.
    """
    path, options = Path(path), options or Options()
    chosen = chosen or check_convertible(path)
    comments = left_out_lines(whole.left_out, chosen.comment)
    if chosen.stream is not None:
        write_lines(path, chain(chosen.stream(whole.trace(), options), comments))
    elif chosen.convert is not None:
        if whole.by_length and is_by_length(whole.calls):
            raise ValueError(
                f"{path}: the lengths of some receives are in a different order from those of their sends, "
                f"and the format matches messages in order; expected a name that ends in .trc or .trace"
            )
        write_lines(path, chain(chosen.convert(whole, options), comments))
    elif chosen.write is not None:
        content = chosen.write(whole.program(1000.0 / options.cycle_ns * options.compute))
        _write_content(path, content + "".join(f"{line}\n" for line in comments).encode())
    return [] if chosen.stream is not None else list(_lost(whole, chosen, options))


def _lost(whole: Recorded, chosen: Format, options: Options) -> Iterator[str]:
    """Yield a sentence for each part of a trace that a format other than ours cannot represent."""
    calls = whole.calls
    seconds, cycles = calls["gap"].sum(), int(calls["size"][calls["kind"] == Call.COMPUTE].sum())
    if chosen.computation == "program" and seconds and not options.compute:
        yield (
            f"{seconds:g} s of recorded computation are omitted, because computation in {chosen.suffix} "
            f"always counts; --compute recorded writes them"
        )
    if chosen.computation == "recorded" and cycles:
        yield (
            f"{cycles} cycles of computation become recorded computation in {chosen.suffix}, which counts "
            f"only with --compute recorded"
        )
    if (calls["kind"] == Call.MARK).any():
        yield f"marks of iterations and sections are omitted, because {chosen.suffix} has none"
    if (calls["kind"] == Call.COLLECTIVE).any() and chosen.suffix != FORMATS["tit"].suffix:
        yield "collectives are written as messages of the built-in algorithms"


def rewrite(
    open_again: Callable[[], Trace],
    path: Path,
    options: Options | None = None,
    chosen: Format | None = None,
    ignore: Collection[str] = (),
) -> Trace:
    """Write a trace in another format while it is being read, and return the trace.

    `open_again` opens the trace from its beginning; the other parameters are those of `convert` and
    `netplace.apps.formats.read`. The whole trace is held in memory only if necessary: for formats other than
    netplace's own, if its calls are not in order, or if messages must be found for receives from any source.
    """
    chosen, trace = chosen or check_convertible(path), open_again()
    if chosen.stream is not None and trace.sorted:
        with suppress(UnresolvedError):
            lines = chosen.stream(settled(trace), options or Options())
            write_lines(path, chain(lines, _left_out(trace, chosen, ignore)))
            return trace
        trace = open_again()
    trace.notes += convert(recorded(trace, ignore), path, options, chosen)
    return trace


def _left_out(trace: Trace, chosen: Format, ignore: Collection[str]) -> Iterator[str]:
    """Yield the comment on omitted calls, which is known at the end of the trace; or refuse them."""
    check_left_out(trace.left_out, ignore)
    yield from left_out_lines(trace.left_out, chosen.comment)


def check_convertible(path: Path) -> Format:
    """Return the format in which a whole trace is written to a file with this name."""
    chosen = named_format(path)
    if chosen is None or not (chosen.stream or chosen.convert or chosen.write):
        writable = ", ".join(
            item.suffix for item in all_formats() if item.stream or item.write or item.convert
        )
        raise ValueError(f"{path}: unknown output format, expected a name that ends in {writable}")
    return chosen
