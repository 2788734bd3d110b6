"""``netplace app``: an application's program, described, checked, and written as a trace or as matrices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, WHOLE, flag
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import WHAT_RUNS, json_flag
from netplace.files import atomic_file
from netplace.report.files.outputs import check_output
from netplace.report.terminal.screen import number

if TYPE_CHECKING:
    from netplace.apps import Program
    from netplace.report.pages.html import Page


@command("app")
@click.argument("name")
@flag("--tasks", "Number of tasks.", COUNT, panel=WHAT_RUNS)
@flag("--class class_", "Class of an NPB application.", panel=WHAT_RUNS, metavar="LETTER")
@flag("--packets", "Packets per message of a synthetic application.", COUNT, panel=WHAT_RUNS)
@flag("--bytes bytes_", "Bytes per message of a synthetic application.", WHOLE, panel=WHAT_RUNS)
@flag("--rounds", "Rounds of a synthetic application.", COUNT, panel=WHAT_RUNS)
@flag("--iterations", "Number of iterations, or A:B for iterations A to B.", default="", panel=WHAT_RUNS)
@flag("--write", "Write the program as a trace: .trace or .trc, compressed with .gz.", metavar="FILE")
@flag("--matrix", "Write the matrices of bytes W and messages N between tasks (.npz).", metavar="FILE")
@page_flag
@json_flag
def app_command(name: str, **given: Any) -> None:
    """Build the program of an application, and show its messages.

    NAME is an application (see netplace list apps) or a trace. Options can follow the name, such as
    lu,class=W,iterations=3. The command checks that every message is received and that the program does not
    deadlock.
    """
    trace = given["write"] and _trace_output(Path(given["write"]))
    matrix = given["matrix"] and check_output(Path(given["matrix"]), (".npz",))
    program = _program(name, given)
    description = _described(program) | {"recorded_computation_us": _recorded_us(name, given, program)}
    if trace:
        from netplace.apps.formats import write

        write(program, trace)
    if matrix:
        _write_matrix(program, matrix)

    recorded = "a replay omits the recorded computation unless you set --compute recorded"
    show(
        CommandOutput(
            lambda: description,
            lambda: _page(description),
            remarks=[recorded] if description["recorded_computation_us"] else [],
        ),
        given["output"],
        given["as_json"],
    )


def _page(description: dict[str, Any]) -> Page:
    from netplace.report.pages.html import DataTable, Page

    answer = (
        f"{description['tasks']:,} tasks send {description['messages']:,} messages, "
        f"{description['bytes']:,} bytes."
    )
    rows = [[key.replace("_", " "), _shown(value)] for key, value in description.items() if key != "name"]
    return Page(
        f"What does {description['name']} send?",
        [answer],
        parts=[DataTable("Program", ["figure", "value"], rows)],
    )


def _program(name: str, given: dict[str, Any]) -> Program:
    from netplace.runs.programs import Reading, is_trace, job_program

    options = {key.rstrip("_"): given[key] for key in ("class_", "packets", "bytes_", "rounds")}
    if given["tasks"] is None and not is_trace(name) and "tasks=" not in name:
        if name.lower().removesuffix(".gz").endswith((".trace", ".trc", ".dim")):
            raise ValueError(f"{name}: no file and no bundled trace has this name")
        raise ValueError(f"--tasks: not given, expected the number of tasks of {name}")
    reading = Reading(
        iterations=given["iterations"],
        tasks=given["tasks"],
        options={key: value for key, value in options.items() if value is not None},
    )
    program = job_program(name, reading, 1)
    program.check()
    return program


def _recorded_us(name: str, given: dict[str, Any], program: Program) -> float | None:
    """Return the microseconds of computation that a trace recorded, all tasks together; None for no trace."""
    import numpy as np

    from netplace.apps import Op
    from netplace.runs.programs import Reading, is_trace, job_program

    if not is_trace(name):
        return None
    scale = 1000.0  # whole nanoseconds: a replay rounds each piece to whole cycles
    reading = Reading(iterations=given["iterations"], tasks=given["tasks"], cycles_per_us=scale)
    timed = job_program(name, reading, 1)
    whole = [float(np.sum(item.size[item.kind == Op.COMPUTE], dtype=float)) for item in (timed, program)]
    return (whole[0] - whole[1]) / scale


def _described(program: Program) -> dict[str, Any]:
    import numpy as np

    from netplace.apps import Op

    traffic = program.traffic()
    messages, sizes = int(traffic.N.sum()), int(traffic.W.sum())
    iterations = program.iterations()
    return {
        "name": program.name,
        "tasks": program.tasks,
        "operations": len(program),
        "iterations": len(np.unique(iterations[:, 3])) if len(iterations) else None,
        "messages": messages,
        "bytes": sizes,
        "mean_message_bytes": sizes / messages if messages else None,
        "pairs_of_tasks": int(traffic.B.sum()),
        "computation_cycles": int(program.size[program.kind == Op.COMPUTE].sum()),
        "ends_with_synchronous_sends": _ends_synchronously(program),
    }


def _ends_synchronously(program: Program) -> bool:
    """Return whether a program also ends when every send waits for its receive."""
    try:
        program.check(eager_limit=0)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value, 1 if isinstance(value, float) else 0)


def _trace_output(path: Path) -> Path:
    from netplace.apps.formats import FORMATS

    endings = [item.suffix for item in FORMATS.values() if item.write]
    if not path.name.lower().removesuffix(".gz").endswith(tuple(endings)):
        raise ValueError(
            f"{path}: unknown output format, expected a name that ends in {' or '.join(endings)}, "
            "perhaps with .gz"
        )
    return check_output(path)


def _write_matrix(program: Program, path: Path) -> None:
    """Write W and N: dense arrays, or for very many tasks the arrays of SciPy's CSR format."""
    import numpy as np

    from netplace.apps.arrays import DENSE_TASKS

    traffic = program.traffic()
    arrays = {"W": traffic.W, "N": traffic.N}
    if program.tasks > DENSE_TASKS:
        arrays = {
            f"{name}_{part}": getattr(matrix, part)
            for name, matrix in arrays.items()
            for part in ("data", "indices", "indptr", "shape")
        }
    with atomic_file(path) as temporary:
        np.savez_compressed(temporary, **arrays)
