"""``netplace trace``: what is in a trace of any format."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import COUNT, REAL
from netplace.cli.examples import examples_of
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.apps.recorded import Reading, Summary

__all__ = ["trace_command"]


@click.group("trace", epilog=examples_of("trace"))
def trace_command() -> None:
    """Look into a trace, whatever its format; see netplace list formats."""


_READING = (
    click.option(
        "--flops",
        type=REAL,
        default=1e9,
        show_default=True,
        help="Floating-point operations a second, where a trace records computation so.",
    ),
    click.option("--tasks", type=COUNT, help="Ranks of a trace, if some say nothing in it."),
)


def _reading_flags(command: Any) -> Any:
    for option in reversed(_READING):
        command = option(command)
    return command


@trace_command.command("info")
@click.argument("file")
@_reading_flags
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def info(file: str, as_json: bool, **given: Any) -> None:
    """Count what is in a trace: messages by pair of ranks, collectives, computation, and what it cannot say.

    FILE is a trace, or the folder or list of files that one consists of. It is read once, a part at a time.
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


@contextmanager
def _reading(path: Any, given: dict[str, Any]) -> Iterator[Reading]:
    """Yield how a trace is read, with a bar on stderr if that is a terminal."""
    from netplace.apps.recorded import Reading
    from netplace.checks import real
    from netplace.report.terminal.screen import progress_bar

    flops = real(given["flops"], "--flops")
    if not flops:
        raise ValueError("--flops: 0 is too small, expected more than 0")
    size = path.stat().st_size if path.is_file() else None
    with progress_bar() as progress:
        bar = progress.add_task("bytes read", total=size)
        yield Reading(flops, given["tasks"], lambda count: progress.advance(bar, count), in_order=False)


def _show(name: str, summary: Summary) -> None:
    """Print what a summary holds as tables."""
    found = summary.as_data()
    pairs = summary.pairs()
    rows = [
        ["ranks", number(found["ranks"])],
        ["calls", number(found["operations"])],
        ["messages", number(found["messages"])],
        ["bytes", number(found["bytes"])],
        ["pairs of ranks", number(len(pairs))],
        ["receives with a wildcard", number(found["wildcards"])],
        ["computation, s, all ranks", number(sum(found["compute_seconds"]), 6)],
    ]
    if any(found["compute_cycles"]):
        rows.append(["computation, cycles, all ranks", number(sum(found["compute_cycles"]))])
    rows += [[f"left out: {item['operation']}", number(item["number"])] for item in found["left_out"]]
    tables = [table(name, ["", ""], rows)]
    if found["collectives"]:
        lines = [
            [item["operation"], *(number(item[key]) for key in ("ranks", "calls", "bytes"))]
            for item in found["collectives"]
        ]
        tables.append(table("collectives", ["", "ranks", "calls", "bytes a call"], lines))
    print_tables(*tables)
    for note in found["notes"]:
        click.echo(f"netplace: {note}", err=True)
