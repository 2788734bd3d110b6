"""``netplace collective``: the messages of one collective operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, WHOLE, flag
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag
from netplace.inputs import check_choice
from netplace.report.terminal.progress import progress

if TYPE_CHECKING:
    from netplace.apps.collectives import Schedule
    from netplace.report.pages.html import Page


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
@flag("--algorithm", "Algorithm. [default: from the table]")
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
    with progress("messages"):
        messages = schedule(
            operation,
            given["ranks"],
            given["bytes_"],
            given["root"],
            collectives=given["collectives"],
            algorithm=given["algorithm"],
            **options,
        )
    show(
        CommandOutput(lambda: _described(messages), lambda: _page(messages)),
        given["output"],
        given["as_json"],
    )


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


def _page(messages: Schedule) -> Page:
    from netplace.report.pages.html import DataTable, Page

    found = _described(messages)
    answer = (
        f"Algorithm {found['algorithm']} sends {found['messages']:,} messages, {found['bytes']:,} bytes, in "
        f"{found['rounds']:,} rounds."
    )
    pairs = DataTable("Pairs", ["source", "destination", "messages", "bytes"], found["pairs"])
    return Page(f"What does {found['operation']} of {found['ranks']} ranks send?", [answer], parts=[pairs])
