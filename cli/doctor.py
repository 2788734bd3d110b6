"""``netplace doctor``: whether an installation is sound."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.cli.flags import flag
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import number, print_json, print_tables, table
from netplace.schema import to_plain

if TYPE_CHECKING:
    from netplace.cli.golden_counts import Checked
    from netplace.report.tables.installation import Installation

UNSOUND = 1  # exit code: something is wrong with the installation


@click.command("doctor", epilog=examples_of("doctor"))
@flag("--no-test", "Skip the self-test.", bool)
@json_flag
def doctor_command(no_test: bool, as_json: bool) -> None:
    """Show the installed parts and their locations, and check the simulator.

    The self-test simulates ten recorded programs and compares their cycles with those of another
    simulator (INSEE): all must be equal. It takes less than ten seconds. Exit code 1 reports a problem.
    """
    from netplace.report.tables.installation import installation

    facts = installation()
    counts = [] if no_test else _counts()
    wrong = tuple(
        f"{count.golden.trace} on {count.golden.network}: {count.cycles:,} cycles, expected "
        f"{count.golden.cycles:,}"
        for count in counts
        if not count.right
    )
    facts = replace(facts, problems=facts.problems + wrong)
    if as_json:
        tested = {"self_test": [count.to_dict() for count in counts]}
        print_json(to_plain(facts) | tested)
    else:
        _show(facts, counts)
    if facts.problems:
        sys.exit(UNSOUND)


def _counts() -> list[Checked]:
    from netplace.cli.golden_counts import GOLDEN_COUNTS, check_count

    return [check_count(golden) for golden in GOLDEN_COUNTS]


def _show(facts: Installation, counts: list[Checked]) -> None:
    from netplace.report.tables.installation import EXTRAS

    memory = (
        "-"
        if facts.memory_gib is None
        else (f"{facts.memory_gib:.1f} GiB, {facts.free_memory_gib:.1f} GiB free")
    )
    rows = [
        ["netplace", f"{facts.netplace}, {facts.place}"],
        ["Python", facts.python],
        ["system", facts.system],
        ["cores", str(facts.cores)],
        ["memory", memory],
        ["compiled part", facts.compiled_part],
        [
            "packages",
            ", ".join(f"{name} {version or 'missing'}" for name, version in facts.versions.items()),
        ],
    ]
    for extra, version in facts.extras.items():
        how = (
            f"{EXTRAS[extra][0]} {version}" if version else f"not installed; pip install 'netplace[{extra}]'"
        )
        rows.append([f"extra {extra}", f"{how} ({EXTRAS[extra][1]})"])
    tables = [table("", ["installation", ""], rows)]
    if counts:
        lines = [
            [
                f"{count.golden.trace} on {count.golden.network}",
                number(count.cycles),
                number(count.golden.cycles),
                number(count.seconds, 2),
            ]
            for count in counts
        ]
        tables.append(table("self-test, cycles", ["program", "here", "INSEE", "CPU s"], lines))
    for made in tables:
        made.columns[1].justify = "left" if made is tables[0] else "right"
    print_tables(*tables)
    right = sum(count.right for count in counts)
    click.echo(
        "\n".join(facts.problems)
        or f"no problem found{f': {right} of {len(counts)} counts correct' if counts else ''}"
    )
