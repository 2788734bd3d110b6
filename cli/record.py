"""``netplace record``: the MPI calls of a program, as a trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import examples_of
from netplace.cli.flags import COUNT, flag
from netplace.files import draft_folder
from netplace.report.files.outputs import check_output

if TYPE_CHECKING:
    from netplace.apps.recorded import Summary, Trace
    from netplace.apps.recording import Recorded


@click.command(
    "record",
    cls=FilesCommand,
    epilog=examples_of("record"),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@flag("-n ranks", "Number of ranks.", COUNT, required=True)
@flag("-o output", "Trace to write; a name without an extension is a folder.", metavar="FILE", required=True)
@flag("--mpicc", "C compiler of the MPI library of the program.", default="mpicc")
@flag("--launcher", "Launcher of the program. [default: the mpirun next to mpicc]", metavar="COMMAND")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGUMENTS]")
def record_command(
    ranks: int, output: str, mpicc: str, launcher: str | None, program: tuple[str, ...]
) -> None:
    """Run an MPI program in C, Fortran or Python, and record its calls.

    The command compiles a recorder in C with --mpicc, which intercepts the calls to the MPI library
    (PMPI); the program must be dynamically linked with this library. All hosts must be able to write to
    the output folder. If the program fails or is stopped, the trace contains the calls up to that point.
    """
    from netplace.apps.formats import check_convertible
    from netplace.apps.recording import record

    target = Path(output)
    if target.exists() and target.is_dir():
        raise ValueError(f"-o {target}: is an existing folder, expected a new name")
    check_output(target)
    if target.suffix:
        check_convertible(target)
    with draft_folder(target.parent) as folder:
        recorded = record(program, ranks, folder, mpicc, launcher)
        summary = _kept(folder, target).as_data() if any(folder.iterdir()) else None
    _tell(recorded, summary, target, program[0])


def _kept(folder: Path, target: Path) -> Summary:
    """Put what was recorded where it was requested, and return what it holds."""
    from netplace.apps.formats import open_trace, rewrite
    from netplace.apps.recorded import IGNORABLE, counted, summary_of

    if not target.suffix:
        summary = summary_of(open_trace(folder))
        folder.chmod(0o755)
        folder.rename(target)
        return summary
    summaries: list[Summary] = []

    def opened() -> Trace:
        trace = open_trace(folder)
        summaries.append(counted(trace))
        return trace

    rewrite(opened, target, ignore=IGNORABLE)
    return summaries[-1]


def _tell(recorded: Recorded, summary: dict[str, Any] | None, target: Path, program: str) -> None:
    how = f"{program} was stopped" if recorded.interrupted else f"{program} ended with {recorded.code}"
    if summary is None:
        raise ValueError(
            f"{how}, and no rank recorded anything: the program must call MPI_Init and be dynamically "
            f"linked with the MPI library of --mpicc"
        )
    collectives = sum(item["calls"] for item in summary["collectives"])
    counts = f"{summary['messages']:,} messages of {summary['bytes']:,} bytes"
    click.echo(
        f"{target}: {summary['ranks']:,} ranks, {counts}, {collectives:,} calls of collectives", err=True
    )
    notes = summary["notes"]
    if summary["left_out"]:
        listed = ", ".join(f"{item['number']} {item['operation']}" for item in summary["left_out"])
        notes = [*notes, f"not replayable: {listed}; netplace run needs --ignore for the rest"]
    for note in notes:
        click.echo(f"netplace: {note}", err=True)
    if recorded.code or recorded.interrupted:
        raise ValueError(f"{how}; {target} holds the calls until then")
