"""Input of trace files in any format, as calls or as a program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from netplace.apps.carried import is_carried
from netplace.apps.collectives import Collectives
from netplace.apps.formats.catalog import FORMATS, format_of, stem_of
from netplace.apps.formats.stream import FileError, TraceError
from netplace.apps.program import Program
from netplace.apps.recorded import FOLD_FROM, Reading, Trace, folded, is_longer, program_of
from netplace.apps.repeated import Repeated
from netplace.checks.calls import checked


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


@checked
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


@checked
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
    asked = (cycles_per_us, ignore, collectives)
    with _about(path):
        trace = open_trace(path, Reading(flops, tasks, progress, trc_ns=trc_ns))
        long = is_longer(trace, fold_from)
        repeated = folded(trace, *asked) if long else Repeated(program_of(trace, *asked))
        return replace(repeated, program=_with_name(repeated.program, path))


def _check_cycles(cycles_per_us: float) -> None:
    if not 0 <= cycles_per_us < float("inf"):
        raise ValueError(f"cycles_per_us: {cycles_per_us} must be a number of at least 0")


def _with_name(program: Program, path: Path) -> Program:
    if not program.tasks:
        raise ValueError(f"{path}: is empty, expected a trace")
    # The cycle counts of published studies come out with the carried traces, as their sends were simulated.
    return replace(program, name=stem_of(path), interleaved=program.interleaved and not is_carried(path))


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
