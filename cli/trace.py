"""``netplace trace``: the contents of a trace of any format."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import COUNT, REAL, flag, flags
from netplace.cli.program_flags import COMPUTE
from netplace.cli.settings import json_flag
from netplace.inputs import check_float, check_int, check_ranges
from netplace.report.files.outputs import check_output
from netplace.report.terminal.progress import bytes_read
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.apps.formats import Format, Options
    from netplace.apps.recorded import Reading, Recorded, Summary, Trace


_MOST_RANKS = (1 << 22) - 1


@click.group("trace", epilog=examples_of("trace"))
def trace_command() -> None:
    """Inspect, convert or cut a trace of any format; see netplace list formats."""


_reading_flags = flags(
    flag("--flops", "Floating-point operations per second, for traces that count them.", REAL, 1e9),
    flag("--tasks", "Number of ranks of a trace, if some have no calls in it.", COUNT),
)


@trace_command.command("info", cls=FilesCommand)
@click.argument("file")
@_reading_flags
@json_flag
def info(file: str, as_json: bool, **given: Any) -> None:
    """Count the messages by pair of ranks, the collectives and the computation of a trace.

    FILE is a trace, or a folder or a list of files that form a trace. The command reads it once, part by
    part.
    """
    from netplace.apps.formats import open_trace
    from netplace.apps.recorded import summary_of
    from netplace.runs.programs import trace_path

    path = trace_path(file)
    with _reading(path, given) as reading:
        summary = summary_of(open_trace(path, reading))
    if not summary.trace.ranks:
        raise ValueError(f"{path}: is empty, expected a trace")
    if as_json:
        print_json(summary.as_data())
        return
    _show(str(path), summary)


_writing_flags = flags(
    flag(
        "-o output",
        "Trace to write: .trace, .tit, .goal or .trc, also with .gz.",
        metavar="FILE",
        required=True,
    ),
    flag(
        "--ignore",
        "Skip calls of a trace that cannot be replayed: a list of one-sided, io, partitioned, spawned, "
        "other.",
        metavar="KINDS",
    ),
    flag("--cycle-ns", "Length of a cycle, for computation in cycles.", REAL, 3.2),
    flag(
        "--compute",
        "Computation in .trc: recorded, or a factor for the recorded times. [default: 0]",
        COMPUTE,
    ),
)


@trace_command.command("convert", cls=FilesCommand)
@click.argument("file")
@_writing_flags
@_reading_flags
def convert(file: str, **given: Any) -> None:
    """Write a trace in another format.

    The ending selects the format: .trace (netplace) keeps collectives, computation and marks; .tit
    (SimGrid) keeps collectives of all ranks, and computation in flops; .goal and .trc (INSEE) keep only
    messages and computation.
    """
    from netplace.apps.formats import open_trace, rewrite

    request = _asked(file, given)
    with _reading(request.path, given, in_order=True) as reading, _named(request.path):
        again = partial(open_trace, request.path, reading)
        trace = rewrite(again, request.output, request.options, request.chosen, request.ignore)
    _tell(trace)


@trace_command.command("cut", cls=FilesCommand)
@click.argument("file")
@_writing_flags
@_reading_flags
@flag("--from begin", "Start of the window, in seconds since the first call. [default: 0]", REAL)
@flag("--to end", "End of the window, in seconds since the first call. [default: the end of the trace]", REAL)
@flag("--iterations", "Keep only the marked iterations A to B.", metavar="A:B")
@flag("--ranks", "Keep only these ranks, such as 0-7,12, and number them from 0.", metavar="LIST")
def cut(file: str, begin: float | None, end: float | None, **given: Any) -> None:
    """Write a part of a trace: a time window, iterations, or some ranks.

    Messages and collectives that are partly outside are omitted and counted. If the format has no clock, the
    time of a call is the preceding computation time of its rank.
    """
    from netplace.apps.formats import convert as write

    if begin is not None and end is not None and end <= begin:
        raise ValueError(f"--to: {end:g} is not after --from {begin:g}")
    window = None
    if begin is not None or end is not None:
        window = begin or 0.0, float("inf") if end is None else end
    iterations = _iterations(given["iterations"]) if given["iterations"] else None
    ranks = [*chain(*check_ranges(given["ranks"], "--ranks", _MOST_RANKS))] if given["ranks"] else None
    request = _asked(file, given)
    with _named(request.path):
        trace, whole = _part(request, given, window, iterations, ranks)
    trace.notes += write(whole, request.output, request.options, request.chosen)
    _tell(trace, whole.lost)


def _part(
    request: _Asked,
    given: dict[str, Any],
    window: tuple[float, float] | None,
    iterations: tuple[int, int] | None,
    ranks: list[int] | None,
) -> tuple[Trace, Recorded]:
    """Return a part of a trace, which is held as a whole only if it must be."""
    from netplace.apps.formats import open_trace
    from netplace.apps.recorded import Iterations, UnresolvedError, Window, first_call, part_of, recorded
    from netplace.apps.recorded import cut as cut_out

    part: Window | Iterations | None = None
    if window is not None:
        with _reading(request.path, given) as reading:
            part = Window(*window, first_call(open_trace(request.path, reading), ranks))
    elif iterations is not None:
        part = Iterations(*iterations)
    if part is not None:
        with suppress(UnresolvedError), _reading(request.path, given, in_order=True) as reading:
            trace = open_trace(request.path, reading)
            if trace.sorted:
                whole = cut_out(trace, part, request.ignore, ranks)
                if window is not None and iterations is not None:
                    whole = part_of(whole, Iterations(*iterations))
                return trace, whole
    with _reading(request.path, given, in_order=True) as reading:
        trace = open_trace(request.path, reading)
        whole = recorded(trace, request.ignore, ranks)
    if window is not None:
        whole = part_of(whole, Window(*window, first_call(whole.trace())))
    return trace, whole if iterations is None else part_of(whole, Iterations(*iterations))


def _iterations(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    begin = check_int(first, "--iterations", 0)
    return begin, check_int(last or first, "--iterations", begin)


@dataclass(frozen=True)
class _Asked:
    path: Path
    output: Path
    chosen: Format
    options: Options
    ignore: Collection[str]


def _asked(file: str, given: dict[str, Any]) -> _Asked:
    from netplace.apps.formats import Options, check_convertible
    from netplace.runs.programs import trace_options, trace_path

    output = check_output(Path(given["output"]))
    chosen = check_convertible(output)
    cycle_ns = check_float(given["cycle_ns"], "--cycle-ns", 1e-6)
    ignore = trace_options({"ignore": given["ignore"]} if given["ignore"] else {}, file).get("ignore", ())
    if given["compute"] is not None and chosen.computation != "program":
        raise ValueError(
            f"--compute: {chosen.suffix} always keeps recorded computation, expected an output in .trc"
        )
    compute = check_float(given["compute"] or 0.0, "--compute")
    return _Asked(trace_path(file), output, chosen, Options(given["flops"], cycle_ns, compute), ignore)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let errors about what is in a file begin with its name."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error) if str(path) in str(error) else f"{path}: {error}") from None


def _tell(trace: Trace, lost: int = 0) -> None:
    """Say what was omitted, and what the format cannot say."""
    notes = [*trace.notes]
    if trace.left_out:
        listed = ", ".join(f"{number} {name}" for name, number in sorted(trace.left_out.items()))
        notes.append(f"left out: {listed}")
    if lost:
        notes.append(f"left out: {lost} messages and collectives that are partly outside")
    for note in notes:
        click.echo(f"netplace: {note}", err=True)


@contextmanager
def _reading(path: Any, given: dict[str, Any], in_order: bool = False) -> Iterator[Reading]:
    """Yield how a trace is read, with a bar on stderr if that is a terminal."""
    from netplace.apps.recorded import Reading

    flops = check_float(given["flops"], "--flops")
    if not flops:
        raise ValueError("--flops: 0 is too small, expected more than 0")
    with bytes_read([path]) as advance:
        yield Reading(flops, given["tasks"], advance, in_order)


def _show(name: str, summary: Summary) -> None:
    facts = summary.as_data()
    pairs = summary.pairs()
    rows = [
        ["ranks", number(facts["ranks"])],
        ["calls", number(facts["operations"])],
        ["messages", number(facts["messages"])],
        ["bytes", number(facts["bytes"])],
        ["pairs of ranks", number(len(pairs))],
        ["receives with a wildcard", number(facts["wildcards"])],
        ["computation, s, all ranks", number(sum(facts["compute_seconds"]), 6)],
    ]
    if any(facts["compute_cycles"]):
        rows.append(["computation, cycles, all ranks", number(sum(facts["compute_cycles"]))])
    rows += [[f"left out: {item['operation']}", number(item["number"])] for item in facts["left_out"]]
    tables = [table(name, ["", ""], rows)]
    if facts["collectives"]:
        lines = [
            [item["operation"], *(number(item[key]) for key in ("ranks", "calls", "bytes"))]
            for item in facts["collectives"]
        ]
        tables.append(table("collectives", ["", "ranks", "calls", "bytes a call"], lines))
    print_tables(*tables)
    for note in facts["notes"]:
        click.echo(f"netplace: {note}", err=True)
