"""``netplace collective``: the messages of one collective operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks import check_choice
from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, WHOLE, flag
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag
from netplace.report.terminal.pulse import pulse
from netplace.report.terminal.screen import number, print_tables, table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.apps.collectives import Schedule

_SHOWN = 40  # pairs in the table on the screen


@command("collective")
@click.argument("operation")
@flag("--ranks", "Number of ranks.", COUNT, required=True)
@flag(
    "--bytes bytes_",
    "Bytes of the vector, or of one block in allgather, gather, scatter and alltoall.",
    WHOLE,
    0,
)
@flag("--root", "Root of bcast, reduce, gather and scatter.", WHOLE, 0)
@flag("--algorithm", "Algorithm, or your own as FILE.py:function. [default: from the table]")
@flag(
    "--collectives",
    "Selection table of collective algorithms: builtin, openmpi, mpich, nccl or FILE.toml.",
    default="builtin",
    metavar="TABLE",
)
@flag("--segment", "Bytes per segment, for algorithms that split vectors. [default: whole]", WHOLE)
@flag("--fanout", "Chains from the root, for algorithm chain. [default: 4]", COUNT)
@flag("--radix", "Radix of algorithm knomial. [default: 4]", COUNT)
@flag("--group", "Consecutive ranks per node or switch, for algorithm hierarchical.", COUNT)
@flag("--element", "Bytes per element of a reduced vector; elements are not split.", COUNT)
@page_flag
@json_flag
def collective_command(operation: str, **given: Any) -> None:
    """Show the rounds, messages, bytes and pairs of a collective operation."""
    from netplace.apps.collectives import OPERATIONS, schedule

    check_choice(operation, OPERATIONS, "collective operation")
    options = {
        key: given[key]
        for key in ("segment", "fanout", "radix", "group", "element")
        if given[key] is not None
    }
    with pulse("messages") as progress:
        messages = schedule(
            operation,
            given["ranks"],
            given["bytes_"],
            given["root"],
            collectives=given["collectives"],
            algorithm=given["algorithm"],
            progress=progress,
            **options,
        )
    answer = CommandOutput(lambda: _described(messages), lambda: print_tables(*_tables(messages)))
    show(answer, given["output"], given["as_json"])


def _described(messages: Schedule) -> dict[str, Any]:
    call = messages.call
    return {
        "operation": call.operation,
        "algorithm": messages.algorithm,
        "ranks": call.ranks,
        "root": call.root,
        "segment": call.segment,
        "request_bytes": call.bytes,
        "rounds": messages.rounds,
        "messages": len(messages.source),
        "bytes": int(messages.bytes.sum()),
        "pairs": messages.pairs(),
    }


def _tables(messages: Schedule) -> list[Table]:
    description = _described(messages)
    pairs = description.pop("pairs")
    counts = [[name, number(description[name])] for name in ("rounds", "messages", "bytes")]
    title = f"{description['operation']} of {description['ranks']} ranks"
    facts = table(title, ["", ""], [["algorithm", description["algorithm"]], *counts])
    rows = [
        [str(value) if n < 2 else number(value) for n, value in enumerate(pair)] for pair in pairs[:_SHOWN]
    ]
    more = f"the first {_SHOWN} of {len(pairs)} pairs; --json has all" if len(pairs) > _SHOWN else "pairs"
    return [facts, table(more, ["source", "destination", "messages", "bytes"], rows)]
